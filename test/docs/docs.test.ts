/**
 * Every code block of the documentation is run, in the order in which it stands, in a folder of its own per page. Would
 * catch: an option that was renamed, an example that never worked, a page that was forgotten.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPages } from './pages.ts'
import { Runner } from './run-block.ts'
import { openSandbox, type Sandbox, stopSharedPostgres } from './sandbox.ts'

const pages = readPages()
const minutes = 60_000
/** Fewer than this were run: then the reader of blocks is broken, or pages are gone. */
const blocksMin = 200

let executed = 0

afterAll(stopSharedPostgres, 2 * minutes)

for (const page of pages) {
  const runnable = page.blocks.filter(({ run }) => run.how !== 'nothing')
  if (runnable.length === 0) continue
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

    for (const block of runnable)
      it(
        `line ${block.line}: ${block.language}`,
        async () => {
          expect(broken, 'an earlier block of the page failed').toBeNull()
          broken = `${block.page}:${block.line}`
          await runner.run(block)
          broken = null
          executed += 1
        },
        3 * minutes,
      )
  })
}

describe('the documentation', () => {
  it(`has at least ${blocksMin} blocks, and each of them was run`, () => {
    const all = pages.flatMap(({ blocks }) => blocks).filter(({ run }) => run.how !== 'nothing')
    expect(executed).toBe(all.length)
    expect(executed).toBeGreaterThanOrEqual(blocksMin)
  })
})
