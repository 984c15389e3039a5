/** The people of the simulation: a client that creates runs and cancels some, and two who answer what waits for a human. */
import { decisionSchemas } from '@signalbox/core'
import type {
  AnswerApproval,
  AnswerInput,
  createEngine,
  EffectRow,
  RunHead,
  StoredEvent,
} from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { simulatedAgent } from './agents.ts'
import { plansPerSeed } from './families.ts'
import { filesFor } from './files.ts'
import type { Incarnation } from './process.ts'
import { isAlone, openQuestions, replyTo } from './questions.ts'
import type { Schedule } from './schedule.ts'
import { callOf } from '../invariants/run-record.ts'
import { saidBefore } from './skills.ts'
import { isVictim } from './victims.ts'
import type { World } from './world.ts'

export type SimulatedEngine = ReturnType<typeof createEngine>

export const runsPerSeed = 3

/** Whoever asks. */
export const caller = { tenantId: 'default', actor: 'user:simulated' }

/** Whoever runs work for may be forbidden to approve their calls; somebody with another role may not be. */
export const requester = { id: 'ann', role: 'clerk' }
const people = [requester, { id: 'bob', role: 'manager' }] as const

/** The plan of a run, and its agent with it. */
export const planSeed = (seed: number, n: number): number => seed * plansPerSeed + n

/** A thread that can be named. As a server does, before the first run; whatever happens to that, the thread is there. */
async function makeThread(register: MemoryRegister, threadId: string): Promise<void> {
  const { tenantId } = caller
  const contentKey = 'ab'.repeat(32)
  await register.ensureThread({ threadId, tenantId, metadata: {}, createdAt: 0, contentKey })
}

/** Creates the runs under idempotency keys, repeating after each lost answer, also from its next life. */
export async function client(
  seed: number,
  life: Incarnation,
  { world, engine, register }: Office,
): Promise<void> {
  const { schedule } = life.process
  for (let n = 0; n < runsPerSeed; n++) {
    const isEdit = n === 1 && world.isByHand
    const threadId = n === 2 || isEdit ? 't0' : `t${n}`
    const definition = simulatedAgent((seed + n) % 2 === 0 ? 'tell' : 'ask', planSeed(seed, n))
    if (definition.title !== undefined) await makeThread(register, threadId)
    const files = world.isFiling
      ? {
          files: await filesFor(
            register,
            { ...caller, threadId },
            {
              n,
              // The first run of its thread brings the file that all edit.
              isShared: world.isLending && threadId === `t${n}`,
            },
          ),
        }
      : {}
    const input = {
      id: `u${n}`,
      role: 'user' as const,
      parts: [{ type: 'text' as const, text: `${saidBefore(planSeed(seed, n))}go ${n}` }],
    }
    const created = await engine.commands
      .createRun({
        ...caller,
        threadId,
        definition,
        ...(isEdit ? { input: [], edit: { messages: [] } } : { input: [input] }),
        ...files,
        metadata: {},
        ...(isAlone(planSeed(seed, n)) ? { interactive: false } : {}),
        user: requester,
        alias: { key: `key-${n}`, bodyHash: `body-${n}` },
      })
      .catch(() => null)
    await life.clock.sleep(schedule.between(0, 200))
    if (!created || !('runId' in created) || (seed + n) % 4 !== 0) continue
    await life.clock.sleep(schedule.between(0, 400))
    await engine.commands
      .cancel({
        ...caller,
        runId: created.runId,
        action: schedule.chance(0.3) ? 'rollback' : 'interrupt',
      })
      .catch(() => null)
  }
}

export interface Office {
  readonly world: World
  readonly register: MemoryRegister
  readonly engine: SimulatedEngine
}

/** How often a look at a run that has been started, or at one that has others at work, cancels it. */
const leavingOf = { child: 0.005, parent: 0.03 }

const hasLiving = ({ tables }: MemoryRegister, runId: string): boolean =>
  [...tables.runs.values()].some(
    ({ parent, status }) => parent?.runId === runId && status !== 'ended',
  )

/** Answers what waits for a human, after a while, with any of the possible answers. `who` is 0 or 1. */
export async function operator(who: 0 | 1, life: Incarnation, office: Office): Promise<void> {
  const { schedule } = life.process
  const { register } = office
  for (;;) {
    await life.clock.sleep(schedule.between(100, 400))
    if (schedule.now < office.world.attendedFrom) continue
    const alive = [...register.tables.runs.values()].filter(isAlive(register))
    for (const { runId, parent } of alive) {
      if (isVictim(register, office.world.way, runId)) continue
      const leaving = parent ? leavingOf.child : hasLiving(register, runId) ? leavingOf.parent : 0
      if (leaving > 0 && schedule.chance(leaving))
        await office.engine.commands
          .cancel({ ...caller, runId, action: 'interrupt' })
          .catch(() => null)
      await resolveAll(schedule, await register.openEffects(runId), office.engine)
      for (const asked of requests(await register.events(runId, {})))
        if (schedule.chance(0.4)) await answerOne(schedule, { ...asked, by: people[who] }, office)
      for (const question of openQuestions(await register.events(runId, {})))
        if (schedule.chance(0.4)) await reply(schedule, question, { office, by: people[who] })
    }
  }
}

/** Nobody answers for a run whose parent has left: it ends because it is cancelled, or not at all (I12). */
const isAlive =
  ({ tables }: MemoryRegister) =>
  ({ status, parent }: RunHead): boolean => {
    const above = parent && tables.runs.get(parent.runId)
    const left = above && (above.status === 'ended' || above.cancelRequested)
    return status !== 'ended' && !left
  }

async function resolveAll(
  schedule: Schedule,
  effects: readonly EffectRow[],
  { commands }: SimulatedEngine,
): Promise<void> {
  for (const { effectId, runId, status } of effects) {
    if (status !== 'unknown') continue
    const pick = schedule.unit()
    const resolution = pick < 0.3 ? 'retry' : pick < 0.6 ? 'happened' : 'not_happened'
    await commands.resolveUnknown({ ...caller, runId, effectId, resolution }).catch(() => null)
  }
}

const requests = (log: readonly StoredEvent[]): readonly { runId: string; callId: string }[] =>
  log
    .filter(({ type }) => type === 'approval.requested')
    .map(({ runId, payload }) => ({
      runId,
      callId: decisionSchemas['approval.requested'].parse(payload).callId,
    }))

/** One answer, whoever has answered before: a second one must change nothing. */
async function answerOne(
  schedule: Schedule,
  to: Pick<AnswerApproval, 'runId' | 'callId'> & { readonly by: (typeof people)[number] },
  { world, engine }: Office,
): Promise<void> {
  const said: AnswerApproval = { ...caller, ...to, ...decisionOf(schedule) }
  const answer = await engine.commands.answerApproval(said).catch(() => null)
  if (answer) world.told.push({ said, answer })
}

/** One answer to a question, whoever has answered before. */
async function reply(
  schedule: Schedule,
  question: StoredEvent,
  { office, by }: { readonly office: Office; readonly by: (typeof people)[number] },
): Promise<void> {
  const { runId } = question
  const answer = replyTo(question, schedule)
  const said: AnswerInput = { ...caller, runId, callId: callOf(question), answer, by }
  const told = await office.engine.commands.answerInput(said).catch(() => null)
  if (told) office.world.replies.push({ said, code: told.code })
}

function decisionOf(schedule: Schedule): Pick<AnswerApproval, 'decision' | 'scope' | 'args'> {
  const pick = schedule.unit()
  if (pick < 0.25) return { decision: 'reject' }
  // Arguments that no tool takes are refused before anything is recorded.
  if (pick < 0.3) return { decision: 'edit', args: { n: 'many' } }
  if (pick < 0.5) return { decision: 'edit', args: { n: Math.floor(schedule.unit() * 4) } }
  const scopes = ['once', 'run', 'always'] as const
  return { decision: 'approve', scope: scopes[Math.floor(schedule.unit() * 3)] ?? 'once' }
}
