/** The pages for those who change it. Would catch: an invariant without a test, a file that was moved and is still named. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './sandbox.ts'

const read = (page: string): string => readFileSync(join(root, 'docs/contributing', page), 'utf8')

it('each invariant has a row, and tests that exist', () => {
  const rows = [...read('invariants.md').matchAll(/^\| (I\d+) \|.*\| ([^|]+) \|$/gm)]
  expect(rows.map(([, name]) => name)).toEqual(Array.from({ length: 26 }, (_, n) => `I${n + 1}`))
  for (const [, name, tests = ''] of rows) {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    expect(files.length, name).toBeGreaterThan(0)
    for (const file of files) expect(existsSync(join(root, file)), file).toBe(true)
    const mentions = files.some((file) =>
      readFileSync(join(root, file), 'utf8').includes(`${name}`),
    )
    expect(mentions, `${name} is named by one of its tests`).toBe(true)
  }
})

it('names every package, and files that exist', () => {
  const page = read('README.md')
  for (const name of readdirSync(join(root, 'packages'))) expect(page).toContain(`| \`${name}\` |`)
  const files = [...page.matchAll(/`((?:core|engine)\/src\/[\w./-]+)`/g)].map(
    ([, file = '']) => file,
  )
  expect(files.length).toBeGreaterThan(10)
  for (const file of files) expect(existsSync(join(root, 'packages', file)), file).toBe(true)
})
