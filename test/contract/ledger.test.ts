/**
 * The ledger in both registers: one run per tenant and month, whoever records first. Would catch: a second run of the month, a
 * broken chain under concurrency, a repeated key that counts twice, a tenant in the ledger of another, a month at its border.
 */
import { createMemoryRegister } from '@signalbox/testing/memory'
import {
  createLedger,
  type LedgerEntry,
  ledgerDraft,
  ledgerRunId,
  type Register,
  type StoredEvent,
  systemClock,
  systemRandom,
} from '@signalbox/engine'
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { verifyChain } from '../../packages/postgres/src/chain.ts'
import { about, creation, fact, newRun } from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'
import { createRegister } from '../../packages/postgres/src/register/register.ts'

const world = { clock: systemClock, random: systemRandom }
const bench = useRegister()
const others: Register[] = []
afterAll(() => Promise.all(others.map((other) => other.close())))

/** A second process on the same database. */
const another = (): Register => {
  const other = createRegister({ engineUrl: bench.database.engineUrl })
  others.push(other)
  return other
}
const memory = createMemoryRegister(systemClock)
const registers: readonly (readonly [string, () => Register, () => Register])[] = [
  ['in memory', () => memory, () => memory],
  ['in Postgres', () => bench.register, another],
]

const november = Date.UTC(2026, 10, 17, 3, 4)
const tenantOf = (): string => `tenant-${randomUUID()}`
const revoked = (tenant: string, over: Partial<LedgerEntry<'key.revoked'>> = {}) => ({
  tenant,
  type: 'key.revoked' as const,
  payload: { key: 'k1' },
  actor: 'key:default',
  at: november,
  ...over,
})

const seqs = (events: readonly StoredEvent[]): number[] => events.map(({ seq }) => seq)
const upTo = (most: number): number[] => Array.from({ length: most }, (_, n) => n + 1)

describe.each(registers)('the ledger %s', (_name, registerOf, secondOf) => {
  it('is one run with an unbroken chain, however many record at once for the first time', async () => {
    const [one, two] = [registerOf(), secondOf()]
    const tenant = tenantOf()
    const answers = await Promise.all(
      upTo(40).map((n) =>
        createLedger({ register: n % 2 ? one : two, ...world }).record(
          revoked(tenant, { payload: { key: `k${n}` } }),
        ),
      ),
    )
    expect(new Set(answers)).toEqual(new Set(['recorded']))
    const runId = ledgerRunId(tenant, november)
    const events = await one.events(runId, {})
    expect(seqs(events)).toEqual(upTo(40))
    expect(new Set(events.map(({ payload }) => payload['key'])).size).toBe(40)
    const head = await one.head(runId)
    expect(verifyChain(events, { seq: 40, hash: head?.headHash ?? '' })).toMatchObject({ ok: true })
    expect(head).toMatchObject({ machine: 'ledger', tenantId: tenant, seq: 40 })
  })

  it('takes a key once a month, however many bring it at once', async () => {
    const register = registerOf()
    const ledger = createLedger({ register, ...world })
    const tenant = tenantOf()
    const entry = revoked(tenant, { key: 'key.revoked:k1' })
    const answers = await Promise.all(upTo(12).map(() => ledger.record(entry)))
    expect(answers.toSorted()).toEqual([...Array.from({ length: 11 }, () => 'known'), 'recorded'])
    expect(await ledger.record({ ...entry, payload: { key: 'other' } })).toBe('known')
    const events = await register.events(ledgerRunId(tenant, november), {})
    expect(events).toMatchObject([
      { type: 'key.revoked', key: 'key.revoked:k1', actor: 'key:default', at: november },
    ])
  })

  it('begins anew with the first millisecond of a month in UTC', async () => {
    const register = registerOf()
    const ledger = createLedger({ register, ...world })
    const tenant = tenantOf()
    const border = Date.UTC(2026, 11, 1)
    expect(await ledger.record(revoked(tenant, { at: border - 1, key: 'k' }))).toBe('recorded')
    expect(await ledger.record(revoked(tenant, { at: border, key: 'k' }))).toBe('recorded')
    expect(await ledger.record(revoked(tenant, { at: border + 1 }))).toBe('recorded')
    expect(seqs(await register.events(ledgerRunId(tenant, border - 1), {}))).toEqual([1])
    expect(seqs(await register.events(ledgerRunId(tenant, border), {}))).toEqual([1, 2])
    expect(ledgerRunId(tenant, border)).not.toBe(ledgerRunId(tenant, border - 1))
  })

  it('is never shared by two tenants', async () => {
    const register = registerOf()
    const [mine, theirs] = [tenantOf(), tenantOf()]
    const draft = ledgerDraft(world, revoked(mine))
    await register.recordInLedger(draft)
    expect(ledgerRunId(theirs, november)).not.toBe(draft.runId)
    const foreign = { ...ledgerDraft(world, revoked(theirs)), runId: draft.runId }
    await expect(register.recordInLedger(foreign)).rejects.toThrow('not_a_ledger')
    expect(seqs(await register.events(draft.runId, {}))).toEqual([1])
  })

  it('is written into no run that works', async () => {
    const register = registerOf()
    const run = newRun()
    await register.append(creation(run))
    const draft = { ...ledgerDraft(world, revoked(run.tenantId)), runId: run.runId }
    await expect(register.recordInLedger(draft)).rejects.toThrow('not_a_ledger')
  })

  it('refuses a record that is too large', async () => {
    const tenant = tenantOf()
    const draft = ledgerDraft(world, revoked(tenant, { payload: { key: 'x'.repeat(20_000) } }))
    await expect(registerOf().recordInLedger(draft)).rejects.toThrow('ledger_malformed')
  })

  it('takes no fact, is never ready, and is nothing that could be admitted', async () => {
    const register = registerOf()
    const tenant = tenantOf()
    const { runId, ...draft } = ledgerDraft(world, revoked(tenant))
    await register.recordInLedger({ runId, ...draft })
    const place = { runId, tenantId: tenant, threadId: runId }
    expect(
      await register.append({ ...about(place), facts: [fact('cancel.requested')], admit: true }),
    ).toMatchObject({ factCodes: ['ended'], admitted: false })
    expect(await register.readyRuns(100)).not.toContainEqual({ tenantId: tenant, runId })
    expect(await register.admissibleRuns(100)).not.toContainEqual({ tenantId: tenant, runId })
  })

  it('notes a definition once per tenant, whatever the month', async () => {
    const register = registerOf()
    const [tenant, neighbour] = [tenantOf(), tenantOf()]
    const used = (of: string, at: number) =>
      register.useDefinition(
        'hash-1',
        ledgerDraft(world, {
          tenant: of,
          type: 'definition.used',
          payload: { hash: 'hash-1', agent: 'writer' },
          actor: 'api',
          at,
        }),
      )
    const answers = await Promise.all(upTo(8).map(() => used(tenant, november)))
    expect(answers.filter((one) => one === 'recorded')).toHaveLength(1)
    expect(await used(tenant, Date.UTC(2027, 1, 1))).toBe('known')
    expect(await used(neighbour, november)).toBe('recorded')
    expect(seqs(await register.events(ledgerRunId(tenant, november), {}))).toEqual([1])
  })
})
