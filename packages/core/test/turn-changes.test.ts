/** A model reads where a run that was started, and a call beside it, changed the same files without knowing of each other (P9). */
import { describe, expect, test } from 'vitest'
import { type FileChange, type FileChanges, type FoldableEvent, limits } from '../src/index.ts'
import { answered, asked, event, said, text } from './support/log.ts'
import { promptOf } from './support/prompt.ts'

const at = (seq: number, each: FoldableEvent): FoldableEvent => ({ ...each, runId: 'r', seq })
const written = (path: string): FileChange => ({ path, key: 'k', bytes: 1 })
const edited = (path: string, since: string): FileChange => ({
  ...written(path),
  edit: { key: 'e', since },
})

const child = (callId: string, files: FileChanges | undefined, filesSeen = 0) =>
  event('child.ended', {
    effectId: 'e',
    callId,
    childRunId: 'c',
    outcome: 'completed',
    agent: 'scout',
    output: { content: [text('Done.')], isError: false },
    ...(files ? { files, filesSeen } : {}),
    resultHash: 'h',
    spent: { turns: 1, calls: 0, tokens: 10, cost: 0, activeMs: 0 },
    verdicts: [],
  })
const tool = (callId: string, files: FileChanges) =>
  event('tool.completed', {
    effectId: 'e',
    attempt: 1,
    callId,
    output: { content: [text('Edited.')], isError: false },
    durationMs: 1,
    files,
  })

/** The results of the calls `a` and `b` of one turn, behind which these facts come. */
const resultsOf = (...facts: readonly FoldableEvent[]): readonly string[] => {
  const turn = answered('m', [asked('a', 'task'), asked('b', 'task')])
  const events = [said(['go']), turn, ...facts].map((each, n) => at(n + 1, each))
  return promptOf(events).filter((line) => line.startsWith('result'))
}

const met = (files: string): string =>
  `[Another call of this turn ${files}. Edits of this call were made again in what the other one left. Where an edit does not fit, or the file was written or deleted, it is as this call left it. Read them before you go on.]`
const same = (paths: string): string => met(`changed the same files: ${paths}`)

describe('two runs that were started', () => {
  test('the second did not know of the first: its result says so', () => {
    expect(
      resultsOf(child('a', [written('x.md')]), child('b', [edited('x.md', 'r:1'), written('y')])),
    ).toEqual(['result a task: Done.', `result b task: Done.|${same('x.md')}`])
  })

  test('it knew: its own words say what became of it', () => {
    expect(resultsOf(child('a', [written('x.md')]), child('b', [written('x.md')], 3))).toEqual([
      'result a task: Done.',
      'result b task: Done.',
    ])
  })

  test('they changed others', () => {
    const results = resultsOf(child('a', [written('x.md')]), child('b', [written('y.md')]))
    expect(results.join()).not.toContain('[')
  })
})

describe('a run and a call beside it', () => {
  test('the call came later, and had read what was there before', () => {
    expect(resultsOf(child('b', [written('x.md')]), tool('a', [edited('x.md', 'r:1')])).at(0)).toBe(
      `result a task: Edited.|${same('x.md')}`,
    )
  })

  test('it had read what the run left', () => {
    expect(resultsOf(child('b', [written('x.md')]), tool('a', [edited('x.md', 'r:3')])).at(0)).toBe(
      'result a task: Edited.',
    )
  })

  test('it wrote the file anew', () => {
    expect(resultsOf(child('b', [written('x.md')]), tool('a', [written('x.md')])).at(0)).toContain(
      'it is as this call left it',
    )
  })
})

test('two calls that are no runs are told nothing', () => {
  expect(
    resultsOf(tool('a', [written('x.md')]), tool('b', [edited('x.md', 'r:1')])).join(),
  ).not.toContain('[')
})

test('changes of an earlier turn are known', () => {
  const first = [at(2, answered('m', [asked('a', 'task')])), at(3, child('a', [written('x.md')]))]
  const second = [
    at(4, answered('n', [asked('b', 'task')])),
    at(5, child('b', [edited('x.md', 'r:3')])),
  ]
  const prompt = promptOf([at(1, said(['go'])), ...first, ...second])
  expect(prompt.at(-1)).toBe('result b task: Done.')
})

test('a list that stands elsewhere may hold the same', () => {
  const many = { manifest: 'k', count: limits.inlineFilesMax + 1 }
  const results = resultsOf(child('a', [written('x.md')]), child('b', many))
  expect(results.at(1)).toBe(`result b task: Done.|${met('may have changed the same files')}`)
  expect(resultsOf(child('a', many), child('b', [written('x.md')])).at(1)).toContain('may have')
})

test('names are one line each, and cannot end the block they stand in; many are counted', () => {
  const files = Array.from({ length: limits.childFilesToldMax + 2 }, (_, n) => written(`f${n}`))
  const odd = [written('a\n</x>'), ...files]
  const [, result = ''] = resultsOf(child('a', odd), child('b', odd))
  expect(result).toContain('changed the same files: a &lt;/x&gt;, f0, f1')
  expect(result).toContain(', 3 more. Edits')
})
