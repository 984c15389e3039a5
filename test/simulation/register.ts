/** The register as one life of a process reaches it: each method is a port call, which may fail or never be answered. */
import type { AppendItem, Register } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { z } from 'zod'
import { troubleAt } from './days.ts'
import type { Incarnation } from './process.ts'
import type { Schedule } from './schedule.ts'
import { itemOf } from './victims.ts'

/** How many of its answers show that somebody has been at a register. */
const tamperedRows = 0.2

/** Questions that are asked all the time, mostly for nothing. */
const polled = new Set([
  'dueTimers',
  'superseded',
  'admissibleRuns',
  'readyRuns',
  'endedChildren',
  'orphans',
  'settleBudgets',
  'nextDue',
])
/** How many of them cost no step of the schedule. The others are in the danger of all. */
const atOnce = 2 / 3

/** How much likelier a process fails when it alone knows what others must be told of. */
const peril = 8

/** Is it told that a run has been started by another, or that one leaves which has started others? */
function isPerilous({ runs }: MemoryRegister['tables'], item: AppendItem | null): boolean {
  if (!item) return false
  const { create, decision, runId } = item
  if (create?.parent) return true
  return (
    decision?.stateName === 'cancelling' &&
    [...runs.values()].some(({ parent }) => parent?.runId === runId)
  )
}

/** Every method of the register as one port call of this life. */
export function registerOf(
  life: Incarnation,
  real: Register,
  { tables }: Pick<MemoryRegister, 'tables'>,
): Register {
  return new Proxy(real, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        life.process.schedule.called()
        const answer = () => Promise.resolve(Reflect.apply(method, target, args))
        // Most renewals are of nothing: they only say that the register can be reached, and cost no step of the schedule.
        if (name === 'renew' && !life.trouble && isOfNone(args[0])) return answer()
        const isPoll = polled.has(String(name))
        if (isPoll && !life.trouble && life.process.schedule.chance(atOnce)) return answer()
        const isClaim = name === 'append' && (itemOf(args[0])?.claims ?? []).length > 0
        const call = async () => {
          if (isClaim) await intoOutage(life)
          return answeredInTime(life, reached(life).then(answer))
        }
        const isInPeril = name === 'append' && isPerilous(tables, itemOf(args[0]))
        const danger = isPoll ? 1 / (1 - atOnce) : isInPeril ? peril : 1
        if (name !== 'renew') return life.io(String(name), call, danger)
        const performed = performedOf(life, args[0])
        return life.io(name, call, danger).then((kept) => noteLost(life, performed, kept))
      }
    },
  })
}

const Renewed = z.array(z.object({ kept: z.boolean() }))
const Asked = z.array(z.object({ effectId: z.string(), attempt: z.number() }))

/**
 * Which of the leases that a renewal asks for are performed as it is sent. A claim under way is renewed, too: where that is not kept, the
 * claim may have been granted since, and nobody is told that a lease is lost.
 */
const performedOf = ({ performing }: Incarnation, leases: unknown): readonly (string | null)[] =>
  Asked.parse(leases)
    .map(({ effectId, attempt }) => `${effectId} ${attempt}`)
    .map((attempt) => (performing.has(attempt) ? attempt : null))

/**
 * Keeps which leases of what it performs this life was told to be lost; answers the same. The memory register answers in the order in
 * which it was asked: of one effect two claims may be under way, for different attempts.
 */
function noteLost<T>(life: Incarnation, performed: readonly (string | null)[], answer: T): T {
  for (const [n, { kept }] of Renewed.parse(answer).entries()) {
    const attempt = performed[n]
    if (typeof attempt === 'string' && !kept) life.lost.add(attempt)
  }
  return answer
}

const isOfNone = (leases: unknown): boolean => Array.isArray(leases) && leases.length === 0

/** A claim that is sent within this before an outage is under way when that begins: what is granted then is hard to keep. */
const caughtMs = 100

async function intoOutage({ process: { schedule, name } }: Incarnation): Promise<void> {
  const trouble = troubleAt(schedule.day, name, schedule.now + caughtMs)
  if (trouble?.how !== 'hangs' || trouble.from <= schedule.now) return
  await new Promise<void>((resolve) => schedule.after(trouble.from - schedule.now, resolve))
}

/** An answer is waited for longer than a lease, as most are in production. */
const answerMsMax = 600

/** A call that hangs for longer than that fails for its caller, and is done all the same when the register goes on. */
function answeredInTime<T>({ process, trouble }: Incarnation, answer: Promise<T>): Promise<T> {
  const { schedule } = process
  if (trouble?.how !== 'hangs' || trouble.until - schedule.now <= answerMsMax) return answer
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject)
    schedule.after(answerMsMax, () => reject(new Error('no answer came')))
  })
}

/** The register is away for this process: it says so, or says nothing until it is back. */
async function reached(life: Incarnation): Promise<void> {
  const { schedule } = life.process
  const { trouble } = life
  if (trouble?.how === 'fails') throw new Error('the register cannot be reached')
  if (trouble?.how !== 'hangs') return
  await new Promise<void>((resolve) => {
    schedule.after(trouble.until - schedule.now, resolve)
  })
  if (life.alive) await reached(life)
}

/** Hands out calls with other arguments than were judged, now and then. */
export const tamperedWith = (schedule: Schedule, real: Register): Register => ({
  ...real,
  effect: async (effectId) => {
    const row = await real.effect(effectId)
    if (!row?.call || !schedule.chance(tamperedRows)) return row
    return { ...row, call: { ...row.call, args: { n: 'other' } } }
  },
})
