import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { JsonObjectSchema } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import { exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'

const Proof = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  tenant_id: z.string(),
  seq: z.number(),
  type: z.string(),
  version: z.number(),
  at: z.string(),
  actor: z.string(),
  tool: z.string().nullable(),
  verdict: z.string().nullable(),
  key: z.string().nullable(),
  payload: JsonObjectSchema,
  salt: z.string(),
  payload_hash: z.string(),
  digest: z.string(),
  hash: z.string(),
})
const Head = z.object({
  run_id: z.string(),
  head: z.object({ seq: z.number(), hash: z.string() }),
})
const Line = z.union([Head, Proof])

export interface ExportedRun {
  readonly runId: string
  readonly events: StoredEvent[]
  /** What the run must end in; null if the export does not say. */
  head: { readonly seq: number; readonly hash: string } | null
}

/** Reads an export, run by run. @throws Failure */
export async function readExport(cwd: string, file: string): Promise<readonly ExportedRun[]> {
  const runs = new Map<string, ExportedRun>()
  const input = createReadStream(resolve(cwd, file), 'utf8')
  const opened = new Promise<void>((done, fail) =>
    input.once('open', () => done()).once('error', fail),
  )
  try {
    await opened
  } catch (cause) {
    const message = `The export ${file} cannot be read (${String(cause)}).`
    throw new Failure('file_unreadable', message, { exitCode: exitCodes.usage, cause })
  }
  let number = 0
  for await (const text of createInterface({ input })) {
    number += 1
    if (text.trim() === '') continue
    const line = readLine(text, number)
    const run = runs.get(line.run_id) ?? { runId: line.run_id, events: [], head: null }
    runs.set(line.run_id, run)
    if ('head' in line) run.head = line.head
    else run.events.push(eventOf(line))
  }
  return [...runs.values()]
}

function readLine(text: string, number: number): z.output<typeof Line> {
  try {
    return Line.parse(JSON.parse(text))
  } catch {
    throw usageFailure(
      `Line ${number} of the export is no event with its proof. Make the export with: signalbox audit export`,
    )
  }
}

function eventOf(line: z.output<typeof Proof>): StoredEvent {
  const { run_id, thread_id, tenant_id, payload_hash, at, ...rest } = line
  return {
    ...rest,
    runId: run_id,
    threadId: thread_id,
    tenantId: tenant_id,
    payloadHash: payload_hash,
    at: Date.parse(at),
  }
}
