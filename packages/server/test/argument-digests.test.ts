/**
 * Digests of what a call was asked and answered, as an export holds them when the arguments are gone. Would catch: a PIN that
 * is found again by trying all of them, two processes that do not agree on the digest, an approval or a recording that a
 * change of the scheme forgets.
 */
import { createHash, createHmac } from 'node:crypto'
import { setKey } from '@signalbox/core'
import { canonical } from '@signalbox/engine'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { call, fed } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const pin = '4931'
const opened: string[] = []

const open = defineTool({
  name: 'open',
  description: 'Opens the safe.',
  effect: 'once',
  input: z.object({ pin: z.string() }),
  run: (input) => {
    opened.push(input.pin)
    return `opened with ${input.pin}`
  },
})

const config: ConfigInput = {
  agents: {
    teller: {
      model: { provider: 'scripted', model: 'teller' },
      tools: ['open'],
      guardrails: { approvalTools: ['open'] },
    },
  },
  tools: [open],
  scripts: {
    teller: (_: unknown, turn: number) =>
      turn === 0 ? { calls: [{ name: 'open', args: { pin } }] } : { text: 'Done.' },
  },
}

let database: TestDatabase
let admin: pg.Client
let [one, two]: TestSignalbox[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const env = { DATABASE_URL: database.adminUrl }
  one = await startTest(config, { env })
  // Runs are made by the first, and answered through the second.
  two = await startTest(config, { env })
  admin = new pg.Client(database.adminUrl)
  await admin.connect()
})
afterAll(async () => {
  await one?.stop()
  await two?.stop()
  await admin?.end()
  await database?.drop()
})

const api = () => one?.api ?? ''
const other = () => two?.api ?? ''

/** A run that asked for an approval, and got it. */
async function approved(
  answer: object = {},
): Promise<{ readonly runId: string; readonly asked: unknown }> {
  const body = { assistant_id: 'teller', input: 'Open it.' }
  const waited = await call(api(), 'POST', '/runs/wait', { body })
  const runId = String(waited.body.run.run_id)
  const [interrupt] = waited.body.__interrupt__
  const path = `/approvals/${interrupt.value.approval_id}`
  const { body: asked } = await call(other(), 'GET', path)
  const said = await call(other(), 'POST', path, { body: { decision: 'approve', ...answer } })
  expect(said.body).toEqual({ code: 'accepted' })
  expect((await call(api(), 'GET', `/runs/${runId}/join`)).body.outcome).toBe('completed')
  return { runId, asked }
}

/** What an erasure takes: the words, the arguments, and what a tool has said. */
const content = new Set(['args', 'parts', 'content', 'output', 'input'])

const erased = (value: unknown): string =>
  JSON.stringify(value, (name, inner: unknown) =>
    content.has(name) && typeof inner === 'object' ? keepHashes(inner) : inner,
  )

/** Of a message the digests of its calls stay, as other events have them too. */
const keepHashes = (inner: unknown): readonly string[] =>
  [...JSON.stringify(inner).matchAll(/"argsHash":"([^"]+)"/g)].map(([, hash]) => hash ?? '')

const digitsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/[0-9a-f]{12,}/g)].map(([hex]) => hex)),
]

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const pins = Array.from({ length: 10_000 }, (_, n) => String(n).padStart(4, '0'))

/** The PINs of which some digest stands in the text; `again` is what a guesser does to a digest that anybody can compute. */
function guess(text: string, again: (plain: string) => string = (plain) => plain): string[] {
  const seen = digitsIn(text)
  return pins.filter((guessed) => {
    const args = { pin: guessed }
    const texts = [
      canonical(args),
      setKey([{ name: 'open', args }], () => ({ effect: 'once' })),
      canonical([{ type: 'text', text: `opened with ${guessed}` }]),
    ]
    const digests = texts.flatMap((each) => [
      again(sha256(each)),
      again(sha256(each).slice(0, 16)),
      again(sha256(each).slice(0, 12)),
    ])
    return seen.some((hex) => digests.some((digest) => digest.startsWith(hex)))
  })
}

describe('digests in an export', () => {
  it('tell nobody what was asked for, unless the key is known', async () => {
    const { runId, asked } = await approved()
    const events = await fed(api(), `run_id=${runId}&limit=1000`, (all) =>
      JSON.stringify(all).includes('"completed"'),
    )
    const exported = erased([events, asked])
    // Digests and ids may have these digits by chance.
    expect(exported).not.toMatch(new RegExp(`(?<![0-9a-f-])${pin}(?![0-9a-f-])`))
    expect(digitsIn(exported).length).toBeGreaterThan(10)
    expect(guess(exported)).toEqual([])
    const { rows } = await admin.query<{ key: Buffer }>('select key from signalbox.digest_key')
    const [{ key } = { key: Buffer.alloc(0) }] = rows
    expect(rows).toHaveLength(1)
    const keyed = (plain: string) => createHmac('sha256', key).update(plain).digest('hex')
    expect(guess(exported, keyed)).toEqual([pin])
  })
})
