/**
 * Secrets and identities of the corpus through a whole server with `redact`: said in text, passed in the arguments of a call, answered by a tool.
 * Would catch: a place to which an untouched copy goes, be it a table, a stream, an answer, a log or the tool itself.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Database } from '../../../test/leak-hunt/remains.ts'
import { positives } from '../../policies/test/guardrails/corpora/positives.ts'
import { createTestDatabase } from '../../postgres/test/support/database.ts'
import { call, readSse } from './support/http.ts'
import { note, noted } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Every third sample is said, passed, answered. */
const third = (n: number) => positives.filter((_, at) => at % 3 === n)
const [said, passed, answered] = [third(0), third(1), third(2)]
const lines = (samples: typeof positives): string => samples.map(({ text }) => text).join('\n\n')

const read = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  effect: 'read',
  input: z.object({}),
  run: () => ({ lines: answered.map(({ text }) => text) }),
})

const config: ConfigInput = {
  agents: {
    clerk: {
      model: { provider: 'scripted', model: 'clerk' },
      tools: ['note', 'read_page'],
      guardrails: {
        stream: [
          'secrets',
          {
            use: 'pii',
            entities: [
              'email',
              'phone',
              'ssn',
              'cn-resident-id',
              'credit-card',
              'iban',
              'ip-address',
            ],
            toolResults: true,
          },
        ],
      },
    },
  },
  tools: [note, read],
  scripts: {
    clerk: (_, turn) =>
      turn === 0
        ? {
            text: lines(said),
            chunkSize: 7,
            calls: [
              { name: 'note', args: { text: lines(passed) } },
              { name: 'read_page', args: {} },
            ],
          }
        : { text: 'Done.' },
  },
}

let box: TestSignalbox
let database: Awaited<ReturnType<typeof createTestDatabase>>
let kept: Database
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-redacted-'))
  // Run by root, Postgres is another user.
  await chmod(dir, 0o755)
  database = await createTestDatabase()
  kept = await Database.connect(database.adminUrl)
  box = await startTest(config, { env: { DATABASE_URL: database.adminUrl } })
})
afterAll(async () => {
  await box?.stop()
  await kept?.close()
  await database?.drop()
  await rm(dir, { recursive: true, force: true })
})

const pieceChars = 10
const plain = positives.map(({ text, secret }) => text.replace(secret, '')).join('\n')

/** Ten characters after ten, and the last ten: whatever is left of nineteen and more is found. What sentences have as well is no trace. */
function piecesOf(secret: string): readonly string[] {
  const starts = Array.from(
    { length: Math.ceil(secret.length / pieceChars) },
    (_, n) => n * pieceChars,
  )
  return [
    ...starts.map((at) => secret.slice(at, at + pieceChars)),
    secret.slice(-pieceChars),
  ].filter((piece) => piece.length >= Math.min(pieceChars, secret.length) && !plain.includes(piece))
}

it('no table, stream, answer, log or tool has any of them', async () => {
  const { body: run } = await call(box.api, 'POST', '/runs', {
    body: { assistant_id: 'clerk', input: 'Go on.' },
  })
  const path = `/threads/${run.thread_id}/runs/${run.run_id}`
  const frames: unknown[] = []
  const response = await fetch(`${box.api}${path}/stream?stream_mode=signalbox`)
  if (!response.body) throw new Error('no body')
  for await (const frame of readSse(response.body)) {
    frames.push(frame)
    if (frame.event === 'end') break
  }
  const { body: joined } = await call(box.api, 'GET', `${path}/join`)
  expect(joined.outcome).toBe('completed')
  const { body: recorded } = await call(box.api, 'GET', `${path}/events?limit=1000`)
  const events = JSON.stringify(recorded.events)
  // It was there: each of the three places has its markers.
  expect(noted.get(String(run.run_id))?.join('')).toContain('[redacted:')
  for (const place of ['text', 'arguments', 'result']) expect(events).toContain(`"place":"${place}`)

  const remains = [
    { where: 'frames', bytes: Buffer.from(JSON.stringify(frames)) },
    { where: 'answer', bytes: Buffer.from(JSON.stringify(joined)) },
    { where: 'events', bytes: Buffer.from(events) },
    { where: 'log', bytes: Buffer.from(box.logged.join('\n')) },
    { where: 'tool', bytes: Buffer.from(noted.get(String(run.run_id))?.join('\n') ?? '') },
    kept.announced,
    ...(await kept.tables(join(dir, 'tables'))),
  ]
  expect(remains.length).toBeGreaterThan(20)
  const pieces = positives.map(({ secret }) => ({ secret, pieces: piecesOf(secret) }))
  expect(pieces.filter((each) => each.pieces.length === 0)).toEqual([])
  const found = pieces.flatMap((each) =>
    remains.flatMap(({ where, bytes }) =>
      each.pieces.some((piece) => bytes.includes(piece)) ? [`${where}: ${each.secret}`] : [],
    ),
  )
  expect(found).toEqual([])
})
