/**
 * The recipes work: each is followed by a patch that is applied to a copy of the sources, compiles, passes the test that it brings, and touches few
 * of the files that are shipped. Would catch: a change after which an event, a check, an effect or a step before the model needs another place
 * that nobody tells of.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyWorkspace } from '../package/workspace-copy.ts'
import { patchPath, type Recipe, recipes, root, shipped, touched } from './recipe.ts'

const copy = mkdtempSync(join(tmpdir(), 'signalbox-recipes-'))
beforeAll(() => copyWorkspace(root, copy), 120_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Runs a program in the copy. Answers what it says, empty if it is content. */
function said(program: string, ...args: readonly string[]): string {
  const { NODE_OPTIONS: _own, VITEST: _ours, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: copy, encoding: 'utf8', env })
  return status === 0 ? '' : `${stdout}${stderr}` || `it ended with ${status}`
}

const node = (...args: readonly string[]): string => said(process.execPath, ...args)
const library = (...path: readonly string[]): string => join(root, 'node_modules', ...path)
const apply = (recipe: Recipe, ...how: readonly string[]): string =>
  said('git', 'apply', ...how, patchPath(recipe))

describe.each(recipes)(
  'the recipe "$name"',
  (recipe) => {
    const own = touched(recipe).filter((path) => path.endsWith('.test.ts'))

    it(`touches no more than ${recipe.filesMax} files that are shipped`, () => {
      const files = shipped(touched(recipe))
      expect(files.length).toBeGreaterThan(0)
      expect(files.length, files.join('\n')).toBeLessThanOrEqual(recipe.filesMax)
      expect(own.length).toBeGreaterThan(0)
    })

    it('applies, compiles, is documented, and passes its own test', () => {
      const renew = `test/recipes/${recipe.name}.patch no longer applies: renew it with "node test/recipes/renew.ts ${recipe.name}"`
      expect(apply(recipe), renew).toBe('')
      try {
        const tsc = [library('typescript', 'bin', 'tsc'), '-b', 'packages/cli', '--pretty', 'false']
        expect(node(...tsc)).toBe('')
        expect(node('scripts/docs/main.ts')).toBe('')
        expect(node(library('vitest', 'vitest.mjs'), 'run', ...own)).toBe('')
      } finally {
        apply(recipe, '--reverse')
      }
    })
  },
  600_000,
)
