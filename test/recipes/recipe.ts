/** Recipes: changes of `docs/contributing/recipes.md`, followed to the end as patches. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A recipe, and how many shipped files it may touch. */
export interface Recipe {
  readonly name: string
  readonly filesMax: number
}

/** All recipes; the patch of each is `<name>.patch`. */
export const recipes: readonly Recipe[] = [
  { name: 'event', filesMax: 3 },
  { name: 'check', filesMax: 5 },
  { name: 'effect', filesMax: 6 },
  { name: 'prompt-step', filesMax: 8 },
]

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const patchPath = ({ name }: Recipe): string =>
  join(root, 'test', 'recipes', `${name}.patch`)

/** The files that a patch changes or adds. */
export const touched = (recipe: Recipe): readonly string[] =>
  Array.from(readFileSync(patchPath(recipe), 'utf8').matchAll(/^\+\+\+ b\/(.+)$/gm), ([, path]) =>
    String(path),
  )

const generated = new Set(['packages/client/src/generated.ts', 'migrations/schema.sql'])

/** Of these, those that users are given: no tests, no documentation, nothing that a program writes. */
export const shipped = (paths: readonly string[]): readonly string[] =>
  paths.filter(
    (path) => /^(packages\/[^/]+\/src\/.|migrations\/.+\.sql$)/.test(path) && !generated.has(path),
  )
