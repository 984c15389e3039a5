/** A server with agents for every state of a thread, and LangGraph's own clients in front of it. */
import type { Script } from '@signalbox/models'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../packages/postgres/test/support/database.ts'
import type { Client } from 'langgraph-sdk-1'
import pg from 'pg'
import { hold, letAllGo } from '../../../packages/server/test/support/hold.ts'
import { lastResults, note, noting } from '../../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../../packages/server/test/support/signalbox.ts'
import { played } from './played.ts'

const scripted = (model: string) => ({ provider: 'scripted', model }) as const

const pair: Script = (prompt, turn) =>
  turn === 0
    ? {
        text: 'I note two things.',
        calls: ['milk', 'bread'].map((text) => ({ name: 'note', args: { text } })),
      }
    : { text: `I read: ${lastResults(prompt)}` }

const holding: Script = (_, turn) =>
  turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' }

const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }

export interface Scene {
  readonly box: TestSignalbox
  /** A client of a version, with its own retries off: what fails must be seen. */
  readonly clientOf: (name: string) => Promise<Client>
  /** Gives a thread, and all that belongs to it, to another tenant. */
  readonly giveAway: (threadId: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Those that users have. */
const released = [
  ['1.12.4', 'langgraph-sdk-1'],
  ['2.0.0', 'langgraph-sdk-2'],
  ['1.15.0', 'langgraph-sdk-15'],
] as const

/** Versions of the client: package and name under which it is installed. */
export const versions = played(released)

export async function openScene(): Promise<Scene> {
  const database = await createTestDatabase()
  const box = await startTest(
    {
      agents: {
        clerk: { model: scripted('once'), tools: ['note'] },
        asker: { model: scripted('once'), ...asking },
        pair: { model: scripted('pair'), ...asking },
        holder: { model: scripted('holding'), tools: ['hold'] },
        broken: { model: scripted('failing') },
      },
      tools: [note, hold],
      scripts: {
        once: noting(1),
        pair,
        holding,
        failing: () => ({ status: { code: 401 } }),
      },
    },
    { env: { DATABASE_URL: database.adminUrl } },
  )
  return {
    box,
    clientOf: async (name) => {
      const module: { Client: typeof Client } = await import(name)
      return new module.Client({
        apiUrl: box.api,
        apiKey: null,
        callerOptions: { maxRetries: 0 },
      })
    },
    giveAway: (threadId) => giveAway(database, threadId),
    close: async () => {
      letAllGo()
      await box.stop()
      await database.drop()
    },
  }
}

async function giveAway(database: TestDatabase, threadId: string): Promise<void> {
  const admin = new pg.Client(database.adminUrl)
  await admin.connect()
  const runs = `select id from signalbox.run where thread_id = '${threadId}'`
  await admin.query(`update signalbox.approval set tenant_id = 'other' where run_id in (${runs})`)
  for (const table of ['thread', 'event', 'run'])
    await admin.query(
      `update signalbox.${table} set tenant_id = 'other' where thread_id = '${threadId}'`,
    )
  await admin.end()
}
