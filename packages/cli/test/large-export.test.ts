/**
 * `audit verify --file` of an export that is larger than the memory of the process, its runs interleaved as in a feed, plain and as
 * gzip. Would catch: a reader that keeps the events of a run, or of the file, and one that misses what stands at its end.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { StoredEvent } from '@signalbox/engine'
import { eventDigest, genesisHash, payloadHash } from '@signalbox/postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { start } from './support/command.ts'

const runs = 20
const eventsOfEach = 130
/** 2,600 events of 64 KiB: 163 MiB. */
const text = 'The same again. '.repeat(4_096)
const heapMb = 128

let dir: string
const files = { plain: 'log.ndjson', forged: 'forged.ndjson.gz' }

const runId = (n: number) => `01920000-0000-7000-8000-${String(n).padStart(12, '0')}`

function* lines(forged: boolean): Generator<string> {
  const hashes = Array.from({ length: runs }, (_, n) => genesisHash('default', runId(n)))
  for (let seq = 1; seq <= eventsOfEach; seq++)
    for (const [n, previous] of hashes.entries()) {
      const payload = { text, n }
      const event: StoredEvent = {
        runId: runId(n),
        threadId: 't',
        tenantId: 'default',
        seq,
        type: 'tool.progressed',
        version: 1,
        at: 1_700_000_000_000 + seq,
        actor: 'test',
        tool: null,
        verdict: null,
        key: null,
        payload,
        salt: '00',
        payloadHash: payloadHash('00', payload),
        digest: '',
        hash: '',
      }
      const digest = eventDigest(event)
      const position = Buffer.alloc(8)
      position.writeBigInt64BE(BigInt(seq))
      const bytes = [Buffer.from(previous, 'hex'), position, Buffer.from(digest, 'hex')]
      const hash = createHash('sha256').update(Buffer.concat(bytes)).digest('hex')
      hashes[n] = hash
      const { runId: run_id, threadId: thread_id, tenantId: tenant_id, payloadHash: own } = event
      const isLast = seq === eventsOfEach && n === runs - 1
      yield `${JSON.stringify({
        run_id,
        thread_id,
        tenant_id,
        seq,
        type: event.type,
        version: 1,
        at: new Date(event.at).toISOString(),
        actor: forged && isLast ? 'mallory' : 'test',
        tool: null,
        verdict: null,
        key: null,
        payload,
        salt: '00',
        payload_hash: own,
        digest,
        hash,
      })}\n`
    }
  for (const [n, hash] of hashes.entries())
    yield `${JSON.stringify({ run_id: runId(n), head: { seq: eventsOfEach, hash } })}\n`
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-large-'))
  const to = (name: string) => createWriteStream(join(dir, name))
  await pipeline(Readable.from(lines(false)), to(files.plain))
  await pipeline(Readable.from(lines(true)), createGzip({ level: 1 }), to(files.forged))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const verify = async (file: string) => {
  const env = { NODE_OPTIONS: `--max-old-space-size=${heapMb}` }
  const { code, stdout, stderr } = await start(['audit', 'verify', '--json', '--file', file], {
    cwd: dir,
    env,
  }).ended
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

it(`it is verified with ${heapMb} MB of heap`, async () => {
  expect(await verify(files.plain)).toMatchObject({
    code: 0,
    ok: true,
    runs,
    events: runs * eventsOfEach,
    without_head: 0,
    // It holds events alone, as exports of older versions do.
    without_contents: runs,
  })
})

it('as gzip, too, and what is wrong in its last event is found', async () => {
  expect(await verify(files.forged)).toMatchObject({
    code: 1,
    broken: [{ run_id: runId(runs - 1), seq: eventsOfEach, part: 'digest' }],
  })
})
