/** The floor of an enqueue: the very statement that stores a run, sent by hand over as many connections as there are clients. */
import { AgentDefinition } from '@signalbox/core'
import {
  type AppendItem,
  createEngine,
  defaultSettings,
  systemClock,
  systemRandom,
} from '@signalbox/engine'
import { createNotifyWakeBus, createRegister } from '@signalbox/postgres'
import pg from 'pg'
import { complaining } from '../complaining-log.ts'
import { watched } from '../marking.ts'

const text = 'select signalbox.append($1::jsonb) as answers'

/** The item that the engine makes of a create, as it travels, and the ids that stand in it. */
interface Template {
  readonly json: string
  readonly runId: string
  readonly threadId: string
}

/** Appends as many runs as are asked for, by so many connections at a time. Answers milliseconds. */
export type AppendByHand = (
  clients: number,
  requests: number,
) => Promise<{ readonly times: readonly number[]; readonly wallMs: number }>

export async function openAppendByHand(url: string): Promise<AppendByHand> {
  const template = await templateOf(url)
  return async (clients, requests) => {
    const connections = Array.from({ length: clients }, () => new pg.Client(url))
    await Promise.all(connections.map((client) => client.connect()))
    const times: number[] = []
    let left = requests
    const work = async (client: pg.Client): Promise<void> => {
      while (left > 0) {
        left -= 1
        const began = performance.now()
        await append(client, template)
        times.push(performance.now() - began)
      }
    }
    try {
      const began = performance.now()
      await Promise.all(connections.map(work))
      return { times, wallMs: performance.now() - began }
    } finally {
      await Promise.all(connections.map((client) => client.end()))
    }
  }
}

async function append(client: pg.Client, { json, runId, threadId }: Template): Promise<void> {
  const item = json.replaceAll(runId, systemRandom.uuid()).replaceAll(threadId, crypto.randomUUID())
  const { rows } = await client.query<{ answers: readonly { code: string }[] }>({
    name: 'bench.append',
    text,
    values: [`[${item}]`],
  })
  const code = rows[0]?.answers[0]?.code
  if (code !== 'ok') throw new Error(`an append by hand was answered ${code}`)
}

/** Creates one run with an engine that has the roles of an API alone, and keeps what it wrote. */
async function templateOf(url: string): Promise<Template> {
  const log = complaining('floor')
  const register = createRegister({ engineUrl: url })
  const wakeBus = await createNotifyWakeBus({ url, log })
  const items: AppendItem[] = []
  const engine = createEngine({
    register: watched(register, (item) => items.push(item)),
    dispatcher: { dispatch: async () => {}, depth: async () => 0, close: async () => {} },
    hintSource: null,
    wakeBus,
    model: null,
    tools: null,
    clock: systemClock,
    random: systemRandom,
    log,
    roles: [],
    settings: { ...defaultSettings, owner: `bench.${process.pid}` },
  })
  await engine.start()
  const threadId = crypto.randomUUID()
  const definition = AgentDefinition.parse({
    name: 'quick',
    model: { provider: 'scripted', model: 'quick' },
    instructions: '',
    tools: [],
  })
  await engine.commands.createRun({
    tenantId: 'default',
    actor: 'api',
    threadId,
    definition,
    input: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }],
    metadata: {},
    alias: null,
  })
  await engine.stop(1_000)
  await wakeBus.close()
  await register.close()
  const [item] = items
  if (!item?.create) throw new Error('a run was not created by one append')
  return { json: JSON.stringify(item), runId: item.runId, threadId }
}
