/**
 * Every code block of the documentation is run, in the order in which it stands, in a folder of its own per page. Would
 * catch: an option that was renamed, an example that never worked, a page that was forgotten.
 *
 * The pages are dealt out to several test files, which run side by side.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Block } from './blocks.ts'
import { type Page, readPages } from './pages.ts'
import { Runner } from './run-block.ts'
import { openSandbox, type Sandbox, stopSharedPostgres } from './sandbox.ts'

const minutes = 60_000
/** Fewer than this in all pages: then the reader of blocks is broken, or pages are gone. */
const blocksMin = 200
/** How many test files there are, `pages-1.test.ts` and so on. */
const parts = 3

const runnableOf = ({ blocks }: Page): readonly Block[] =>
  blocks.filter(({ run }) => run.how !== 'nothing')

/** Declares the tests of one part of the pages, counted from 1. */
export function runPages(part: number): void {
  const pages = readPages().filter((page) => runnableOf(page).length > 0)
  const mine = pages.filter((_, n) => n % parts === part - 1)
  let executed = 0

  afterAll(stopSharedPostgres, 2 * minutes)

  for (const page of mine)
    runPage(page, () => {
      executed += 1
    })

  describe('the documentation', () => {
    it(`has at least ${blocksMin} blocks, and each of this part was run`, () => {
      expect(executed).toBe(mine.flatMap(runnableOf).length)
      expect(pages.flatMap(runnableOf).length).toBeGreaterThanOrEqual(blocksMin)
    })
  })
}

function runPage(page: Page, wasRun: () => void): void {
  describe(`the page ${page.path}`, () => {
    let sandbox: Sandbox
    let runner: Runner
    let broken: string | null = null

    beforeAll(async () => {
      sandbox = await openSandbox(page.setup)
      runner = new Runner(sandbox)
    }, 3 * minutes)

    afterAll(async () => {
      await sandbox?.close()
    }, 2 * minutes)

    for (const block of runnableOf(page))
      it(
        `line ${block.line}: ${block.language}`,
        async () => {
          expect(broken, 'an earlier block of the page failed').toBeNull()
          broken = `${block.page}:${block.line}`
          await runner.run(block)
          broken = null
          wasRun()
        },
        3 * minutes,
      )
  })
}
