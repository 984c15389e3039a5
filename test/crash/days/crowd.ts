/** Runs in every state: an outage finds each kind of work begun, waiting, or about to begin. */
import type { Plan } from '../plan.ts'
import { create, type Part, type Setting, soon } from '../sending.ts'
import type { Stack } from '../stack.ts'
import { isSpeaking, type StoredRun } from '../tables.ts'
import { readWorld } from '../world.ts'

interface Kind {
  readonly name: string
  send(setting: Setting, n: number): Promise<string>
}

const kind = (name: string, plan: Omit<Plan, 'name'>, agent = 'plain'): Kind => ({
  name,
  send: (setting, n) => create(setting, { ...plan, name: `${name}-${n}` }, { agent }),
})

const longChars = 40_000
/** Before each chunk of a slow answer. */
const chunkMs = 900

/** Also through three calls after the outage, so that each finds its way on. */
const turns = [['look'], ['put', 'pay'], ['look']]

const kinds: readonly Kind[] = [
  kind('steps', { turns }),
  // Under way for seconds: a call whose result is too long for the log, and answers of the model, short and long.
  kind('lingers', { turns: [['linger', 'look'], ['put']] }),
  kind('speaks', { delayMs: chunkMs, turns: [['pay']] }),
  kind('speaks-long', { delayMs: chunkMs, chars: longChars }),
  kind('asks-slowly', { delayMs: chunkMs, turns: [['put', 'look']] }, 'guarded'),
  // Waiting for a human, for another model, for a policy.
  kind('asks', { turns: [['put', 'look'], ['pay']] }, 'guarded'),
  kind('falls', { turns: [['pay']] }, 'falling'),
  kind('judged', { turns: [['look', 'pay']] }, 'governed'),
  // One call more than the worker executes at a time.
  kind('many', { turns: [Array.from({ length: 9 }, () => 'put')] }),
]

/** `times` runs of each kind, numbered from `first`, and two on one thread. */
export const crowd =
  (times: number, first = 0): Part =>
  async (setting) => {
    const numbers = Array.from({ length: times }, (_, n) => first + n)
    await Promise.all([
      ...kinds.flatMap((each) => numbers.map((n) => each.send(setting, n))),
      inOrder(setting),
    ])
  }

/** No longer ago than this a call that takes four seconds has just begun. */
const justNowMs = 1_500

/**
 * Waits until there is much to lose: a call has just begun that will take a while, and so will the answer of a model whose
 * calls a human must approve.
 */
export const atWork = ({ world, databaseUrl }: Stack): Promise<void> =>
  soon(async () => {
    const lingering = readWorld(world).findLast(({ tool }) => tool === 'linger')
    const isFresh = lingering !== undefined && Date.now() - lingering.at < justNowMs
    return isFresh && (await isSpeaking(databaseUrl, 'asks-slowly-0').catch(() => false))
  })

const thread = 'in-order'
const names = kinds.map(({ name }) => name).join('|')
const ofCrowd = new RegExp(`-(?:(?:${names})-\\d+|${thread})$`)

/** Runs of the crowd, each of which ends well whatever happens, that have ended otherwise. */
export const failedViolations = (runs: readonly StoredRun[]): readonly string[] =>
  runs
    .filter(({ head }) => ofCrowd.test(head.threadId) && head.stateName !== 'completed')
    .map(({ head }) => `D5 the run of ${head.threadId} is ${head.stateName}`)

/** How long the longest of them takes undisturbed, with its thread's second run: four answers of nine chunks, and their tools. */
export const longestMs = 4 * 9 * chunkMs + 5_000

async function inOrder(setting: Setting): Promise<void> {
  await create(setting, { name: 'first', delayMs: chunkMs, turns }, { thread })
  await create(setting, { name: 'second', turns }, { thread })
}
