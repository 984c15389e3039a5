/**
 * Files of threads through LangGraph's own client, kept in the register: what is rolled back was never written, a fork has the
 * files of its moment, another machine sees the same bytes. Would catch: a file that outlives its run, a workspace that is on
 * one machine only.
 */
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Script } from '@signalbox/models'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { defineTool } from '@signalbox/tools'
import { Client } from 'langgraph-sdk-2'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hold, letAllGo, letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'

/** All files of a thread, as a program finds them: path, bytes in hex, executable. */
const survey = defineTool({
  name: 'survey',
  description: 'Says what is there.',
  effect: 'read',
  input: z.object({}),
  run: async (_, { workspace }) => {
    const said = await workspace.inDirectory(async (place) => {
      const entries = await readdir(place, { recursive: true, withFileTypes: true })
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
      const lines = files.map(async (file) => {
        const bytes = (await readFile(file)).toString('hex')
        const program = ((await stat(file)).mode & 0o100) !== 0 ? ' x' : ''
        return `${file.slice(place.length + 1)} ${bytes}${program}`
      })
      return (await Promise.all(lines)).sort()
    })
    return { content: [{ type: 'text', text: said.ok ? said.value.join('\n') : said.message }] }
  },
})

/** Changes everything that can be changed, and makes more files than an event lists. */
const churn = defineTool({
  name: 'churn',
  description: 'Changes everything.',
  effect: 'idempotent',
  input: z.object({ seed: z.number() }),
  run: async ({ seed }, { workspace }) => {
    await workspace.inDirectory(async (place) => {
      await rm(join(place, 'note.md'), { force: true })
      for (let n = 0; n < 70; n++)
        await writeFile(join(place, `${n}.bin`), Buffer.from([seed, n, 0xff, 0]))
      await chmod(join(place, '7.bin'), 0o755)
    })
    return 'churned'
  },
})

/** What the user says is what the model calls: one call a line, `tool {json}`, all in one turn for one message. */
const obeying: Script = (prompt) => {
  const last = prompt.at(-1)
  if (last?.role !== 'user') return { text: 'Done.' }
  const said = last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = said.split('\n').map((line) => {
    const [name = '', ...rest] = line.split(' ')
    return { name, args: JSON.parse(rest.join(' ') || '{}') }
  })
  return { calls }
}

let database: TestDatabase
let box: TestSignalbox
const machines: TestSignalbox[] = []

const machine = async (roles: readonly ('api' | 'orchestrator' | 'worker')[]) => {
  const started = await startTest(
    {
      agents: {
        clerk: {
          model: { provider: 'scripted', model: 'obeying' },
          tools: ['workspace', 'survey', 'churn', 'hold'],
        },
      },
      tools: [survey, churn, hold],
      scripts: { obeying },
    },
    { env: { DATABASE_URL: database.adminUrl }, roles: [...roles] },
  )
  machines.push(started)
  return started
}

beforeAll(async () => {
  database = await createTestDatabase()
  box = await machine(['api', 'orchestrator', 'worker'])
})
afterAll(async () => {
  letAllGo()
  for (const one of machines) await one.stop()
  await database?.drop()
})

const say = (...lines: readonly string[]) => ({
  input: { messages: [{ role: 'user', content: lines.join('\n') }] },
})
const write = (path: string, content: string) => `write_file ${JSON.stringify({ path, content })}`
const edit = (oldText: string, newText: string) =>
  `str_replace ${JSON.stringify({ path: 'note.md', oldText, newText })}`

const hex = (text: string) => Buffer.from(text).toString('hex')

/** Waits until the log of the run has it. */
const happened = (threadId: string, runId: string, what: string) =>
  eventually(async () => {
    const { body } = await call(box.api, 'GET', `/threads/${threadId}/runs/${runId}/events`)
    const events: readonly { readonly type: string }[] = body.events
    return events.find(({ type }) => type === what)
  })

/** Lets the call that holds go, but not before its run was asked to end. */
const release = async (threadId: string, runId: string) => {
  await happened(threadId, runId, 'cancel.requested')
  letGo(runId)
}

describe('files of a thread', () => {
  let client: Client
  beforeAll(() => {
    client = new Client({ apiUrl: box.api, apiKey: null, callerOptions: { maxRetries: 0 } })
  })

  /** What a run that looks finds. */
  const filesOf = async (threadId: string): Promise<readonly string[]> => {
    const { messages } = await runOn(threadId, 'survey')
    return messages.findLast(({ type }) => type === 'tool')?.content.split('\n') ?? []
  }
  const runOn = async (threadId: string, ...lines: readonly string[]) => {
    await client.runs.wait(threadId, 'clerk', say(...lines))
    const state = await client.threads.getState<{
      messages: readonly { readonly type: string; readonly content: string }[]
    }>(threadId)
    return state.values
  }

  /** A thread with some files, and a run on it that changes them all and then holds. */
  const changing = async () => {
    const { thread_id: threadId } = await client.threads.create()
    await runOn(threadId, write('note.md', 'Åre'), write('deep/er/ü.txt', ''), 'churn {"seed":1}')
    await runOn(threadId, write('note.md', 'one two three'))
    const before = await filesOf(threadId)
    const run = await client.runs.create(threadId, 'clerk', say('churn {"seed":2}', 'hold'))
    await happened(threadId, run.run_id, 'tool.completed')
    return { threadId, before, runId: run.run_id }
  }

  it('a cancel with rollback leaves the files as they were, byte for byte', async () => {
    const { threadId, before, runId } = await changing()
    expect(before).toHaveLength(72)
    expect(before).toContain(`note.md ${hex('one two three')}`)
    expect(before).toContain('deep/er/ü.txt ')
    expect(before).toContain('7.bin 0107ff00 x')
    const ended = client.runs.cancel(threadId, runId, true, 'rollback')
    await release(threadId, runId)
    await ended
    expect(await filesOf(threadId)).toEqual(before)
  })

  it('an interrupted run keeps what it did; one that rolls it back works on the files from before it', async () => {
    const { threadId, before, runId } = await changing()
    const next = await client.runs.create(threadId, 'clerk', {
      ...say(edit('one', '1'), edit('three', '3'), write('more', 'x')),
      multitaskStrategy: 'rollback',
    })
    await release(threadId, runId)
    await client.runs.join(threadId, next.run_id)
    const changed = before.map((line) =>
      line.startsWith('note.md') ? `note.md ${hex('1 two 3')}` : line,
    )
    expect(await filesOf(threadId)).toEqual([...changed, `more ${hex('x')}`].sort())
    const again = await client.runs.create(threadId, 'clerk', say('churn {"seed":3}', 'hold'))
    await happened(threadId, again.run_id, 'tool.completed')
    const ended = client.runs.cancel(threadId, again.run_id, true, 'interrupt')
    await release(threadId, again.run_id)
    await ended
    expect(await filesOf(threadId)).toContain('7.bin 0307ff00 x')
  })

  it('what a run leaves below outputs/ stands in its values, in the state and on the stream', async () => {
    const { thread_id: threadId } = await client.threads.create()
    const said = say(write('outputs/a.md', 'one'), write('work.txt', 'two'))
    const values = await client.runs.wait(threadId, 'clerk', said)
    expect(values).toMatchObject({ files: { 'outputs/a.md': { bytes: 3 } } })
    const { values: state } = await client.threads.getState<{ files?: object }>(threadId)
    expect(state.files).toEqual({ 'outputs/a.md': { bytes: 3 } })
    const seen: unknown[] = []
    const stream = client.runs.stream(threadId, 'clerk', {
      ...say(write('outputs/b.md', 'four')),
      streamMode: 'values',
    })
    for await (const { event, data } of stream) if (event === 'values') seen.push(data)
    expect(seen.at(-1)).toMatchObject({ files: { 'outputs/b.md': { bytes: 4 } } })
    // A run that leaves nothing has none of it.
    expect(await client.runs.wait(threadId, 'clerk', say('survey'))).not.toHaveProperty('files')
  })

  it('a fork has the files of its moment, and what it does is its own', async () => {
    const { thread_id: threadId } = await client.threads.create()
    await runOn(threadId, write('a', 'first'))
    const { checkpoint } = await client.threads.getState(threadId)
    await runOn(threadId, write('a', 'second'), write('b', 'second'))
    expect(await filesOf(threadId)).toEqual([`a ${hex('second')}`, `b ${hex('second')}`])
    await client.runs.wait(threadId, 'clerk', { ...say(write('c', 'fork')), checkpoint })
    expect(await filesOf(threadId)).toEqual([`a ${hex('first')}`, `c ${hex('fork')}`])
  })
})

it('another machine sees the same, and an erased content is gone', async () => {
  const thread = crypto.randomUUID()
  const send = async (...lines: readonly string[]) => {
    const { body } = await call(box.api, 'POST', `/threads/${thread}/runs/wait`, {
      body: { assistant_id: 'clerk', ...say(...lines) },
    })
    const { messages }: { messages: { type: string; content: string }[] } = body
    return messages.findLast(({ type }) => type === 'tool')?.content
  }
  await send(write('a', 'kept'), write('b', 'erased'))
  const before = await send('survey')
  // Nobody who has seen the thread is left.
  await box.stop()
  box = await machine(['api', 'orchestrator'])
  await machine(['worker'])
  expect(await send('survey')).toBe(before)
  const admin = new pg.Client(database.adminUrl)
  await admin.connect()
  await admin.query("delete from signalbox.blob where thread_id = $1 and bytes = 'erased'::bytea", [
    thread,
  ])
  await admin.end()
  expect(await send('read_file {"path":"b"}')).toBe('b: The content of the file was erased.')
  expect(await send('read_file {"path":"a"}')).toBe('kept')
})
