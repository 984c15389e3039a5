/**
 * The two registers side by side: random items, plausible and wrong, get the same answers from the in-memory register and
 * from the SQL function, and leave the same rows behind. The simulation proves the engine over the first; this test is why
 * that says something about the second.
 */
import { createMemoryRegister } from '@signalbox/testing/memory'
import type { AppendResult, Register } from '@signalbox/engine'
import { systemClock } from '@signalbox/engine'
import { limits } from '@signalbox/core'
import * as fc from 'fast-check'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { newRun, type RunIds } from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'
import { breakers, makers, type Move, operations } from './register-moves.ts'

const bench = useRegister()

/** Events that a run may have: in half of the sequences so few that some come to the end. */
const histories = fc.constantFrom<number[]>(
  limits.eventsPerRunMax,
  limits.eventsPerRunMax,
  108,
  116,
)

async function limitEvents(most: number): Promise<void> {
  const client = new pg.Client(bench.database.adminUrl)
  await client.connect()
  const head = 'create or replace function signalbox.event_limit() returns int language sql stable'
  await client.query(`${head} parallel safe return ${most}`)
  await client.end()
}

const none = fc.constant(-1)
const most = breakers.length - 1

const moves = fc.array(
  fc.record({
    run: fc.constantFrom(0, 0, 0, 1, 2, 3, 3, 4),
    kind: fc.nat({ max: makers.length + operations.length - 1 }),
    n: fc.nat({ max: 3 }),
    wrong: fc.boolean(),
    broken: fc.oneof({ weight: 7, arbitrary: none }, { weight: 1, arbitrary: fc.nat(most) }),
  }),
  // Without the size, no sequence is longer than 20.
  { minLength: 5, maxLength: 40, size: 'medium' },
)

/** The first run exists, runs, and has effects: otherwise most sequences would say little. */
const prelude: readonly Move[] = [0, 2, 5].map((kind) => ({
  run: 0,
  kind,
  n: 0,
  wrong: false,
}))

const move = (run: number, kind: number, n: number, wrong = false): Move => ({
  run,
  kind,
  n,
  wrong,
})

/** Sequences that reach the codes which chance seldom reaches. Together they reach all that are asked for below. */
const examples: [Move[]][] = [
  [[move(1, 1, 0), move(2, 1, 0, true), move(2, 1, 0)]],
  [[move(0, 8, 0, true), move(0, 8, 0, true)]],
  [[move(0, 8, 1), move(0, 8, 1)]],
  [[move(0, 10, 0), move(0, 8, 0)]],
  [[move(0, 3, 0), move(0, 7, 0), move(0, 3, 1)]],
  [[move(0, 8, 0, true), move(0, 18, 0), move(0, 13, 0), move(0, 18, 0)]],
  [[move(1, 0, 0), move(2, 0, 0), move(1, 2, 0), move(2, 2, 0)]],
  // A run that is not there; a word about a call that was not begun; an item that breaks a rule; a base that is not there.
  [[move(1, 3, 0), move(0, 4, 0), { ...move(0, 3, 0), broken: 0 }, move(1, 15, 2)]],
  // A reservation that is refused for tokens.
  [[move(0, 19, 0, true), move(0, 20, 2, true)]],
  // A webhook outlives its run: delivered, not twice, and once more; another, of a run that is to be cancelled, waits.
  [
    [
      move(0, 3, 0),
      move(0, 7, 1),
      move(0, 8, 1, true),
      move(0, 11, 1),
      move(0, 11, 1),
      move(0, 11, 1, true),
      move(0, 8, 1),
    ],
  ],
  [
    [
      move(0, 3, 0),
      move(0, 6, 0),
      move(0, 10, 0),
      move(0, 8, 0),
      move(0, 11, 0),
      move(0, 7, 2),
      move(0, 8, 2),
    ],
  ],
  // A zombie's word about a webhook does not count.
  [[move(0, 3, 0), move(0, 7, 1), move(0, 8, 1), move(0, 8, 1), move(0, 11, 1)]],
  // Two generations; the end of a child while its parent waits, and without it; an orphan.
  [
    [
      move(0, 8, 0, true),
      move(3, 12, 0),
      move(4, 12, 3),
      move(0, 13, 0),
      move(0, 18, 0),
      move(3, 3, 0),
      move(3, 7, 0),
      move(0, 24, 0),
      move(0, 23, 0),
      move(3, 23, 0),
      move(0, 10, 0),
      move(4, 12, 0),
      move(0, 24, 0),
    ],
  ],
  [[move(0, 10, 0), move(3, 12, 0), move(3, 12, 3), move(3, 12, 1, true)]],
  // What is refused for money, and for calls.
  [[move(0, 19, 2), move(0, 20, 0), move(1, 20, 0), move(2, 20, 0, true), move(3, 20, 0, true)]],
  [[move(0, 19, 2, true), move(0, 20, 0, true), move(1, 20, 0, true), move(2, 20, 0, true)]],
  // A budget: two take from it, one spends, one is refused, one is over.
  [
    [
      move(0, 19, 2),
      move(0, 20, 2),
      move(1, 20, 2),
      move(2, 20, 2),
      move(0, 21, 2),
      move(3, 20, 2),
      move(0, 22, 0),
      move(3, 20, 2, true),
      move(0, 7, 0),
      move(0, 22, 0),
      move(1, 20, 2),
    ],
  ],
  // One is under way: another is refused, put off, or takes its place; and what comes after it sees nothing of it.
  [[move(1, 0, 0), move(1, 2, 0), move(2, 14, 1), move(2, 14, 1, true), move(1, 25, 0)]],
  [[move(1, 0, 0), move(1, 2, 0), move(2, 14, 2), move(2, 2, 0), move(2, 25, 0), move(1, 25, 0)]],
  [[move(1, 14, 2), move(1, 2, 0), move(2, 14, 3), move(2, 25, 0), move(1, 10, 0), move(2, 25, 0)]],
  [[move(1, 14, 1), move(1, 2, 0), move(1, 3, 0), move(2, 15, 1), move(2, 15, 0), move(2, 25, 0)]],
  [[move(1, 0, 0), move(1, 2, 0), move(2, 15, 1), move(2, 2, 0), move(2, 25, 0), move(1, 25, 0)]],
  // Three share two limits; the first ends, and the more urgent of the others is next.
  [
    [
      move(1, 16, 0),
      move(3, 16, 0),
      move(4, 16, 2),
      move(1, 25, 0),
      move(1, 10, 0),
      move(1, 7, 0),
      move(1, 25, 0),
      move(3, 2, 0),
      move(4, 2, 0),
      move(3, 25, 0),
    ],
  ],
  // A run that waits for its place goes on from a run of which nothing more was said.
  [[move(1, 16, 0), move(2, 0, 0), move(2, 25, 3)]],
  // Said three times at length there is no more room; said once, it is known; and after a cancel nobody listens.
  [
    [
      move(0, 17, 0, true),
      move(0, 17, 1, true),
      move(0, 17, 2, true),
      move(0, 17, 3, true),
      move(0, 17, 0, true),
      move(0, 10, 0),
      move(0, 17, 0),
    ],
  ],
  // A pause refuses claims and admissions, of calls that wait and of one whose lease is over; lifted, what it held goes on.
  [
    [
      move(0, 26, 1),
      move(0, 26, 1),
      move(0, 26, 1, true),
      move(0, 8, 0),
      move(0, 27, 1),
      move(0, 8, 0),
      move(0, 28, 0),
      move(0, 8, 0),
    ],
  ],
  [
    [
      move(0, 8, 0),
      move(0, 26, 0),
      move(0, 8, 0),
      move(1, 0, 0),
      move(1, 2, 0),
      move(1, 25, 0),
      move(0, 27, 0),
      move(1, 2, 0),
      move(0, 28, 0),
      move(0, 8, 0),
    ],
  ],
  [[move(1, 16, 1, true), move(3, 16, 1, true), move(3, 25, 0), move(1, 25, 0), move(3, 2, 0)]],
]

const withRoom = ([moved]: [Move[]]): [Move[], number] => [moved, limits.eventsPerRunMax]

/** Sequences of which a short history is part. */
const crowded: [Move[], number][] = [
  // A pause has refused the claim of a call; the run is full when it is claimed again.
  [
    [
      move(0, 26, 0),
      move(0, 8, 0),
      move(0, 0, 0),
      move(0, 9, 0),
      move(0, 0, 0),
      move(0, 0, 0),
      move(0, 8, 0),
    ],
    116,
  ],
]

/** What of an answer must be the same: all of it but the words of a refusal. */
const essence = ({ detail: _detail, ...answer }: AppendResult) => answer

/** One step on both registers: what each answers. */
async function answersTo(
  step: Move,
  { memory, runs }: { readonly memory: Register; readonly runs: readonly RunIds[] },
): Promise<readonly [expected: unknown, actual: unknown]> {
  const run = runs[step.run]
  if (!run) throw new Error(`there is no run ${step.run}`)
  const make = makers[step.kind]
  if (make) {
    const whole = await make(run, step, { register: memory, runs })
    const item = breakers[step.broken ?? -1]?.(whole) ?? whole
    return [essence(await memory.append(item)), essence(await bench.register.append(item))]
  }
  const operate = operations[step.kind - makers.length]?.(run, step, runs)
  return [await operate?.(memory), await operate?.(bench.register)]
}

/** The texts and flags in an answer, and the names of lists that are not empty. */
function wordsOf(answer: unknown, name = ''): string[] {
  if (typeof answer === 'string') return [answer, name]
  if (typeof answer === 'boolean') return [`${name}: ${answer}`]
  if (Array.isArray(answer)) return answer.flatMap((each: unknown) => wordsOf(each, name))
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([key, value]) => wordsOf(value, key))
}

/** What of a run must be the same afterwards: everything that does not say when it was written. */
async function remains(register: Register, run: RunIds) {
  const head = await register.head(run.runId)
  const events = await register.events(run.runId, {})
  const open = await register.openEffects(run.runId)
  const children = await register.children(run.runId)
  return {
    head: head && { ...head, createdAt: 0, updatedAt: 0, dueAt: 0 },
    events: events.map(({ position: _position, ...stored }) => stored),
    children,
    effects: open
      .map(({ effectId, status, attempt, owner, rootId, leaseUntil }) => ({
        effectId,
        status,
        attempt,
        owner,
        rootId,
        leased: leaseUntil !== null,
      }))
      .toSorted((a, b) => a.effectId.localeCompare(b.effectId)),
  }
}

test('both registers answer every sequence of items alike, and keep the same', async () => {
  const words = new Set<string>()
  await fc.assert(
    fc.asyncProperty(moves, histories, async (sequence, eventsMax) => {
      const memory = createMemoryRegister(systemClock, { eventsMax })
      await limitEvents(eventsMax)
      const thread = newRun()
      const tenantId = `tenant-${thread.runId}`
      const { threadId } = thread
      const runs = [{}, { threadId }, { threadId }, {}, {}].map((over) =>
        newRun({ tenantId, ...over }),
      )
      for (const step of [...prelude, ...sequence]) {
        const [expected, actual] = await answersTo(step, { memory, runs })
        expect(actual).toEqual(expected)
        for (const word of wordsOf(actual)) words.add(word)
        await setTimeout(2)
      }
      for (const run of runs)
        expect(await remains(bench.register, run)).toEqual(await remains(memory, run))
    }),
    {
      numRuns: Number(process.env['DIFFERENTIAL_RUNS'] ?? 100),
      examples: [...examples.map(withRoom), ...crowded],
    },
  )
  const all = [
    'ok',
    'exists',
    'conflict',
    'no_run',
    'duplicate',
    'fenced',
    'ended',
    'not_admitted',
    'stale',
    'full',
    'rejected',
    'gone',
    'leased',
    'cancelled',
    'lost',
    'paused',
    'changed',
    'unchanged',
    'no_parent',
    'no_base',
    'busy',
    'superseded',
    'interrupt',
    'rollback',
    'kept: true',
    'kept: false',
    'ended: true',
    'ended: false',
    'settled: true',
    'settled: false',
    'endedChildren',
    'orphans',
    'turns',
    'calls',
    'tokens',
    'money',
  ]
  expect(all.filter((word) => !words.has(word))).toEqual([])
})
