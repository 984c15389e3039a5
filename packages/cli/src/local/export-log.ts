/**
 * `audit export`: runs as NDJSON, with what a proof needs. Events as the API shows them, plus tenant, key and salt; the
 * definition that a run pins before its events, the long contents that they name behind them, and then a line that says where the
 * run ends. Where webhooks go is a secret, and is left out.
 */
import { once } from 'node:events'
import process from 'node:process'
import type { StoredEvent } from '@signalbox/engine'
import { createRegister } from '@signalbox/postgres'
import type { Pool } from 'pg'
import type { AuditOptions } from '../commands/audit.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'
import { readEvents } from './read-run.ts'
import { createRunCheck } from './run-check.ts'
import { eventBehind, selectOrphans, selectRuns } from './select-runs.ts'
import { definitionBody, storedContent, type ThreadOf } from './stored-content.ts'

/** Writes the export to standard output. @throws Failure */
export async function exportLog(shell: Shell, options: AuditOptions): Promise<ExitCode> {
  const { run, since } = options
  const database = await openDatabase(shell)
  let runs = 0
  try {
    const { pool } = database
    const register = createRegister({ pool })
    const definitions = new Set<string>()
    for await (const runId of selectRuns(pool, { run, since })) {
      const head = await register.head(runId)
      if (!head) continue
      runs += 1
      await writeDefinition(pool, definitions, head.definitionHash)
      // What stands behind the end is shown to whoever verifies.
      const last = (await eventBehind(pool, runId)) === null ? head.seq : Infinity
      const events = readEvents(register, runId, last)
      await writeEvents(pool, runId, events)
      await write({
        run_id: runId,
        head: { seq: head.seq, hash: head.headHash },
        contents: true,
        definition: head.definitionHash,
      })
    }
    // Their row is gone, and with it where they end.
    const orphans = run === undefined && since === undefined ? await selectOrphans(pool, 1000) : []
    for (const runId of orphans) {
      await writeEvents(pool, runId, readEvents(register, runId))
      await write({ run_id: runId, head: null, contents: true })
    }
  } finally {
    await database.close()
  }
  if (run !== undefined && runs === 0)
    throw new Failure('unknown_run', `There is no run ${run} in ${database.source}.`, {
      exitCode: exitCodes.notFound,
    })
  process.stderr.write(`Exported from ${database.source}. Runs: ${runs}.\n`)
  return exitCodes.ok
}

const line = (event: StoredEvent) => ({
  run_id: event.runId,
  thread_id: event.threadId,
  tenant_id: event.tenantId,
  seq: event.seq,
  type: event.type,
  version: event.version,
  at: new Date(event.at).toISOString(),
  actor: event.actor,
  tool: event.tool,
  verdict: event.verdict,
  key: event.key,
  payload: event.payload,
  salt: event.salt,
  payload_hash: event.payloadHash,
  digest: event.digest,
  hash: event.hash,
})

/** Each definition once, before the first run that it is pinned by. One that is gone is left out: whoever verifies misses it. */
async function writeDefinition(
  pool: Pool,
  written: Set<string>,
  definition: string,
): Promise<void> {
  if (written.has(definition)) return
  written.add(definition)
  const body = await definitionBody(pool, definition)
  if (body !== undefined) await write({ definition, body })
}

async function writeEvents(
  pool: Pool,
  runId: string,
  events: AsyncIterable<StoredEvent>,
): Promise<void> {
  const check = createRunCheck(runId)
  let thread: ThreadOf | null = null
  for await (const event of events) {
    thread = event
    check.add(event)
    await write(line(event))
  }
  const shown = () => check.named().filter(({ as }) => as !== 'secret')
  if (!thread) return
  for (let named = shown(); named.length > 0; named = shown())
    for (const { key } of named) {
      const stored = await storedContent(pool, thread, key)
      check.look(key, stored)
      if (!stored) continue
      const bytes = Buffer.from(stored.bytes).toString('base64')
      await write({ run_id: runId, blob: key, thread_key: stored.threadKey, bytes })
    }
}

async function write(value: unknown): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(value)}\n`)) await once(process.stdout, 'drain')
}
