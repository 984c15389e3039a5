/**
 * A pruned conversation, as the model reads it (context systems, §5.2 and §19 "prune"). Would catch: a call that loses its result, a result that
 * comes back with the next turn, an error that is cleared, a fork that reads what was cleared behind it, a prompt that depends on when it is built.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkPairing,
  createProjection,
  type FoldableEvent,
  project,
  spokenText,
} from '../../src/index.ts'
import { casesOf, timeout } from '../support/full.ts'
import { answered, asked, said, text } from '../support/log.ts'
import { lines, promptOf } from '../support/prompt.ts'
import { logOf, turns } from '../support/pruned-logs.ts'
import { numbered, prunedEvent, readingRun, resultOf } from '../support/room.ts'

const long = 'x'.repeat(1_000)
const first = 'r1'
const events = readingRun(first, [long, 'short', long])

/** The answers are events 2, 4 and 6, so the newest turn begins behind event 5. */
const pruned = (through = 5, rule: object = {}): readonly FoldableEvent[] =>
  numbered(first, [...events, prunedEvent({ runId: first, seq: through }, rule)])

const clearedLine =
  '[The result of search, 1000 bytes, was left out to save room. Read it again with read_result {"call":"c_r1_1","offset":0}]'

test('the call stays, and one line says how to read its result again (prune 1)', () => {
  expect(promptOf(pruned())).toEqual([
    'user: Read them.',
    'assistant: tool_call c_r1_1',
    `result c_r1_1 search: ${clearedLine}`,
    'assistant: tool_call c_r1_2',
    'result c_r1_2 search: short',
    'assistant: tool_call c_r1_3',
    `result c_r1_3 search: ${long}`,
  ])
})

test('a model that cannot read it again is told to make the call again', () => {
  expect(promptOf(pruned(5, { readable: false })).join('\n')).toContain(
    'was left out to save room. Make the call again if you need it.]',
  )
})

describe('stays whole (prune 2)', () => {
  test('a result that reports an error', () => {
    const failing = numbered(first, [
      said(['Read.']),
      answered('m1', [asked('c1')]),
      resultOf('c1', long, true),
      answered('m2', [text('done')]),
      prunedEvent({ runId: first, seq: 3 }),
    ])
    expect(promptOf([...failing, ...readingRun('r2', [])]).join('\n')).toContain(long)
  })

  test('one of a tool that is excluded', () => {
    expect(promptOf(pruned(5, { exclude: ['search'] })).join('\n')).not.toContain('left out')
  })

  test('what is short, and what is behind the place', () => {
    expect(promptOf(pruned(1)).join('\n')).not.toContain('left out')
  })

  test('everything, where the place is of a run that the conversation has not heard', () => {
    const elsewhere = [...events, prunedEvent({ runId: 'other', seq: 99 })]
    expect(promptOf(numbered(first, elsewhere)).join('\n')).not.toContain('left out')
  })
})

test('later turns, and later runs of the thread, read the same line', () => {
  const later = [...pruned(), ...readingRun('r2', [long])]
  expect(promptOf(later).filter((line) => line.includes('left out'))).toHaveLength(1)
})

test('a fork from before the prune reads the result (prune 4)', () => {
  const fork = [...events, ...readingRun('fork', [])]
  expect(promptOf(fork).join('\n')).not.toContain('left out')
})

test('a second prune clears what the first left, and touches nothing twice', () => {
  const twice = numbered(first, [
    ...pruned(),
    answered('m4', [asked('c4')]),
    resultOf('c4', long),
    prunedEvent({ runId: first, seq: 8 }, { readable: false }),
  ])
  const left = promptOf(twice).filter((line) => line.includes('left out'))
  expect(left).toHaveLength(2)
  expect(left[0]).toContain('read_result')
})

describe('long messages', () => {
  const words = `begin ${'y'.repeat(9_000)} end`
  const before = numbered(first, [said([words]), answered('m1', [text(words)])])

  test('of earlier runs are shown by head and tail', () => {
    const now = numbered('r2', [said(['Go on.']), prunedEvent({ runId: first, seq: 2 })])
    const shown = promptOf([...before, ...now])
    for (const line of [shown[0], shown[1]]) {
      expect(line).toContain('begin')
      expect(line).toContain('end')
      expect(line).toContain('9010 bytes in all')
      expect(line?.length).toBeLessThan(2_500)
    }
    expect(shown[0]).toContain('read_result {"call":"u0","offset":0}')
    expect(shown[1]).toContain('read_result {"call":"m1","offset":0}')
  })

  test('of this run stay, unless one takes more of the room than it may', () => {
    const now = (ownChars: number) =>
      numbered(first, [said([words]), prunedEvent({ runId: first, seq: 1 }, { ownChars })])
    expect(promptOf(now(50_000)).join('')).toContain(words)
    expect(promptOf(now(8_500)).join('')).toContain('bytes in all')
  })
})

const textOf = (log: readonly FoldableEvent[], id: string) =>
  spokenText(log, id)?.map((part) => (part.type === 'text' ? part.text : part.preview))

describe('what was left out is read by its id', () => {
  test('a result, a message of a user, an answer', () => {
    const log = [...pruned(), ...numbered('r2', [said(['more']), answered('m9', [text('words')])])]
    expect(textOf(log, 'c_r1_1')).toEqual([long])
    expect(textOf(log, 'm9')).toEqual(['words'])
    expect(textOf(log, 'u0')).toEqual(['more'])
  })

  test('nothing of what was stopped, and nothing that is not there', () => {
    const log = numbered(first, [
      said(['Go.']),
      answered('m1', [text('bad')], { verdict: 'safety' }),
    ])
    expect(textOf(log, 'm1')).toBeUndefined()
    expect(textOf(log, 'c1')).toBeUndefined()
  })
})

test('places: each says what would be cleared before it, and what stays behind', () => {
  const projection = createProjection('')
  for (const each of events) projection.take(each)
  const rule = {
    minChars: 1_000,
    exclude: [],
    wordsChars: 8_000,
    ownChars: 50_000,
    readable: true,
  }
  const found = projection.cuts(rule, 3)
  expect(found.map(({ at, turns: behind, results }) => [at.seq, behind, results])).toEqual([
    [7, 0, 2],
    [5, 1, 1],
    [3, 2, 1],
    [1, 3, 0],
  ])
  expect(found[0]?.keptBytes).toBe(0)
  const [, one] = found
  // The newest turn: its call, and 1,000 characters with their quotes.
  expect(one?.keptBytes).toBeGreaterThan(1_002)
  expect(one?.clearedBytes).toBeGreaterThan(800)
  expect(one?.clearedBytes).toBeLessThan(1_000)
})

test('an attempt that failed begins no turn', () => {
  const projection = createProjection('')
  const failed = answered('m_r1_4', [text('hal')], { verdict: 'interrupted' })
  for (const each of numbered(first, [...events, failed])) projection.take(each)
  const rule = { minChars: 1_000, exclude: [], wordsChars: 8_000, ownChars: 50_000, readable: true }
  expect(projection.cuts(rule, 1).map(({ at, turns: behind }) => [at.seq, behind])).toEqual([
    [8, 0],
    [5, 1],
    [3, 2],
    [1, 3],
  ])
})

const numRuns = casesOf(500)

test(
  'P1: whatever is pruned and cut where, calls and results pair',
  () => {
    fc.assert(
      fc.property(fc.array(turns, { minLength: 1, maxLength: 4 }), (runs) => {
        const log = [...logOf(runs), ...numbered('last', [said(['and now?'])])]
        expect(checkPairing(project('Be brief.', log))).toEqual([])
      }),
      { numRuns },
    )
  },
  timeout,
)

/** The requests of a log, a line per message or result, and whether a prune or a cut lies before each. */
function requestsOf(log: readonly FoldableEvent[]) {
  const projection = createProjection('Be brief.')
  const requests: { readonly shown: readonly string[]; readonly isLighter: boolean }[] = []
  let isLighter = false
  for (const each of log) {
    if (each.type === 'model.completed') {
      // The request of the turn, which has all results of those before.
      requests.push({ shown: projection.prompt().flatMap(lines), isLighter })
      isLighter = false
    }
    if (each.type === 'context.pruned' || each.type === 'context.compacted') isLighter = true
    projection.take(each)
  }
  return requests
}

test(
  'P2: a request begins with the one before, unless a prune or a cut lies between (I25)',
  () => {
    fc.assert(
      fc.property(fc.array(turns, { minLength: 1, maxLength: 3 }), (runs) => {
        const requests = requestsOf(logOf(runs))
        for (const [n, { shown, isLighter }] of requests.entries()) {
          const before = isLighter ? [] : (requests[n - 1]?.shown ?? []).slice(0, -1)
          expect(shown.slice(0, before.length)).toEqual(before)
        }
      }),
      { numRuns },
    )
  },
  timeout,
)

test(
  'P3: turn by turn, or at once, it is the same to the byte',
  () => {
    fc.assert(
      fc.property(fc.array(turns, { minLength: 1, maxLength: 3 }), (runs) => {
        const log = logOf(runs)
        const projection = createProjection('Be brief.')
        for (const each of log) {
          projection.take(each)
          projection.prompt()
        }
        expect(JSON.stringify(projection.prompt())).toBe(JSON.stringify(project('Be brief.', log)))
      }),
      { numRuns },
    )
  },
  timeout,
)
