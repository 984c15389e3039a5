/** Snapshots behind the host: a call's files leave with its result, or not at all. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../src/index.ts'
import { callTool, errorOf, hostFor, outputOf, textOf } from './hosting.ts'
import { snapshotStore } from './snapshot-store.ts'

const half = defineTool({
  name: 'half',
  description: 'Writes, and then does what it is told.',
  input: z.object({ ending: z.enum(['throw', 'return', 'linger']) }),
  timeoutMs: 50,
  run: async ({ ending }, { workspace, signal }) => {
    await workspace.writeFile('half', 'written')
    if (ending === 'throw') throw new Error('half way')
    if (ending === 'linger')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 'done'
  },
})

it('hands over what a call changed with its result; of one that failed or was cut, nothing', async () => {
  const host = hostFor({ snapshots: true, tools: [half] })
  const files = snapshotStore().files([])
  const call = (ending: string) => callTool(host, 'half', { args: { ending }, files })
  expect(await call('return')).toMatchObject({
    status: 'completed',
    files: [{ path: 'half', bytes: Buffer.from('written') }],
  })
  const thrown = await call('throw')
  expect(errorOf(thrown).code).toBe('tool_error')
  expect(thrown).not.toHaveProperty('files')
  const cut = await call('linger')
  expect(errorOf(cut).code).toBe('tool_timeout')
  expect(cut).not.toHaveProperty('files')
})

it('has the file tools, of which none has to be asked about after a crash', async () => {
  const host = hostFor({ snapshots: true })
  expect((await host.specs()).map((spec) => [spec.name, spec.effect])).toEqual([
    ['ls', 'read'],
    ['read_file', 'read'],
    ['str_replace', 'idempotent'],
    ['view_image', 'read'],
    ['write_file', 'idempotent'],
  ])
  const read = await callTool(host, 'read_file', {
    args: { path: 'a' },
    files: snapshotStore().files([]),
  })
  expect(outputOf(read)).toMatchObject({ isError: true, structured: { code: 'not_found' } })
  expect(read).not.toHaveProperty('files')
  expect(textOf(outputOf(await callTool(host, 'ls')))).toContain('There is no workspace')
})
