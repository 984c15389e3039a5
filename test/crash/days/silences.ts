/** Connections that fall silent: to Postgres, to Redis, those there are or new ones as well. Nothing is closed, nothing answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { families } from '../families.ts'
import type { Fault } from '../schedule.ts'
import { soon } from '../sending.ts'
import type { Stack } from '../stack.ts'
import { dayViolations } from './check.ts'
import { atWork, crowd } from './crowd.ts'
import { settleMs } from './outages.ts'

/** A connection that falls silent is given up after this. */
const givenUpMs = 30_000
const silentMs = 12_000

type To = 'postgres' | 'redis'

/** `open`: those that are open, and new ones are served. `all`: for a while new ones are silent as well. */
export const silence = (to: To, which: 'open' | 'all'): Fault => ({
  name: `${which === 'all' ? 'every connection' : 'what is open'} to ${to} falls silent`,
  waves: ['work'],
  parts: [...families, crowd(1)],
  patienceMs: givenUpMs + settleMs,
  // Silence is found out only by waiting.
  settleMs: givenUpMs + settleMs,
  async play(stack) {
    await atWork(stack)
    const proxy = proxyOf(stack, to)
    proxy.fallSilent(which === 'all' ? 'all' : undefined)
    if (which === 'all') await sleep(silentMs)
    proxy.heal()
  },
  missed: () => Promise.resolve([]),
  check: dayViolations,
})

/** Connections that fall silent: fewer than the statements that a process has under way, so that it goes on claiming. */
const silentMax = 3

/** Claims of a worker are granted, and their answers are lost: the connection of each falls silent when it has carried the claim. */
export const claimsUnanswered: Fault = {
  name: 'claims of a worker are granted and not answered',
  waves: ['work'],
  parts: [...families, crowd(1)],
  patienceMs: givenUpMs + settleMs,
  settleMs: givenUpMs + settleMs,
  async play(stack) {
    const proxy = proxyOf(stack, 'postgres')
    proxy.loseAnswersTo('"owner":"worker.', silentMax)
    await soon(async () => proxy.lost() === silentMax)
  },
  async missed(stack) {
    const lost = proxyOf(stack, 'postgres').lost()
    return lost === silentMax ? [] : [`${lost} of ${silentMax} claims were not answered`]
  },
  check: dayViolations,
}

function proxyOf({ proxies }: Stack, to: To) {
  const proxy = proxies?.[to]
  if (!proxy) throw new Error(`this stack has no proxy to ${to}`)
  return proxy
}
