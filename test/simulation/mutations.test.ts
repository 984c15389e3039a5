/** Mutations name lines of the production code. Finds one whose line was rewritten before it is played, for minutes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { allMutations } from './all-mutations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A file as a test's name is written in it, without what escapes. */
const said = (file: string): string => readFileSync(file, 'utf8').replaceAll('\\', '')

it('each mutation has a name of its own, and finds its line once', () => {
  const lost = allMutations.filter(
    ({ file, line }) => readFileSync(join(root, file), 'utf8').split(line).length !== 2,
  )
  expect(lost.map(({ name }) => name)).toEqual([])
  expect(new Set(allMutations.map(({ name }) => name)).size).toBe(allMutations.length)
  expect(allMutations.length).toBeGreaterThanOrEqual(90)
})

it('each test that guards a line is named by words of its file, or of a contract suite', () => {
  const suites = join(root, 'packages/testing/contract')
  const contracts = readdirSync(suites).map((name) => said(join(suites, name)))
  const lost = allMutations.flatMap(({ name, test }) =>
    test === undefined ||
    [said(join(root, test.file)), ...contracts].some((text) => text.includes(test.name))
      ? []
      : [`${name}: ${test.name}`],
  )
  expect(lost).toEqual([])
})
