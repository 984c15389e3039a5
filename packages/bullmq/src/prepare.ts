import { runMigrations } from 'bullmq'
import { Client } from 'pg'
import { type BullBackend, settings } from './backend.ts'

/**
 * Brings the store to what this package needs: on PostgreSQL BullMQ's tables and functions in their own schema, on
 * Redis nothing. Idempotent, one transaction, safe to run from many processes at once (an advisory lock lets one go).
 * The URL is the migration role's, which needs CREATE on the database; `grantTo` is the role that workers and
 * dispatchers connect as. It gets the schema alone, with CREATE, because BullMQ makes a sequence per queue.
 * Throws when the server is not reachable or the role may not.
 */
export async function prepare(
  backend: BullBackend,
  options: { readonly grantTo?: string } = {},
): Promise<void> {
  if (backend.kind === 'redis') return
  const schema = backend.schema ?? settings.postgresSchema
  const client = new Client({
    connectionString: backend.url,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  })
  // The failed query says the same; without a listener the event would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    await runMigrations(client, schema)
    if (options.grantTo !== undefined) await grant(client, schema, options.grantTo)
  } finally {
    await client.end()
  }
}

async function grant(client: Client, schema: string, role: string): Promise<void> {
  const names = [schema, role].map((name) => client.escapeIdentifier(name))
  const [inSchema, toRole] = [`in schema ${names[0]}`, `to ${names[1]}`]
  const statements = [
    // Two sessions that change the privileges of one object at once fail: "tuple concurrently updated".
    `select pg_advisory_xact_lock(hashtext('signalbox_queue_grants'))`,
    `grant usage, create on schema ${names[0]} ${toRole}`,
    `grant select, insert, update, delete on all tables ${inSchema} ${toRole}`,
    `grant usage, select, update on all sequences ${inSchema} ${toRole}`,
    `grant execute on all functions ${inSchema} ${toRole}`,
  ]
  await client.query(['begin', ...statements, 'commit'].join(';\n'))
}
