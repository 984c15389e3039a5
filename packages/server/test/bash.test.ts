/**
 * The tool `bash` in whole runs, on Postgres, over HTTP. Would catch: files that are there without their result, or not there
 * with it; a cancel that leaves a call unknown; a worker that starts without the sandbox that it was told to have.
 */
import process from 'node:process'
import type { Prompt } from '@signalbox/core'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, eventually } from './support/http.ts'
import { lastResults } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const model = (name: string) => ({ provider: 'scripted', model: name }) as const
const bash = (command: string) => ({ calls: [{ name: 'bash', args: { command } }] })
const read: string[] = []
let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: {
      worker: { model: model('working'), tools: ['workspace', 'bash'] },
      spinner: { model: model('spinning'), tools: ['bash'] },
      talker: { model: model('talking') },
    },
    scripts: {
      working: (prompt: Prompt, turn) => {
        if (turn > 0) read.push(lastResults(prompt))
        if (turn === 0)
          return { calls: [{ name: 'write_file', args: { path: 'in.txt', content: 'b\na\n' } }] }
        if (turn === 1) return bash('sort in.txt > out.txt; rm in.txt; ls; exit 3')
        if (turn === 2) return { calls: [{ name: 'read_file', args: { path: 'out.txt' } }] }
        return { text: 'Sorted.' }
      },
      spinning: (_: unknown, turn) =>
        turn === 0 ? bash('while :; do :; done') : { text: 'Spun.' },
      talking: () => ({ text: 'Talked.' }),
    },
  })
})
afterAll(() => box?.stop())

const send = (method: string, path: string, body?: unknown) =>
  call(box.api, method, path, body === undefined ? {} : { body })

interface Told {
  readonly type: string
  readonly tool?: string
  readonly payload: Readonly<Record<string, unknown>>
}

const eventsOf = async (runId: string): Promise<readonly Told[]> =>
  (await send('GET', `/runs/${runId}/events?limit=1000`)).body.events

const begin = async (assistant_id: string): Promise<string> =>
  String((await send('POST', '/runs', { assistant_id, input: 'Go.' })).body.run_id)

describe('an agent with bash', () => {
  it('works on the files of its thread, and its event says how', async () => {
    const runId = await begin('worker')
    await send('GET', `/runs/${runId}/join`)
    expect(read[1]).toContain('out.txt\nexit code 3')
    expect(read[2]).toContain('a\nb')
    const told = (await eventsOf(runId)).filter(({ type }) => type === 'tool.completed')
    expect(told).toHaveLength(3)
    const [written, ran] = told
    expect(written?.payload).not.toHaveProperty('sandbox')
    expect(ran?.payload).toMatchObject({
      sandbox: {
        adapter: 'virtual',
        exitCode: 3,
        signal: null,
        ended: 'exited',
        cpuMs: null,
        maxRssBytes: null,
        outputBytes: 8,
        egress: [],
      },
    })
    expect(ran?.payload['files']).toHaveLength(2)
  })

  it('§18.17 a cancel ends its command: aborted, never unknown', async () => {
    const runId = await begin('spinner')
    await eventually(async () =>
      (await eventsOf(runId)).some(({ type }) => type === 'effect.started'),
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await send('POST', `/runs/${runId}/cancel?wait=1`)).status).toBe(204)
    const types = (await eventsOf(runId)).map(({ type }) => type)
    expect(types).toContain('tool.aborted')
    expect(types).not.toContain('tool.unknown')
    expect((await send('GET', `/runs/${runId}`)).body).toMatchObject({ outcome: 'cancelled' })
  })
})

describe('a worker with a sandbox that is not there', () => {
  const config: ConfigInput = {
    agents: { worker: { model: model('working'), tools: ['bash'] } },
    scripts: { working: () => ({ text: 'Nothing.' }) },
    sandbox: { use: 'bubblewrap' },
  }

  it('does not start, and says what to type; a process that executes nothing does', async () => {
    const path = process.env['PATH']
    process.env['PATH'] = '/nowhere'
    try {
      await expect(startTest(config)).rejects.toMatchObject({
        code: 'sandbox_unavailable',
        message: expect.stringMatching(/bwrap.*(not installed|needs Linux)/),
      })
      const api = await startTest(config, { roles: ['api'] })
      await api.stop()
    } finally {
      process.env['PATH'] = path
    }
  })
})
