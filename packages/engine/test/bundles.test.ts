/**
 * Files of skills in a register (context-systems §9 "pinned", §19 skills 1). Would catch: a list of files whose contents are not there, content that is
 * stored for each run, bytes that were changed and are used all the same, a run of which no worker has the files.
 */
import { createBundles, type OwnBundles, type SkillBundle } from '@signalbox/engine'
import { bundleOf } from '@signalbox/engine'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TerminalError } from '../src/errors.ts'
import { bundleOfTexts } from './support/skills.ts'

const pdf = bundleOfTexts({ 'SKILL.md': 'Do.', 'scripts/a.sh': 'echo a', 'b.txt': 'echo a' })
const pinning = (...bundles: readonly SkillBundle[]) => ({
  skills: bundles.map(({ digest }, n) => ({
    name: `s${n}`,
    description: 'd',
    digest,
    tools: null,
  })),
})

/** The blobs of a register, and in which order they came. */
function shelf() {
  const blobs = new Map<string, Uint8Array>()
  const stored: string[] = []
  return {
    blobs,
    stored,
    register: {
      blob: async (_place: object, key: string) => {
        const bytes = blobs.get(key)
        return bytes ? { mime: 'x', bytes } : null
      },
      putBlob: async (place: object, { key, bytes }: { key: string; bytes: Uint8Array }) => {
        // No tenant and no thread can have these names.
        expect(place).toEqual({ tenantId: '', threadId: '' })
        stored.push(key)
        blobs.set(key, bytes)
      },
    },
    open(own: OwnBundles = () => null) {
      return createBundles({ register: this.register, own })
    },
  }
}

const having =
  (...bundles: readonly SkillBundle[]): OwnBundles =>
  (digest) =>
    bundles.find((each) => each.digest === digest) ?? null

it('are kept by the process that has them, and read by those that have not', async () => {
  const at = shelf()
  await at.open(having(pdf)).keep(pinning(pdf))
  const read = await at.open().read(pdf)
  expect(read?.digest).toBe(pdf.digest)
  expect(read?.files).toEqual(pdf.files)
  expect(read?.files.map(({ path, executable }) => `${path} ${executable}`)).toEqual([
    'SKILL.md false',
    'b.txt false',
    'scripts/a.sh true',
  ])
})

it('are kept contents first, each once, and not again by the next process', async () => {
  const at = shelf()
  const other = bundleOfTexts({ 'SKILL.md': 'Do.', 'c.txt': 'other' })
  await at.open(having(pdf, other)).keep(pinning(pdf))
  expect(at.stored.at(-1)).toBe(`skill:${pdf.digest}`)
  // Two files of one content are one.
  expect(at.blobs.size).toBe(3)
  await at.open(having(pdf, other)).keep(pinning(pdf, other))
  expect(at.stored.filter((key) => key === `skill:${pdf.digest}`)).toHaveLength(1)
  expect(at.blobs.size).toBe(5)
})

it('that nobody has and nobody kept refuse the run', async () => {
  const keeping = shelf().open().keep(pinning(pdf))
  await expect(keeping).rejects.toThrow(TerminalError)
  await expect(shelf().open().keep(pinning(pdf))).rejects.toThrow('the files of the skill "s0"')
})

it.each([
  ['a content was changed', 'skill-file:', () => Buffer.from('echo b')],
  ['the list was changed', 'skill:', () => Buffer.from('[]')],
  ['the list is no list', 'skill:', () => Buffer.from('{')],
  ['a content is gone', 'skill-file:', () => null],
  ['the list is gone', 'skill:', () => null],
])('are not there where %s', async (_, prefix, changed) => {
  const at = shelf()
  await at.open(having(pdf)).keep(pinning(pdf))
  for (const key of [...at.blobs.keys()].filter((each) => each.startsWith(prefix))) {
    const bytes = changed()
    if (bytes) at.blobs.set(key, bytes)
    else at.blobs.delete(key)
  }
  expect(await at.open().read(pdf)).toBeNull()
})

/** The same of files by their names. */
const as = (list: readonly { path: string; bytes: Uint8Array; executable: boolean }[]) =>
  JSON.stringify(
    list
      .map(({ path, bytes, executable }) => [path, [...bytes], executable])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )

it('property: have a digest of names, contents and what may be executed, in whatever order they were read', () => {
  const file = fc.record({
    path: fc.stringMatching(/^[a-c]{1,3}$/),
    bytes: fc.uint8Array({ maxLength: 3 }),
    executable: fc.boolean(),
  })
  const files = fc.uniqueArray(file, { selector: ({ path }) => path, maxLength: 5 })
  fc.assert(
    fc.property(files, files, (one, other) => {
      expect(bundleOf(one).digest).toBe(bundleOf(one.toReversed()).digest)
      expect(bundleOf(one).digest === bundleOf(other).digest).toBe(as(one) === as(other))
    }),
  )
})
