/**
 * `serve` and `worker` that start themselves again without their secrets do so with a young generation of our size; a size that an operator
 * chose stands. Would catch: an option that a start loses, and a process that starts itself again for ever.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { youngGeneration } from '@signalbox/server'
import { start } from './support/command.ts'
import { createFolder } from './support/folder.ts'

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  // Each start says by what options it runs.
  await writeFile(
    join(folder.dir, 'signalbox.config.mjs'),
    `console.error('options ' + JSON.stringify(process.execArgv))
export default { agents: { helper: { model: { provider: 'scripted', model: 'x' }, instructions: 'You help.' } } }
`,
  )
  await writeFile(join(folder.dir, 'no-folder'), '')
})
afterAll(() => folder?.remove())

/** Nobody listens there. */
const secret = { DATABASE_URL: 'postgres://signalbox:password@127.0.0.1:9/signalbox' }

/** The options of each start, of a process that finds no place for its data. */
async function startsOf(command: string, env: Readonly<Record<string, string>>) {
  const { ended } = start([command], {
    cwd: folder.dir,
    env: { SIGNALBOX_DATA_DIR: 'no-folder', ...env },
  })
  const { code, stderr } = await ended
  expect(code).not.toBe(0)
  return [...stderr.matchAll(/^options (.*)$/gm)].map(([, options = '']): unknown =>
    JSON.parse(options),
  )
}

it.runIf(process.platform !== 'win32').each(['serve', 'worker'])(
  '%s starts itself again with it, once',
  async (command) => {
    expect(await startsOf(command, secret)).toEqual([[], youngGeneration])
  },
)

it.runIf(process.platform !== 'win32')('keeps what an operator said', async () => {
  const env = { ...secret, NODE_OPTIONS: '--max-semi-space-size=32' }
  expect(await startsOf('serve', env)).toEqual([[], []])
})

it('is no reason by itself to start again', async () => {
  expect(await startsOf('serve', {})).toEqual([[]])
})
