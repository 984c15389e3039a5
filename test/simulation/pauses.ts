/** Somebody who pauses an agent, a tool or a queue for a while, and what must not start meanwhile (P1 of `ports/pauses.ts`). */
import type { NamedTarget } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { caller, type Office } from './people.ts'
import type { Incarnation } from './process.ts'
import { epoch } from './schedule.ts'
import { seeded } from './seeded.ts'
import type { World } from './world.ts'

/** How many seeds have one. The others are played as they were before there were pauses. */
const pausing = 0.12
const pausesPerSeed = 3

export const isPausing = (seed: number): boolean => seeded(seed * 71 + 3)() < pausing

/** A pause: between these two events of the register nothing of its target may start. */
interface Paused {
  readonly target: NamedTarget
  readonly from: number
  /** Null: it stands. */
  through: number | null
}

const pausedIn = new WeakMap<World, Paused[]>()

const targets: readonly NamedTarget[] = [
  { kind: 'agent', name: 'agent-tell' },
  { kind: 'agent', name: 'agent-ask' },
  { kind: 'tool', name: 'look' },
  { kind: 'tool', name: 'put' },
  { kind: 'tool', name: 'pay' },
  { kind: 'tool', name: 'start' },
  { kind: 'queue', name: 'tools' },
]

/** Pauses, waits, and resumes; what a life has left paused, the next one resumes first. */
export async function pauser(life: Incarnation, office: Office): Promise<void> {
  const { world, register } = office
  const paused = pausedIn.get(world) ?? []
  pausedIn.set(world, paused)
  const { schedule } = life.process
  await resumeAll(life, office)
  while (paused.length < pausesPerSeed) {
    await life.clock.sleep(schedule.between(0, 800))
    const target = targets[Math.floor(schedule.unit() * targets.length)] ?? targets[0]
    if (!target) return
    const forMs = Math.floor(schedule.between(100, 1_500))
    const endsByItself = schedule.chance(0.3)
    const until = endsByItself ? Math.floor(epoch + schedule.now) + forMs : null
    const answer = await office.engine.commands
      .pause({ ...caller, target, reason: 'simulated', until })
      .catch(() => null)
    const isSet = answer !== null && answer.code !== 'busy' && answer.confirmed
    const seen: Paused = { target, from: register.tables.written, through: null }
    // One that had no answer may stand, and may have ended since.
    const isOver = until !== null && until <= epoch + schedule.now
    paused.push(isSet && !isOver ? seen : { ...seen, through: seen.from })
    if (until === null) await life.clock.sleep(forMs)
    else await life.clock.sleep(Math.max(0, until - 1 - (epoch + schedule.now)))
    await resumeAll(life, office)
  }
}

async function resumeAll(life: Incarnation, { world, register, engine }: Office): Promise<void> {
  for (const each of pausedIn.get(world) ?? []) each.through ??= register.tables.written
  for (;;) {
    const standing = await register.pauses(caller.tenantId)
    for (const { pauseId } of standing)
      await engine.commands.resume({ ...caller, pauseId }).catch(() => null)
    if (standing.length === 0) return
    await life.clock.sleep(50)
  }
}

/** What started although its target was paused. */
export function pauseViolations(world: World, { tables }: MemoryRegister): readonly string[] {
  const events = [...tables.events.values()].flat()
  return (pausedIn.get(world) ?? []).flatMap(({ target, from, through }) => {
    const meanwhile = events.filter(({ position }) => {
      const at = Number(position)
      return at > from && at <= (through ?? Infinity)
    })
    return meanwhile.flatMap(({ type, runId, payload }) => {
      const agent = tables.runs.get(runId)?.agent
      const { effectId } = payload
      const effect = typeof effectId === 'string' ? tables.effects.get(effectId) : undefined
      const started = type === 'effect.started' && effect && isOf(target, effect, agent)
      const admitted = type === 'run.admitted' && target.kind === 'agent' && target.name === agent
      return started || admitted
        ? [`P1 ${runId}: ${type} while ${target.kind} ${target.name} was paused`]
        : []
    })
  })
}

type Effect = MemoryRegister['tables']['effects'] extends Map<string, infer E> ? E : never

function isOf({ kind, name }: NamedTarget, effect: Effect, agent: string | undefined): boolean {
  const { spec, queue } = effect
  if (kind === 'agent') return agent === name && spec.kind !== 'webhook.deliver'
  if (kind === 'queue') return spec.kind === 'tool.call' && queue === name
  return (spec.kind === 'tool.call' || spec.kind === 'run.start') && spec.tool === name
}
