/**
 * `audit export`: runs as NDJSON, with what a proof needs. Events as the API shows them, plus tenant, key and salt; after
 * the events of a run a line that says where it ends.
 */
import { once } from 'node:events'
import process from 'node:process'
import type { StoredEvent } from '@signalbox/engine'
import { createRegister } from '@signalbox/postgres'
import type { AuditOptions } from '../commands/audit.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'
import { readRun } from './read-run.ts'
import { selectRuns } from './select-runs.ts'

/** Writes the export to standard output. @throws Failure */
export async function exportLog(shell: Shell, options: AuditOptions): Promise<ExitCode> {
  const { run, since } = options
  const database = await openDatabase(shell)
  let runs = 0
  try {
    const register = createRegister({ pool: database.pool })
    for await (const runId of selectRuns(database.pool, { run, since })) {
      const stored = await readRun(register, runId)
      if (!stored) continue
      runs += 1
      const { seq, headHash: hash } = stored.head
      await write([...stored.events.map(line), { run_id: runId, head: { seq, hash } }])
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

async function write(values: readonly unknown[]): Promise<void> {
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join('')
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
