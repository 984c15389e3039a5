/**
 * An export, line by line, plain or as gzip. No more than a line of it is held.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { JsonObjectSchema } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import { exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import type { Stored } from './run-check.ts'

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
  /** The head that the run must end in; null: its row was gone. */
  head: z.object({ seq: z.number(), hash: z.string() }).nullable(),
  /** Do its definition and the contents that its events name stand in the export? Older ones have neither. */
  contents: z.boolean().default(false),
  /** The definition that the row of the run names. */
  definition: z.string().optional(),
})
const Definition = z.object({ definition: z.string(), body: z.json() })
const Content = z.object({
  run_id: z.string(),
  blob: z.string(),
  /** Base64. */
  bytes: z.string(),
  thread_key: z.string().nullable(),
})

/** A line of an export. */
export type ExportLine =
  | { readonly kind: 'event'; readonly runId: string; readonly event: StoredEvent }
  | ({ readonly kind: 'head'; readonly runId: string } & Pick<
      z.output<typeof Head>,
      'head' | 'contents' | 'definition'
    >)
  | { readonly kind: 'definition'; readonly hash: string; readonly body: unknown }
  | {
      readonly kind: 'content'
      readonly runId: string
      readonly key: string
      readonly stored: Stored
    }

/** Longer than any event or content that can be stored. */
const lineCharsMax = 64 * 1024 * 1024

/** Reads an export. @throws Failure */
export async function* readExport(cwd: string, file: string): AsyncGenerator<ExportLine> {
  let number = 0
  try {
    for await (const text of linesOf(await openExport(resolve(cwd, file)))) {
      number += 1
      // Editors write a mark before the first line.
      const line = number === 1 ? text.replace(/^\uFEFF/, '') : text
      if (line.trim() !== '') yield readLine(line, number)
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const message = `The export ${file} cannot be read (${String(cause)}).`
    throw new Failure('file_unreadable', message, { exitCode: exitCodes.usage, cause })
  }
}

/** A file of gzip is known by its first two bytes. */
async function openExport(path: string): Promise<Readable> {
  const handle = await open(path)
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
  await handle.close()
  const bytes = createReadStream(path)
  if (buffer[0] !== 0x1f || buffer[1] !== 0x8b) return bytes.setEncoding('utf8')
  const plain = createGunzip()
  bytes.once('error', (error) => plain.destroy(error))
  return bytes.pipe(plain).setEncoding('utf8')
}

/** @throws Failure for a line that no export has. */
async function* linesOf(input: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = []
  let chars = 0
  for await (const chunk of input) {
    const [first = '', ...more] = chunk.split('\n')
    rest.push(first)
    chars += first.length
    if (chars > lineCharsMax) throw usageFailure('The file has a line that no export has.')
    const last = more.pop()
    if (last === undefined) continue
    yield rest.join('')
    yield* more
    rest = [last]
    chars = last.length
  }
  yield rest.join('')
}

function readLine(text: string, number: number): ExportLine {
  try {
    const value: unknown = JSON.parse(text)
    const has = (key: string) => typeof value === 'object' && value !== null && key in value
    if (has('head')) {
      const { run_id: runId, ...rest } = Head.parse(value)
      return { kind: 'head', runId, ...rest }
    }
    if (has('definition')) {
      const { definition: hash, body } = Definition.parse(value)
      return { kind: 'definition', hash, body }
    }
    if (has('blob')) {
      const { run_id: runId, blob: key, bytes, thread_key: threadKey } = Content.parse(value)
      return {
        kind: 'content',
        runId,
        key,
        stored: { bytes: Buffer.from(bytes, 'base64'), threadKey },
      }
    }
    const event = eventOf(Proof.parse(value))
    return { kind: 'event', runId: event.runId, event }
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
