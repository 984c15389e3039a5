/** A server for what tenants keep beside their runs, with LangGraph's own clients and an administrator of its database. */
import { createTestDatabase } from '../../../packages/postgres/test/support/database.ts'
import type { ConfigInput } from '@signalbox/server'
import type { Client } from 'langgraph-sdk-15'
import pg from 'pg'
import { hold } from '../../../packages/server/test/support/hold.ts'
import { note, noting } from '../../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../../packages/server/test/support/signalbox.ts'

const scripted = (model: string) => ({ provider: 'scripted', model }) as const

const config: ConfigInput = {
  agents: {
    clerk: {
      model: scripted('once'),
      fallbackModels: [scripted('other')],
      instructions: 'You note.',
      tools: ['note'],
      limits: { maxTurns: 10, maxTokens: 1000 },
    },
    asker: {
      model: scripted('once'),
      tools: ['note'],
      guardrails: { approvalTools: ['note'] },
    },
  },
  tools: [note, hold],
  scripts: {
    once: noting(1),
    // Says what it was told to be, so that a test sees its instructions.
    other: (prompt) => ({ text: `other: ${JSON.stringify(prompt[0])}` }),
  },
}

export interface KeepingScene {
  readonly box: TestSignalbox
  /** A client of a version, with its own retries off: what fails must be seen. */
  readonly clientOf: (name: string) => Promise<Client>
  /** Rows of a statement, as a superuser. */
  readonly sql: (statement: string, values?: readonly unknown[]) => Promise<readonly Row[]>
  /** Another process on the same database. */
  readonly another: () => Promise<TestSignalbox>
  readonly close: () => Promise<void>
}

export type Row = Readonly<Record<string, unknown>>

export async function openKeepingScene(): Promise<KeepingScene> {
  const database = await createTestDatabase()
  const start = () => startTest(config, { env: { DATABASE_URL: database.adminUrl } })
  const box = await start()
  const admin = new pg.Client(database.adminUrl)
  await admin.connect()
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
    sql: async (statement, values = []) => (await admin.query(statement, [...values])).rows,
    another: start,
    close: async () => {
      await admin.end()
      await box.stop()
      await database.drop()
    },
  }
}
