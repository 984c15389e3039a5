/** Reads and writes around the log: definitions, blobs, threads, conversations, listings. */
import { AgentDefinition } from '@signalbox/core'
import { definitionHash } from '@signalbox/engine'
import canonicalize from 'canonicalize'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createReader } from '../src/read/reader.ts'
import {
  about,
  admission,
  creation,
  decision,
  event,
  fact,
  finalDecision,
  newRun,
  uuid7,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

it('keeps a definition by its hash; the first one stands', async () => {
  const definition = AgentDefinition.parse({
    name: 'writer',
    model: { provider: 'scripted', model: 'm' },
    instructions: 'Write.',
    tools: [],
  })
  // The rule of the address, written out: sha256 of RFC 8785.
  const hash = createHash('sha256')
    .update(canonicalize(definition) ?? '')
    .digest('hex')
  expect(await bench.register.definition(hash)).toBeNull()
  await bench.register.putDefinition(hash, definition)
  await bench.register.putDefinition(hash, { ...definition, name: 'other' })
  expect(await bench.register.definition(hash)).toEqual(definition)
})

it('a definition under a hash that is not its own is changed: it is not read', async () => {
  const odd = AgentDefinition.parse({
    name: 'Ünïcode \u2028 \u{1f680}',
    model: { provider: 'scripted', model: 'm' },
    // Numbers as jsonb keeps them, and as JSON writes them.
    limits: { maxTokens: 9_007_199_254_740_991, maxCost: 1e-7, warnAt: 0.1 },
    instructions: 'é \u0001 "quoted" \\',
    tools: [],
  })
  const hash = definitionHash(odd)
  await bench.register.putDefinition(hash, odd)
  expect(await bench.register.definition(hash)).toEqual(odd)
  const other = 'f'.repeat(64)
  await bench.register.putDefinition(other, odd)
  await expect(bench.register.definition(other)).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'definition_changed',
    message: expect.stringContaining(hash),
  })
})

it('keeps blobs per tenant and thread', async () => {
  const thread = { tenantId: 'a', threadId: 't' }
  const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256)
  await bench.register.putBlob(thread, { key: 'k', mime: 'image/png', bytes })
  await bench.register.putBlob(thread, { key: 'k', mime: 'image/png', bytes })
  const found = await bench.register.blob(thread, 'k')
  expect(found?.mime).toBe('image/png')
  expect(Buffer.from(found?.bytes ?? []).equals(bytes)).toBe(true)
  expect(await bench.register.blob({ ...thread, tenantId: 'b' }, 'k')).toBeNull()
  expect(await bench.register.blob({ ...thread, threadId: 'u' }, 'k')).toBeNull()
})

it('creates a thread once, and another tenant has its own of the same id', async () => {
  const thread = {
    threadId: uuid7(),
    tenantId: 'a',
    metadata: { title: 'x' },
    createdAt: 1_700_000_000_123,
    contentKey: '0f'.repeat(32),
  }
  expect(await bench.register.ensureThread(thread)).toEqual(thread)
  const again = { ...thread, metadata: {}, contentKey: 'ff'.repeat(32) }
  expect(await bench.register.ensureThread(again)).toEqual(thread)
  const other = { ...again, tenantId: 'b' }
  expect(await bench.register.ensureThread(other)).toEqual(other)
})

it('a conversation is what admitted and ended runs said, up to the run', async () => {
  const threadId = uuid7()
  const [first, second, third] = [0, 1, 2].map(() => newRun({ threadId }))
  if (!first || !second || !third) throw new Error('three runs')
  await bench.register.append(admission(first))
  await bench.register.append({
    ...about(first),
    facts: [fact('model.completed'), fact('policy.answered')],
    decision: finalDecision(2, 5, {
      events: [event('run.transitioned'), event('call.denied')],
    }),
  })
  await bench.register.append(admission(second))
  await bench.register.append(creation(third))
  const types = async (runId: string) =>
    (await bench.register.conversation(threadId, runId)).map((one) => one.type)
  const one = ['run.created', 'model.completed', 'call.denied']
  expect(await types(first.runId)).toEqual(one)
  expect(await types(second.runId)).toEqual([...one, 'run.created'])
  expect(await types(third.runId)).toEqual([...one, 'run.created'])
  const foreign = newRun({ threadId, tenantId: 'other' })
  await bench.register.append(admission(foreign))
  expect(await types(foreign.runId)).toEqual(['run.created'])
})

it('pages events of a run', async () => {
  const run = newRun()
  await bench.register.append(admission(run))
  const seqs = async (page: { after?: number; limit?: number }) =>
    (await bench.register.events(run.runId, page)).map((one) => one.seq)
  expect(await seqs({})).toEqual([1, 2, 3])
  expect(await seqs({ after: 1, limit: 1 })).toEqual([2])
  expect(await bench.register.head('no-uuid')).toBeNull()
  expect(await bench.register.events('no-uuid', {})).toEqual([])
})

const ids = (found: readonly { readonly runId: string }[]) => found.map((one) => one.runId)

it('lists runs and threads, newest first, and what waits', async () => {
  const tenantId = uuid7()
  const runs = [0, 1, 2].map(() => newRun({ tenantId }))
  for (const run of runs) await bench.register.append(admission(run))
  const [oldest, middle, newest] = runs
  if (!oldest || !middle || !newest) throw new Error('three runs')
  const waiting = decision(2, 4, { status: 'waiting', stateName: 'approval' })
  await bench.register.append({ ...about(middle), facts: [fact('x.done')], decision: waiting })
  const thread = { tenantId, metadata: {}, contentKey: '00'.repeat(32) }
  for (const n of [1, 2, 3]) {
    await bench.register.ensureThread({ ...thread, threadId: `${tenantId}-${n}`, createdAt: n })
  }
  const reader = createReader({ appUrl: bench.database.appUrl })
  expect(ids(await reader.runs(tenantId, { limit: 2 }))).toEqual([newest.runId, middle.runId])
  expect(ids(await reader.runs(tenantId, { limit: 2, offset: 2 }))).toEqual([oldest.runId])
  expect(ids(await reader.runs(tenantId, { threadId: oldest.threadId }))).toEqual([oldest.runId])
  expect(ids(await reader.runs(tenantId, { status: 'waiting' }))).toEqual([middle.runId])
  expect(ids((await reader.waiting(tenantId)).runs)).toEqual([middle.runId])
  const threads = await reader.threads(tenantId, { limit: 2 })
  expect(threads.map((one) => one.createdAt)).toEqual([3, 2])
  expect(threads[0]).not.toHaveProperty('contentKey')
  await reader.close()
})
