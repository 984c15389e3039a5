/**
 * Files as a fold of what calls changed. Would catch: a tree that depends on the machine, an edit that is lost beside another,
 * a file that outlives a rollback, a link that leads out, half of what a call did.
 */
import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FileEvent, limits } from '@signalbox/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SnapshotWorkspaces } from '../src/workspace/snapshot-workspaces.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { temporaryDirectory } from './hosting.ts'
import { type SnapshotStore, snapshotStore } from './snapshot-store.ts'

/** Threads on one store, and machines with places of their own. */
function scene(base: string, store: SnapshotStore = snapshotStore()) {
  let calls = 0
  const open = (events: readonly FileEvent[]) =>
    new SnapshotWorkspaces({ base }).open({ files: store.files(events) })
  /** One call after these events: what the log is after it. */
  const call = async (
    events: readonly FileEvent[],
    use: (workspace: Workspace) => Promise<unknown>,
  ): Promise<readonly FileEvent[]> => {
    const { workspace, close } = open(events)
    await use(workspace)
    const drafts = await close()
    return drafts.length === 0 ? events : [...events, store.keep(`run:${++calls}`, drafts)]
  }
  const text = async (events: readonly FileEvent[], path: string): Promise<string> => {
    const read = await open(events).workspace.readFile(path)
    return read.ok ? read.value : `(${read.code})`
  }
  return { open, call, text, store }
}

/** What one call does, given the log as it was when the call began; several began at the same time. */
const together = (
  start: readonly FileEvent[],
  ...ends: readonly (readonly FileEvent[])[]
): readonly FileEvent[] => [...start, ...ends.flatMap((end) => end.slice(start.length))]

describe('calls side by side', () => {
  it('keep both edits of one file; of two that write it the later wins, as where an edit no longer fits', async () => {
    const { call, text, open } = scene(await temporaryDirectory())
    const start = await call([], (w) => w.writeFile('f', 'one two three'))
    const edit = (from: string, to: string) => call(start, (w) => w.replace('f', from, to))
    const [one, three, whole] = [
      await edit('one', '1'),
      await edit('three', 'THREE'),
      await edit('one two', '!'),
    ]
    const both = together(start, one, three)
    expect(await text(both, 'f')).toBe('1 two THREE')
    expect(await text(together(start, three, one), 'f')).toBe('1 two THREE')
    expect(await open(both).workspace.ls('.')).toMatchObject({
      value: { entries: [{ bytes: 11 }] },
    })
    expect(await text(together(start, one, whole), 'f')).toBe('! three')
    const written = await call(start, (w) => w.writeFile('f', 'three'))
    expect(await text(together(start, written, three), 'f')).toBe('THREE')
    expect(await text(together(start, three, written), 'f')).toBe('three')
    // A later call sees what they made together, and is alone with it.
    const after = await call(both, (w) => w.replace('f', 'two', '2'))
    expect(await text(after, 'f')).toBe('1 2 THREE')
  })

  it('leave no path a file and a directory at once, and an edit brings back what another removed', async () => {
    const { call, text } = scene(await temporaryDirectory())
    const file = await call([], (w) => w.writeFile('a', 'file'))
    const below = await call([], (w) => w.writeFile('a/b', 'below'))
    expect(await text(together([], file, below), 'a/b')).toBe('below')
    expect(await text(together([], file, below), 'a')).toBe('(not_a_file)')
    expect(await text(together([], below, file), 'a')).toBe('file')
    expect(await text(together([], below, file), 'a/b')).toBe('(not_a_directory)')
    const edited = await call(file, (w) => w.replace('a', 'file', 'edited'))
    const removed = await call(file, (w) => w.inDirectory((place) => rm(join(place, 'a'))))
    expect(await text(together(file, removed, edited), 'a')).toBe('edited')
    expect(await text(together(file, edited, removed), 'a')).toBe('(not_found)')
  })
})

describe('a call', () => {
  it('changes nothing before it is over, and nothing after', async () => {
    const { open } = scene(await temporaryDirectory())
    const { workspace, close } = open([])
    await workspace.writeFile('a', 'x')
    expect(await open([]).workspace.readFile('a')).toMatchObject({ code: 'not_found' })
    const pending = workspace.inDirectory((place) => writeFile(join(place, 'late'), 'x'))
    expect((await close()).map(({ path }) => path)).toEqual(['a'])
    expect(await pending).toMatchObject({ ok: false, code: 'no_workspace' })
    expect(await workspace.writeFile('b', 'x')).toMatchObject({ ok: false, code: 'no_workspace' })
  })

  it('reads an erased file as gone, and may write it anew', async () => {
    const { call, text, store, open } = scene(await temporaryDirectory())
    const start = await call([], async (w) => {
      await w.writeFile('secret', 'x')
      await w.writeFile('rest', 'y')
    })
    store.blobs.delete(start[0]?.changes[0]?.key ?? '')
    expect(await text(start, 'secret')).toBe('(gone)')
    const listed = await open(start).workspace.inDirectory((place) => readdir(place))
    expect(listed).toEqual({ ok: true, value: ['rest'] })
    // What was not written out was not removed either.
    const used = await call(start, (w) => w.inDirectory((place) => writeFile(join(place, 'n'), '')))
    expect(await text(used, 'secret')).toBe('(gone)')
    expect(await text(await call(used, (w) => w.writeFile('secret', 'new')), 'secret')).toBe('new')
  })

  it('is told where its files end: too many, or too large, and nothing of it is kept', async () => {
    const { call, open } = scene(await temporaryDirectory())
    const large = Buffer.alloc(limits.toolResultBytesMax, 'x').toString()
    const { workspace, close } = open([])
    for (const n of [1, 2, 3, 4])
      expect(await workspace.writeFile(`${n}`, large)).toMatchObject({ ok: true })
    expect(await workspace.writeFile('5', 'x')).toMatchObject({ ok: false, code: 'full' })
    expect(await workspace.writeFile('4', 'x')).toMatchObject({ ok: true })
    expect(await workspace.writeFile('5', 'x')).toMatchObject({ ok: true })
    expect(await close()).toHaveLength(5)
    const many = await call([], async (w) => {
      await w.writeFile('first', 'x')
      const refused = await w.inDirectory(async (place) => {
        const names = Array.from({ length: limits.filesPerCallMax }, (_, n) => join(place, `${n}`))
        await Promise.all(names.map((name) => writeFile(name, '')))
      })
      expect(refused).toMatchObject({ ok: false, code: 'full' })
    })
    expect(many[0]?.changes.map(({ path }) => path)).toEqual(['first'])
    const tree = new Map(Array.from({ length: limits.filesMax }, (_, n) => [`${n}`, file]))
    const full = new SnapshotWorkspaces().open({
      files: { tree: async () => tree, read: async () => null },
    }).workspace
    expect(await full.writeFile('one-more', '')).toMatchObject({ ok: false, code: 'full' })
    expect(await full.writeFile('7', 'x')).toMatchObject({ ok: true })
  })
})

const file = { key: 'k', bytes: 1, executable: false, state: 's', edits: [] }

describe('a directory that is handed out', () => {
  it('is private, used once, and leaves nothing; what a crash left is removed when it is old', async () => {
    const base = await temporaryDirectory()
    const [old, fresh, foreign] = ['signalbox-files-old', 'signalbox-files-new', 'other-old'].map(
      (name) => join(base, name),
    )
    if (!old || !fresh || !foreign) throw new Error('three places')
    for (const place of [old, fresh, foreign]) await mkdir(place)
    const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000)
    for (const place of [old, foreign]) await utimes(place, longAgo, longAgo)
    const { open } = scene(base)
    const use = () =>
      open([]).workspace.inDirectory(async (place) => [place, (await stat(place)).mode & 0o777])
    const [one, two] = await Promise.all([use(), use()])
    expect(one).toMatchObject({ ok: true, value: [expect.any(String), 0o700] })
    expect(one).not.toEqual(two)
    expect((await readdir(base)).sort()).toEqual(['other-old', 'signalbox-files-new'])
  })

  it('keeps no link, second name, pipe or empty directory, and refuses a name that not all systems have', async () => {
    const base = await temporaryDirectory()
    const { call, text, open } = scene(base)
    const outside = join(base, 'secret')
    await writeFile(outside, 'secret')
    await mkdir(join(base, 'away'))
    await writeFile(join(base, 'away/inner'), 'secret')
    const start = await call([], async (w) => {
      await w.writeFile('was-file', 'x')
      await w.writeFile('was/dir', 'x')
    })
    const after = await call(start, (w) =>
      w.inDirectory(async (place) => {
        await symlink(outside, join(place, 'link'))
        await link(outside, join(place, 'hard'))
        await rm(join(place, 'was-file'))
        await symlink(outside, join(place, 'was-file'))
        await rm(join(place, 'was'), { recursive: true })
        await symlink(join(base, 'away'), join(place, 'was'))
        await mkdir(join(place, 'empty'))
        execFileSync('mkfifo', [join(place, 'pipe')])
        await writeFile(join(place, 'real'), 'x')
      }),
    )
    expect(after[1]?.changes.map(({ path, key }) => [path, key !== null])).toEqual([
      ['real', true],
      ['was-file', false],
      ['was/dir', false],
    ])
    expect(await text(after, 'was/inner')).toBe('(not_found)')
    const { workspace, close } = open(after)
    const odd = await workspace.inDirectory(async (place) => {
      await writeFile(join(place, 'a'), 'x')
      await writeFile(join(place, 'b:c'), 'x')
    })
    expect(odd).toMatchObject({
      ok: false,
      code: 'bad_path',
      message: expect.stringMatching(/^b:c: /),
    })
    expect(await close()).toEqual([])
  })
})

type Model = ReadonlyMap<string, { readonly bytes: Buffer; readonly executable: boolean }>

const paths = ['a', 'a/b', 'b', 'ü/日本', 'deep/er/and/deeper/f', '🚂.txt', 'Ａ', 'empty']
const path = fc.constantFrom(...paths)
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      path,
      text: fc.string({ unit: 'binary' }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('replace' as const), path, text: fc.string() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('program' as const),
      path,
      bytes: fc.uint8Array({ maxLength: 40 }),
      executable: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  // To a moment before: what came after it was rolled back, or goes on in another thread.
  { weight: 2, arbitrary: fc.record({ do: fc.constant('back' as const), to: fc.nat() }) },
)

const without = (model: Model, gone: string): Model =>
  new Map([...model].filter(([each]) => each !== gone && !each.startsWith(`${gone}/`)))

/** Nothing above a new file is one. */
const withFile = (model: Model, at: string, bytes: Buffer, executable: boolean): Model => {
  const above = at.split('/').map((_, n, names) => names.slice(0, n).join('/'))
  const rest = [...without(model, at)].filter(([each]) => !above.includes(each))
  return new Map([...rest, [at, { bytes, executable }]])
}

async function filesIn(place: string): Promise<Model> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return new Map(
    await Promise.all(
      files.map(async (entry) => {
        const whole = join(entry.parentPath, entry.name)
        const executable = ((await stat(whole)).mode & 0o100) !== 0
        return [
          whole.slice(place.length + 1),
          { bytes: await readFile(whole), executable },
        ] as const
      }),
    ),
  )
}

const sorted = (model: Model) => [...model].sort(([a], [b]) => (a < b ? -1 : 1))

it('any calls, taken back or gone on from anywhere, leave on every machine what a model says', async () => {
  const base = await temporaryDirectory()
  const machines = await Promise.all(
    ['one', 'two'].map(async (name) => {
      await mkdir(join(base, name))
      return name
    }),
  )
  const counts = { back: 0, removed: 0, refused: 0 }
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 14 }),
    async (steps) => {
      const { call, store } = scene(join(base, 'one'))
      const moments: { readonly events: readonly FileEvent[]; readonly model: Model }[] = [
        { events: [], model: new Map() },
      ]
      for (const each of steps) {
        const now = moments.at(-1)
        if (!now) throw new Error('there is always a moment')
        if (each.do === 'back') {
          const then = moments[each.to % moments.length]
          if (then) moments.push(then)
          counts.back++
          continue
        }
        let { model } = now
        const events = await call(now.events, async (w) => {
          if (each.do === 'write') {
            const written = await w.writeFile(each.path, each.text)
            const bytes = Buffer.from(each.text.toWellFormed())
            const executable = model.get(each.path)?.executable === true
            if (written.ok) model = withFile(model, each.path, bytes, executable)
            else counts.refused++
          } else if (each.do === 'replace') {
            const was = model.get(each.path)
            const text = was?.bytes.toString() ?? ''
            const replaced = await w.replace(each.path, text, `${each.text}${text}`)
            if (replaced.ok && was)
              model = withFile(model, each.path, Buffer.from(`${each.text}${text}`), was.executable)
          } else {
            if (each.do === 'remove' && model.has(each.path)) counts.removed++
            await w.inDirectory(async (place) => {
              const whole = join(place, each.path)
              await rm(whole, { recursive: true, force: true }).catch(() => undefined)
              if (each.do === 'remove') return
              await mkdir(dirname(whole), { recursive: true }).catch(async () => {
                // A file stands above.
                await rm(dirname(whole), { force: true })
                await mkdir(dirname(whole), { recursive: true })
              })
              await writeFile(whole, each.bytes)
              await chmod(whole, each.executable ? 0o755 : 0o644)
            })
            model =
              each.do === 'remove'
                ? without(model, each.path)
                : withFile(model, each.path, Buffer.from(each.bytes), each.executable)
          }
        })
        moments.push({ events, model })
      }
      const last = moments.at(-1)
      for (const machine of machines) {
        const found = await scene(join(base, machine), store)
          .open(last?.events ?? [])
          .workspace.inDirectory(filesIn)
        expect(found.ok && sorted(found.value)).toEqual(sorted(last?.model ?? new Map()))
      }
    },
  )
  // What chance may leave out.
  const example: Parameters<typeof property.run>[0][0] = [
    { do: 'write', path: 'a', text: 'x' },
    { do: 'write', path: 'a/b', text: 'refused' },
    { do: 'remove', path: 'a' },
    { do: 'back', to: 1 },
  ]
  await fc.assert(property, { numRuns: 60, examples: [[example]] })
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0)
  expect((await Promise.all(machines.map((name) => readdir(join(base, name))))).flat()).toEqual([])
})
