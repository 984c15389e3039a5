/**
 * The changes of a run as one change per file: whoever folds them in the place of the events has the same files, with the same contents. Played on
 * files whose contents are lines, and edits that turn one line into another.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type FileChange,
  type FileEvent,
  foldFiles,
  type FileTree,
  netChanges,
  type TreeFile,
} from '../src/index.ts'

/** The contents behind the keys: texts, and lists of edits. */
class Blobs {
  readonly texts = new Map<string, string>()
  readonly edits = new Map<string, readonly (readonly [string, string])[]>()

  text(words: string): string {
    const key = `t${this.texts.size}`
    this.texts.set(key, words)
    return key
  }

  edit(...pairs: readonly (readonly [string, string])[]): string {
    const key = `e${this.edits.size}`
    this.edits.set(key, pairs)
    return key
  }

  /** Edits that do not fit give way to what their author had. */
  content({ key, edits }: TreeFile): string {
    return edits.reduce(
      (words, edit) => {
        const made = (this.edits.get(edit.key) ?? []).reduce<string | null>(
          (text, [from, to]) => (text?.includes(from) ? text.replace(from, to) : null),
          words,
        )
        return made ?? this.texts.get(edit.after) ?? ''
      },
      this.texts.get(key) ?? '',
    )
  }

  tree(files: FileTree): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...files].toSorted().map(([path, file]) => [path, this.content(file)]),
    )
  }
}

/** A step of somebody: writes, edits or removes a file, on the files as they were some steps before. */
interface Step {
  readonly path: string
  readonly does: 'write' | 'edit' | 'remove'
  readonly mark: number
  readonly late: number
}

const step = fc.record<Step>({
  path: fc.constantFrom('a', 'b', 'a/c', 'd/e', 'd'),
  does: fc.constantFrom('write', 'edit', 'edit', 'edit', 'remove'),
  mark: fc.nat(99),
  late: fc.nat(2),
})

/** The events that the steps make behind a tree, as calls that run side by side do. */
function play(blobs: Blobs, before: FileTree, who: string, steps: readonly Step[]) {
  const trees: FileTree[] = [before]
  const events: FileEvent[] = []
  for (const [n, { path, does, mark, late }] of steps.entries()) {
    const seen = trees[Math.max(0, trees.length - 1 - late)] ?? before
    const changes = changeOf(blobs, seen, { path, does, words: `${who}${n}.${mark}` })
    events.push({ at: `${who}:${n + 1}`, changes })
    trees.push(foldFiles(before, events))
  }
  return { events, after: trees.at(-1) ?? before }
}

function changeOf(
  blobs: Blobs,
  seen: FileTree,
  {
    path,
    does,
    words,
  }: { readonly path: string; readonly does: Step['does']; readonly words: string },
): readonly FileChange[] {
  const known = seen.get(path)
  if (does === 'remove') return known ? [{ path, key: null, bytes: 0 }] : []
  if (does === 'write' || !known) {
    const key = blobs.text(`head\n${words}\n`)
    return [{ path, key, bytes: 1 }]
  }
  // The last line is another one: fits as long as nobody else has changed that line.
  const content = blobs.content(known)
  const last = content.split('\n').at(-2) ?? ''
  const edit: readonly [string, string] = [`${last}\n`, `${last}\n${words}\n`]
  const key = blobs.text(content.replace(edit[0], edit[1]))
  return [{ path, key, bytes: 1, edit: { key: blobs.edit(edit), since: known.state } }]
}

/** The changes in one event, as a parent takes them over. What is edited once more beside it is its content by now. */
function joined(blobs: Blobs, before: FileTree, events: readonly FileEvent[]): FileEvent {
  const changes = netChanges(before, events).map(
    ({ path, file, before: was, edits }): FileChange => {
      if (!file) return { path, key: null, bytes: 0 }
      const key = file.edits.length === 0 ? file.key : blobs.text(blobs.content(file))
      const pairs = (edits ?? []).flatMap((each) => blobs.edits.get(each) ?? [])
      const edit = edits && was ? { edit: { key: blobs.edit(...pairs), since: was.state } } : {}
      return { path, key, bytes: 1, ...edit }
    },
  )
  return { at: 'parent:9', changes }
}

const steps = fc.array(step, { maxLength: 6 })

test('one change per file makes the same files', () => {
  fc.assert(
    fc.property(steps, steps, (first, own) => {
      const blobs = new Blobs()
      const base = play(blobs, new Map(), 'parent', first).after
      const { events, after } = play(blobs, base, 'child', own)
      const net = joined(blobs, base, events)
      expect(blobs.tree(foldFiles(base, [net]))).toEqual(blobs.tree(after))
      expect(new Set(net.changes.map(({ path }) => path)).size).toBe(net.changes.length)
    }),
    { numRuns: 500 },
  )
})

test('merges of several runs are folded in the order of their events, whatever was folded before, and once', () => {
  fc.assert(
    fc.property(steps, fc.array(steps, { maxLength: 3 }), (first, children) => {
      const blobs = new Blobs()
      const base = play(blobs, new Map(), 'parent', first).after
      const merges = children.map((own, n) => {
        const { events } = play(blobs, base, `child${n}`, own)
        return { ...joined(blobs, base, events), at: `parent:${20 + n}` }
      })
      const whole = foldFiles(base, merges)
      const oneByOne = merges.reduce<FileTree>((tree, merge) => foldFiles(tree, [merge]), base)
      expect([...oneByOne]).toEqual([...whole])
      // Each edit of each run stands in a file at most once.
      for (const words of Object.values(blobs.tree(whole))) {
        const lines = words.split('\n').filter((line) => line.startsWith('child'))
        expect(new Set(lines).size).toBe(lines.length)
      }
    }),
    { numRuns: 500 },
  )
})

const file = (state: string, key = 'k'): TreeFile => ({
  key,
  bytes: 1,
  executable: false,
  state,
  edits: [],
})
const edited = (path: string, key: string, since: string): FileChange => ({
  path,
  key,
  bytes: 2,
  edit: { key: `edit of ${key}`, since },
})

test('a file that was only edited is told by all its edits, in order', () => {
  const base = new Map([['a', file('p:1')]])
  const events = [
    { at: 'c:1', changes: [edited('a', 'k1', 'p:1')] },
    { at: 'c:2', changes: [edited('a', 'k2', 'c:1')] },
  ]
  expect(netChanges(base, events)).toMatchObject([
    { path: 'a', edits: ['edit of k1', 'edit of k2'], file: { key: 'k2', state: 'c:2' } },
  ])
})

test('one that was written in between is told by its content; so is one that is new', () => {
  const base = new Map([['a', file('p:1')]])
  const written = { path: 'a', key: 'k1', bytes: 1 }
  const events = [
    { at: 'c:1', changes: [edited('a', 'k0', 'p:1')] },
    { at: 'c:2', changes: [written, { ...written, path: 'b' }] },
    { at: 'c:3', changes: [edited('a', 'k2', 'c:2'), edited('b', 'k3', 'c:2')] },
  ]
  expect(netChanges(base, events)).toMatchObject([
    { path: 'a', edits: null, file: { key: 'k2' } },
    { path: 'b', edits: null, before: null },
  ])
})

test('removals come first; a file that came and went is no change', () => {
  const base = new Map([
    ['z', file('p:1')],
    ['y', file('p:2')],
  ])
  const events = [
    { at: 'c:1', changes: [{ path: 'a', key: 'k', bytes: 1 }] },
    {
      at: 'c:2',
      changes: [
        { path: 'b', key: 'k', bytes: 1 },
        { path: 'z', key: null, bytes: 0 },
      ],
    },
    { at: 'c:3', changes: [{ path: 'b', key: null, bytes: 0 }] },
  ]
  expect(netChanges(base, events).map(({ path, file: is }) => [path, is?.key ?? null])).toEqual([
    ['z', null],
    ['a', 'k'],
  ])
  expect(netChanges(base, [])).toEqual([])
})

test('a directory that became a file takes what stood in it along', () => {
  const base = new Map([['d/a', file('p:1')]])
  const net = netChanges(base, [{ at: 'c:1', changes: [{ path: 'd', key: 'k', bytes: 1 }] }])
  expect(net.map(({ path, file: is }) => [path, is !== null])).toEqual([
    ['d/a', false],
    ['d', true],
  ])
})
