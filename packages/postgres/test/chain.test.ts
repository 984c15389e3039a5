/**
 * The hash chain, computed twice: by the database and by `verifyChain` (I18). Whatever is edited, deleted, swapped or cut
 * off in the tables is found, given the head hash as it stood before.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventDigest, genesisHash, payloadHash, verifyChain } from '../src/chain.ts'
import {
  about,
  admission,
  claim,
  decision,
  event,
  fact,
  newRun,
  type RunIds,
  toolEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let admin: pg.Client

beforeAll(async () => {
  admin = new pg.Client(bench.database.adminUrl)
  await admin.connect()
})

afterAll(() => admin.end())

/** Seven events of every kind: facts with and without tool and verdict, decision, claim, note. */
async function story(): Promise<{ run: RunIds; head: { seq: number; hash: string } }> {
  const run = newRun({ tenantId: 'Ärzte', threadId: `t-${Math.random()}` })
  await bench.register.append(admission(run, { effects: [toolEffect(run, 1)] }))
  await bench.register.append({ ...about(run), claims: [claim(`${run.runId}.1`)] })
  const payload = { text: 'grüße 😀', n: [1.5, -0, 1e21, 5e-324], nested: { b: null, a: true } }
  await bench.register.append({
    ...about(run),
    facts: [fact('tool.completed', 'k', { payload, tool: 'write', verdict: 'ok' })],
    decision: decision(2, 5),
    notes: [event('tool.late', { tool: 'write' })],
  })
  const head = await bench.register.head(run.runId)
  return { run, head: { seq: head?.seq ?? 0, hash: head?.headHash ?? '' } }
}

const check = async ({ run, head }: Awaited<ReturnType<typeof story>>) =>
  verifyChain(await bench.register.events(run.runId, {}), head)

it('verifies what the database wrote', async () => {
  const one = await story()
  expect(await check(one)).toEqual({ ok: true, events: 7, headHash: one.head.hash, erased: [] })
})

const sha = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

it('follows the written rule, computed here by hand', () => {
  expect(genesisHash('acme', 'r')).toBe(sha(Buffer.from('signalbox.v1\0acme\0r')))
  expect(payloadHash('00ff', { b: 1, a: 'é' })).toBe(
    sha(Buffer.from([0, 255]), Buffer.from('{"a":"é","b":1}')),
  )
  const columns = '8:run.made,1:1,4:1234,3:ann,-,4:fine,2:ké,2:th,4:abcd,'
  const digest = eventDigest({
    runId: 'r',
    seq: 1,
    tenantId: 'acme',
    threadId: 'th',
    type: 'run.made',
    version: 1,
    at: 1234,
    actor: 'ann',
    tool: null,
    verdict: 'fine',
    key: 'ké',
    payload: {},
    salt: '',
    payloadHash: 'abcd',
    digest: '',
    hash: '',
  })
  expect(digest).toBe(sha(columns.replace('2:ké', '3:ké')))
})

it.each([
  ['type', "'other.type'", 'digest'],
  ['type_version', '2', 'digest'],
  ['at', "at + interval '1 millisecond'", 'digest'],
  ['actor', "'mallory'", 'digest'],
  ['tool', 'null', 'digest'],
  ['tool', "'bash'", 'digest'],
  ['verdict', "'denied'", 'digest'],
  ['key', "'kk'", 'digest'],
  ['thread_id', "'elsewhere'", 'digest'],
  ['payload', `jsonb_set(payload, '{nested,a}', 'false')`, 'payload'],
  ['payload', `'{}'`, 'payload'],
  ['salt', `decode(repeat('00', 16), 'hex')`, 'payload'],
  ['payload_sha256', `sha256('x')`, 'payload'],
  ['digest', `sha256('x')`, 'digest'],
  ['hash', `sha256('x')`, 'link'],
  ['tenant_id', "'other'", 'identity'],
])('finds an edited %s (%s)', async (column, value, part) => {
  const one = await story()
  await admin.query(
    `update signalbox.event set ${column} = ${value} where run_id = $1 and seq = 5`,
    [one.run.runId],
  )
  expect(await check(one)).toEqual({ ok: false, seq: 5, part })
})

it('finds a payload that was replaced together with its hash and digest', async () => {
  const one = await story()
  const events = [...(await bench.register.events(one.run.runId, {}))]
  const victim = events[4]
  if (victim === undefined) throw new Error('no fifth event')
  const payload = { text: 'forged' }
  const forged = { ...victim, payload, payloadHash: payloadHash(victim.salt, payload) }
  events[4] = { ...forged, digest: eventDigest(forged) }
  expect(verifyChain(events, one.head)).toEqual({ ok: false, seq: 5, part: 'link' })
})

it('finds a deleted, a cut off and a swapped event', async () => {
  const [deleted, cut, swapped] = [await story(), await story(), await story()]
  await admin.query('delete from signalbox.event where run_id = $1 and seq = 3', [
    deleted.run.runId,
  ])
  expect(await check(deleted)).toEqual({ ok: false, seq: 3, part: 'sequence' })
  await admin.query('delete from signalbox.event where run_id = $1 and seq > 5', [cut.run.runId])
  expect(await check(cut)).toEqual({ ok: false, seq: 5, part: 'head' })
  await admin.query(
    `update signalbox.event set seq = case seq when 5 then -6 else -5 end
     where run_id = $1 and seq in (5, 6)`,
    [swapped.run.runId],
  )
  await admin.query('update signalbox.event set seq = -seq where run_id = $1 and seq < 0', [
    swapped.run.runId,
  ])
  expect(await check(swapped)).toEqual({ ok: false, seq: 5, part: 'link' })
})

it('finds everything gone, and a run that was moved to another tenant', async () => {
  const [gone, moved] = [await story(), await story()]
  await admin.query('delete from signalbox.event where run_id = $1', [gone.run.runId])
  expect(await check(gone)).toEqual({ ok: false, seq: 0, part: 'head' })
  await admin.query("update signalbox.event set tenant_id = 'other' where run_id = $1", [
    moved.run.runId,
  ])
  expect(await check(moved)).toEqual({ ok: false, seq: 1, part: 'link' })
})

const erase = ({ run }: { readonly run: RunIds }, seq: number) =>
  admin.query(
    'update signalbox.event set payload = null, salt = null where run_id = $1 and seq = $2',
    [run.runId, seq],
  )

/** Records an erasure, and answers where the run ends by then. */
async function recorded({ run }: { readonly run: RunIds }, seq: number | string) {
  const payload = { seq, reason: 'the end user asked for it' }
  await bench.register.append({ ...about(run), notes: [event('payload.erased', { payload })] })
  const head = await bench.register.head(run.runId)
  return { run, head: { seq: head?.seq ?? 0, hash: head?.headHash ?? '' } }
}

it('still verifies when payload and salt were erased and the log says so, and says where', async () => {
  const one = await recorded(await story(), 5)
  await erase(one, 5)
  expect(await check(one)).toMatchObject({ ok: true, erased: [5] })
})

it.each([
  ['nothing says that it was erased', null],
  ['another event was erased', 4],
  ['what was erased is not said', 'all'],
])('finds content that is missing although %s', async (_why, seq) => {
  const before = await story()
  const one = seq === null ? before : await recorded(before, seq)
  await erase(one, 5)
  expect(await check(one)).toEqual({ ok: false, seq: 5, part: 'content_missing' })
})

it('finds a record of an erasure that was erased itself, and a salt that was taken alone', async () => {
  const one = await recorded(await story(), 5)
  await erase(one, 5)
  await erase(one, one.head.seq)
  expect(await check(one)).toEqual({ ok: false, seq: 5, part: 'content_missing' })
  const other = await story()
  await admin.query('update signalbox.event set salt = null where run_id = $1 and seq = 5', [
    other.run.runId,
  ])
  expect(await check(other)).toEqual({ ok: false, seq: 5, part: 'payload' })
})
