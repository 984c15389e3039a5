/**
 * What is forgotten does not compile: an event without an entry in the catalogue, a kind of effect without one in the registry. Would catch
 * a place that takes any type and does nothing with what it does not know.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyWorkspace } from '../package/workspace-copy.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'signalbox-recipes-'))
beforeAll(() => copyWorkspace(root, copy), 120_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Compiles core and engine of the copy. Answers what the compiler says; empty if it is content. */
function compiled(): string {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '-b', 'packages/engine', '--pretty', 'false']
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  return status === 0 ? '' : stdout
}

/** Replaces a text of a file of the copy, for as long as `look` takes. */
function edited(file: string, [find, put]: readonly [string, string], look: () => void): void {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  expect(text.split(find)).toHaveLength(2)
  writeFileSync(path, text.replace(find, put))
  try {
    look()
  } finally {
    writeFileSync(path, text)
  }
}

describe('a copy of the sources', () => {
  it('compiles', () => expect(compiled()).toBe(''))

  it.each([
    ['fact', "  'run.admitted': z.object({}),", 'facts.ts'],
    ['decision', "  'event.ignored': z.object({", 'decisions.ts'],
    ['note', "  'run.hidden': z.object({}),", 'notes.ts'],
  ])('does not with a %s that has no entry in the catalogue', (kind, before, entries) => {
    const edit = [before, `  'scratch.told': z.object({}),\n${before}`] as const
    edited(`packages/core/src/event/${kind}.ts`, edit, () => {
      const said = compiled()
      expect(said).toContain(`event/entries/${entries}`)
      expect(said).toContain("'scratch.told'")
    })
  })

  it('does not with a kind of effect that has no traits, or no entry in the registry', () => {
    const file = 'packages/core/src/effect.ts'
    const schema = "  z.object({ ...base, kind: z.literal('scratch.done') }),"
    const kinds = 'export const EffectKind = z.enum(['
    const kind = [kinds, `${kinds}\n  'scratch.done',`] as const
    const effects = "export const Effect = z.discriminatedUnion('kind', ["
    const union = [effects, `${effects}\n${schema}`] as const
    const before = "  'policy.evaluate': { node: 'guardrail', dispatch: null },"
    const traits = [before, `${before}\n  'scratch.done': { node: null, dispatch: null },`] as const
    edited(file, kind, () =>
      edited(file, union, () => {
        const unknown = compiled()
        expect(unknown).toContain(file)
        expect(unknown).toContain('scratch.done')
        edited(file, traits, () => {
          const unperformed = compiled()
          expect(unperformed).toContain('engine/src/effects/kinds.ts')
          expect(unperformed).toContain('scratch.done')
        })
      }),
    )
  })
}, 300_000)
