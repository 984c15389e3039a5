/** Mutations name lines of the production code. Finds one whose line was rewritten before it is played, for minutes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { allMutations } from './all-mutations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('each mutation has a name of its own, and finds its line once', () => {
  const lost = allMutations.filter(
    ({ file, line }) => readFileSync(join(root, file), 'utf8').split(line).length !== 2,
  )
  expect(lost.map(({ name }) => name)).toEqual([])
  expect(new Set(allMutations.map(({ name }) => name)).size).toBe(allMutations.length)
  expect(allMutations.length).toBeGreaterThanOrEqual(90)
})
