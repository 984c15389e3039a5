/**
 * Limits under the id of a pack. Would catch: a passport that limits merges by `code.repository.merge`, as its pack says, and is
 * read as one without limits.
 */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json.ts'
import { evaluatePassport } from '../../src/verdict/authorization/passport/evaluate-passport.ts'
import { ask, passport, request, spec, verdictOf } from './passports.ts'

/** Packs and what they require, from the packs' own registry. */
const packs = [
  ['code.repository.merge', 'repo.merge'],
  ['code.repository.merge', 'repo.pr.create'],
  ['code.release.publish', 'repo.release'],
  ['data.export.create', 'data.export'],
  ['finance.payment.charge', 'payments.charge'],
  ['finance.payment.payout', 'payments.payout'],
  ['finance.transaction.execute', 'finance.transaction'],
  ['governance.data.access', 'data.access'],
] as const

const holding = (capability: string, limits: JsonObject) =>
  passport(limits, { capabilities: [{ id: capability }], assurance_level: 'L4FIN' })

const verdict = (held: JsonObject, capability: string) =>
  verdictOf(
    evaluatePassport(
      spec(held, { capabilities: { act: capability } }),
      request('act', { repository: 'evil/repo' }),
    ),
  )

const nested = (id: string, value: JsonObject): JsonObject =>
  id.split('.').reduceRight<JsonObject>((inner, step) => ({ [step]: inner }), value)

describe.each(packs)('%s limits %s', (pack, capability) => {
  test('without limits the capability is allowed', () => {
    expect(verdict(holding(capability, {}), capability)).toBe('allow')
  })

  test.each([
    ['under its id', { [pack]: { allowed_repos: ['good/repo'] } }],
    ['as a dotted path', nested(pack, { allowed_repos: ['good/repo'] })],
    ['in the wrong shape', { [pack]: 'good/repo' }],
  ])('limits %s are never absent', (_where, limits) => {
    expect(verdict(holding(capability, limits), capability)).toBe('oap.policy_error')
  })
})

test('limits under the pack of messages are checked like those under the capability', () => {
  const limits = {
    msgs_per_min: 5,
    msgs_per_day: 5,
    allowed_recipients: ['#team'],
    approval_required: false,
  }
  const send = (under: string, channel: string) =>
    verdictOf(
      evaluatePassport(
        spec(passport({ [under]: limits }), { capabilities: { send: 'messaging.send' } }),
        request('send', { channel_id: channel, message: 'Hi.' }),
      ),
    )
  for (const under of ['messaging.send', 'messaging.message.send']) {
    expect(send(under, '#team')).toBe('allow')
    expect(send(under, '#everybody')).not.toBe('allow')
  }
})

const read = (limits: JsonObject) =>
  verdictOf(ask(passport(limits), request('read_file', { path: 'a' })))

describe('an object that names nothing', () => {
  const files = { 'data.file.read': { allowed_paths: ['*'] } }

  test.each([
    ['a misspelt capability', { 'data.file.raed': { allowed_paths: [] } }],
    ['a misspelt path', { data: { file: { raed: { allowed_paths: [] } } } }],
    ['a pack of another version', { 'code.repository.merge.v1': { allowed_repos: [] } }],
    ['a vendor', { currency_limits: { EUR: { max_per_tx: 1 } } }],
  ])('denies: %s', (_name, more) => {
    expect(read({ ...files, ...more })).toBe('oap.policy_error')
  })

  test.each([
    [
      'a known pack that the passport does not hold',
      { 'finance.crypto.trade': { max_trades_per_day: 1 } },
    ],
    ['the same as a path', { finance: { crypto: { trade: { max_trades_per_day: 1 } } } }],
  ])('does not deny: %s', (_name, more) => {
    expect(read({ ...files, ...more })).toBe('allow')
  })

  test('a capability of the author’s own, which the passport holds, is none', () => {
    const held = passport(
      { ...files, 'search.query': { most: 1 } },
      {
        capabilities: [{ id: 'data.file.read' }, { id: 'search.query' }],
      },
    )
    expect(verdictOf(ask(held, request('read_file', { path: 'a' })))).toBe('allow')
  })
})
