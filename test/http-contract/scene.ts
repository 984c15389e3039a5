/** A real server for a fuzzer: threads in several states, and secrets that no answer may show. */
import type { Prompt } from '@signalbox/core'
import { z } from 'zod'
import { documentOf } from '../../packages/server/test/support/api-document.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { hold, letAllGo } from '../../packages/server/test/support/hold.ts'
import { note, noting } from '../../packages/server/test/support/notes.ts'
import { startTest } from '../../packages/server/test/support/signalbox.ts'
import type { Law } from './judge.ts'
import { operationsOf } from './operations.ts'
import type { Material } from './requests.ts'

export interface Scene {
  readonly base: string
  readonly material: Material
  readonly law: Law
  /** What the server logged as an error. */
  readonly errors: () => readonly string[]
  /** Does it still do its work? Runs a run to its end. */
  readonly works: () => Promise<boolean>
  readonly close: () => Promise<void>
}

const apiKey = 'sb-fuzz-key-5d0f3a'
const secrets = {
  PROVIDER_KEY: 'canary-provider-key-71c2',
  SIGNALBOX_FUZZ: 'canary-environment-88d1',
}
const instructions = 'canary-instructions-90ab'

const isSummary = (prompt: Prompt): boolean =>
  JSON.stringify(prompt.at(-1)).includes('Sum up all of it so far')

const scripted = (model: string) => ({ provider: 'scripted', model }) as const

/** Starts it, and makes what requests can ask for. */
export async function openScene(): Promise<Scene> {
  const box = await startTest(
    {
      agents: {
        writer: { model: scripted('writer'), instructions, title: { maxWords: 4 } },
        // Runs a command over the files of its thread.
        typist: { model: scripted('typist'), tools: ['bash'], title: 'words' },
        asker: {
          model: scripted('asker'),
          tools: ['note'],
          guardrails: { approvalTools: ['note'] },
        },
        holder: { model: scripted('holder'), tools: ['hold'] },
        curious: { model: scripted('curious'), clarification: true, todo: true },
        teller: {
          model: { ...scripted('teller'), contextWindow: 100_000 },
          context: { compact: { keep: 100 } },
        },
        vendor: {
          model: {
            provider: 'openai-compatible',
            model: 'any',
            baseURL: 'http://127.0.0.1:9/canary-address',
            apiKeyEnv: 'PROVIDER_KEY',
          },
        },
      },
      tools: [note, hold],
      scripts: {
        writer: () => ({ text: 'Yes.' }),
        typist: (_, turn) =>
          turn === 0
            ? {
                calls: [
                  {
                    name: 'bash',
                    args: { command: 'mkdir -p outputs; ls -R; date > outputs/now.txt' },
                  },
                ],
              }
            : { text: 'Typed.' },
        asker: noting(1),
        curious: (_, turn) =>
          turn === 0
            ? {
                calls: [
                  { name: 'ask_clarification', args: { question: 'Which one?' } },
                  {
                    name: 'write_todos',
                    args: { todos: [{ text: 'Ask', status: 'completed' }] },
                  },
                ],
              }
            : { text: 'That one.' },
        teller: (prompt) => ({ text: isSummary(prompt) ? 'A summary.' : 'w'.repeat(4_000) }),
        holder: (_, turn) =>
          turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Held.' },
      },
      server: { limits: { waitMsMax: 1000 } },
    },
    { env: { ...secrets, SIGNALBOX_API_KEY: apiKey } },
  )
  const headers = { authorization: `Bearer ${apiKey}` }
  const ask = (method: string, path: string, body?: unknown) =>
    call(box.api, method, path, { headers, ...(body === undefined ? {} : { body }) })
  const document: object = (await ask('GET', '/openapi.json')).body
  const { hints, places } = await known(ask)
  const hidden = [apiKey, ...Object.values(secrets), instructions, 'canary-address', box.dataDir]
  return {
    base: box.api,
    material: { document, operations: operationsOf(document), hints, places, apiKey },
    law: { document: documentOf(document), secrets: hidden },
    errors: () => box.logged.filter((line) => line.startsWith('error')),
    async works() {
      const ok = await ask('GET', '/ok')
      // What requests have paused would wait for ever.
      const { body: pauses } = await ask('GET', '/pauses')
      for (const { pause_id } of Paused.parse(pauses)) await ask('DELETE', `/pauses/${pause_id}`)
      const { body } = await ask('POST', '/runs', { assistant_id: 'writer', input: 'Still there?' })
      const { run_id: id } = z.object({ run_id: z.string() }).parse(body)
      const outcome = await eventually(async () => {
        const run = await ask('GET', `/runs/${id}`)
        return run.body.outcome ?? undefined
      })
      return ok.status === 200 && outcome === 'completed'
    },
    close: async () => {
      letAllGo()
      await box.stop()
    },
  }
}

const Paused = z.array(z.object({ pause_id: z.string() }))
const Waited = z.object({
  run: z.object({ run_id: z.string() }),
  __interrupt__: z
    .array(
      z.object({ value: z.object({ approval_id: z.string().optional(), call_id: z.string() }) }),
    )
    .default([]),
})
const Events = z.object({ events: z.array(z.object({ position: z.string() })) })
const State = z.object({ checkpoint: z.object({ checkpoint_id: z.string() }) })

type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly body: unknown }>

/** Names of what is there, by the names of parameters and fields. What is named otherwise gets values of its schema. */
async function known(ask: Ask): Promise<Pick<Material, 'hints' | 'places'>> {
  const wait = async (threadId: string, agent: string) => {
    const body = { assistant_id: agent, input: 'Write.' }
    return Waited.parse((await ask('POST', `/threads/${threadId}/runs/wait`, body)).body)
  }
  const done = await wait('done', 'writer')
  await ask('PUT', '/threads/done/files/notes.txt', 'Seven.')
  const asks = await Promise.all(
    [0, 1, 2, 3, 4, 5].map((n) => wait(`asks-${n}`, n < 4 ? 'asker' : 'curious')),
  )
  const told = [0, 1, 2].map((n) => `told-${n}`)
  // Of three turns, of which the older are summed up on demand.
  const tellers = await Promise.all(
    told.map(async (thread_id) => {
      for (let n = 0; n < 2; n += 1) await wait(thread_id, 'teller')
      const { run } = await wait(thread_id, 'teller')
      return { thread_id, run_id: run.run_id }
    }),
  )
  const { events } = Events.parse((await ask('GET', '/events?limit=5')).body)
  const state = State.parse((await ask('GET', '/threads/done/state')).body)
  const asked = asks.flatMap(({ run, __interrupt__ }, n) =>
    __interrupt__.map(({ value }) => ({ ...value, run_id: run.run_id, thread_id: `asks-${n}` })),
  )
  const ended = {
    thread_id: 'done',
    run_id: done.run.run_id,
    checkpoint_id: state.checkpoint.checkpoint_id,
  }
  const threads = Array.from({ length: 40 }, (_, n) => `fuzz-${n}`)
  const places = [...asked, ended, ended, ...tellers].map((place) => ({
    ...place,
    assistant_id: 'writer',
  }))
  const hints = {
    thread_id: ['done', ...told, ...threads],
    run_id: places.map(({ run_id }) => run_id),
    approval_id: asked.flatMap((each) => each.approval_id ?? []),
    call_id: asked.map((each) => each.call_id),
    checkpoint_id: [ended.checkpoint_id],
    before: [ended.checkpoint_id],
    after: ['0', ...events.map(({ position }) => position)],
    assistant_id: ['writer', 'writer', 'typist', 'asker'],
    'idempotency-key': ['key-0', 'key-1', 'key-2', done.run.run_id],
    'last-event-id': ['-1', '0', '3', `${done.run.run_id}-000003`],
    input: ['Write.', 'Write again.'],
    tool: ['hold'],
    path: ['notes.txt', 'notes.txt', 'other.txt'],
  }
  return { hints, places }
}
