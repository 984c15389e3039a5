/** Limits that are comparisons of fields: what each kind of comparison allows, refuses, and cannot judge. */
import { describe, expect, test } from 'vitest'
import { type JsonObject, noCalls, type RateState } from '@signalbox/core'
import { packRates, unpackRates } from '../../../core/src/machine/compact.ts'
import { addTally } from '../../../core/src/verdict/authorization/rates.ts'
import { evaluatePassport, passportTallies } from '../../src/passport/evaluate-passport.ts'
import { noon, passport, request, spec, verdictOf } from './passports.ts'

const specOf = (capability: string, limits: JsonObject, level = 'L4FIN') =>
  spec(
    passport(
      { [capability]: limits },
      { assurance_level: level, capabilities: [{ id: capability }] },
    ),
    { capabilities: { act: capability } },
  )

const judge = (
  capability: string,
  limits: JsonObject,
  args: JsonObject,
  recent?: RateState,
): string => verdictOf(evaluatePassport(specOf(capability, limits), request('act', args), recent))

const context = 'oap.invalid_context'
const exceeded = 'oap.limit_exceeded'

describe('amounts', () => {
  const limits = {
    currency_limits: { EUR: { max_per_tx: 500, daily_cap: 900 }, JPY: {} },
    supported_currencies: ['EUR', 'JPY', 'USD'],
  }
  test.each<[JsonObject, string]>([
    [{ amount: 500, currency: 'EUR' }, 'allow'],
    [{ amount: 501, currency: 'EUR' }, exceeded],
    [{ amount: 9_000_000, currency: 'JPY' }, 'allow'],
    [{ amount: 1, currency: 'USD' }, 'oap.currency_unsupported'],
    [{ amount: 1, currency: 'eur' }, 'oap.currency_unsupported'],
    [{ amount: 1, currency: 'toString' }, 'oap.currency_unsupported'],
    [{ amount: 4.5, currency: 'EUR' }, context],
    [{ amount: 0, currency: 'EUR' }, context],
    [{ amount: -1, currency: 'EUR' }, context],
    [{ amount: '5', currency: 'EUR' }, context],
    [{ amount: [5], currency: 'EUR' }, context],
    [{ amount: 5, currency: ['EUR'] }, context],
    [{ currency: 'EUR' }, context],
    [{ amount: 5 }, context],
    [{}, context],
  ])('%j: %s', (args, expected) => {
    expect(judge('finance.payment.refund', limits, args)).toBe(expected)
  })

  test('a daily cap adds up over the calls of a run, and begins again the next day', () => {
    const held = specOf('finance.payment.refund', limits)
    const args = { amount: 450, currency: 'EUR' }
    let recent = noCalls
    for (const tally of passportTallies(held, { tool: 'act', args }))
      recent = addTally(recent, tally, noon)
    recent = unpackRates(packRates(recent))
    expect(judge('finance.payment.refund', limits, args, recent)).toBe('allow')
    const one = { amount: 451, currency: 'EUR' }
    expect(judge('finance.payment.refund', limits, one, recent)).toBe(exceeded)
    const tomorrow = request('act', one, noon + 86_400_000)
    expect(verdictOf(evaluatePassport(held, tomorrow, recent))).toBe('allow')
  })

  test.each<[JsonObject]>([
    [{ EUR: { max_per_transaction: 5 } }],
    [{ EUR: 5 }],
    [{ EUR: { max_per_tx: '5' } }],
    [{ EUR: { max_per_tx: -5 } }],
    [{ 'EUR ': { max_per_tx: 5 } }],
  ])('currency limits nobody can check deny: %j', (each) => {
    const args = { amount: 1, currency: 'EUR' }
    expect(judge('finance.payment.refund', { currency_limits: each }, args)).toBe(
      'oap.policy_error',
    )
  })
})

test.each<[string, JsonObject, JsonObject, string]>([
  ['payments.charge', { max_items_per_tx: 2 }, { items: [1, 2] }, 'allow'],
  ['payments.charge', { max_items_per_tx: 2 }, { items: [1, 2, 3] }, exceeded],
  ['payments.charge', { max_items_per_tx: 2 }, {}, context],
  ['payments.charge', { blocked_categories: ['arms'] }, { items: [{ category: 'food' }] }, 'allow'],
  [
    'payments.charge',
    { blocked_categories: ['arms'] },
    { items: [{ category: 'food' }, { category: 'arms' }] },
    'oap.category_blocked',
  ],
  ['payments.charge', { blocked_categories: ['arms'] }, { items: [{ name: 'gun' }] }, context],
  ['payments.charge', { idempotency_required: true }, { idempotency_key: 'k' }, 'allow'],
  ['payments.charge', { idempotency_required: true }, { idempotency_key: ' ' }, context],
  ['payments.charge', { idempotency_required: false }, {}, 'allow'],
  ['payments.charge', { require_assurance_at_least: 'L4FIN' }, {}, 'allow'],
  ['payments.charge', { require_assurance_at_least: 'L9' }, {}, 'oap.policy_error'],
  ['payments.charge', { allowed_countries: [] }, { country: 'DE' }, 'oap.region_blocked'],
  ['payments.charge', { allowed_countries: ['*'] }, { country: 'DE' }, 'allow'],
  [
    'payments.charge',
    { allowed_countries: ['DE'] },
    { country: 'DE', region: 'US' },
    'oap.region_blocked',
  ],
  ['payments.charge', { allowed_countries: ['DE'] }, { country: ['DE', 7] }, 'oap.region_blocked'],
  ['payments.charge', { allowed_countries: ['DE'] }, { country: { a: 'DE' } }, context],
  [
    'payments.payout',
    { compliance_checks_required: true },
    { compliance_checks_passed: true },
    'allow',
  ],
  [
    'payments.payout',
    { compliance_checks_required: true },
    { compliance_checks_passed: 'true' },
    'oap.compliance_check_required',
  ],
  ['repo.merge', { required_labels: ['ok', 'qa'] }, { labels: ['qa', 'ok', 'x'] }, 'allow'],
  [
    'repo.merge',
    { required_labels: ['ok', 'qa'] },
    { labels: ['ok'] },
    'oap.missing_required_context',
  ],
  ['repo.merge', { required_reviews: 2 }, { reviews: 2 }, 'allow'],
  ['repo.merge', { required_reviews: 2 }, { reviews: ['ann'] }, 'oap.missing_required_context'],
  [
    'repo.merge',
    { allowed_paths: ['src', 'docs/*.md'] },
    { files: ['src/a/b.ts', 'docs/a.md'] },
    'allow',
  ],
  ['repo.merge', { allowed_paths: ['src'] }, { files: ['src/../ci.yml'] }, 'oap.path_not_allowed'],
  ['repo.merge', { allowed_paths: ['src'] }, { files: ['srcs/a'] }, 'oap.path_not_allowed'],
  ['repo.merge', { max_prs_per_day: 0 }, {}, 'allow'],
  ['repo.pr.create', { max_prs_per_day: 0 }, {}, 'oap.rate_limit_exceeded'],
  [
    'data.report.ingest',
    { max_data_age_seconds: 60 },
    { data_timestamp: '2026-10-01T11:59:00Z' },
    'allow',
  ],
  [
    'data.report.ingest',
    { max_data_age_seconds: 60 },
    { data_timestamp: '2026-10-01T11:58:59Z' },
    'oap.data_stale',
  ],
  [
    'data.report.ingest',
    { max_data_age_seconds: 60 },
    { data_timestamp: '2030-01-01T00:00:00Z' },
    'oap.data_stale',
  ],
  ['data.report.ingest', { max_data_age_seconds: 60 }, { data_timestamp: 'today' }, context],
  [
    'data.report.ingest',
    { data_quality_threshold: 0.9 },
    { quality_score: 0.89 },
    'oap.data_quality_insufficient',
  ],
  ['data.export', { max_rows: 10 }, { rows: 10 }, 'allow'],
  ['data.export', { max_rows: 10 }, { rows: 5, limit: 11 }, exceeded],
  ['data.export', { allow_pii: false }, {}, 'allow'],
  ['data.export', { allow_pii: false }, { pii: 'no' }, 'oap.pii_not_allowed'],
  ['data.export', { allow_pii: true }, { pii: true }, 'allow'],
  ['finance.crypto.trade', { allowed_tokens: ['BTC', 'EUR'] }, { pair: 'BTC-EUR' }, 'allow'],
  [
    'finance.crypto.trade',
    { allowed_tokens: ['BTC', 'EUR'] },
    { pair: 'BTC' },
    'oap.token_forbidden',
  ],
  ['finance.crypto.trade', { max_daily_trade_volume_usd: 10 }, { amount_usd: 9.5 }, 'allow'],
  ['finance.crypto.trade', { max_daily_trade_volume_usd: 10 }, { amount_usd: 10.5 }, exceeded],
  ['finance.crypto.trade', { max_daily_trade_volume_usd: 10 }, { amount_usd: Number.NaN }, context],
  ['deliverable.task.complete', { min_summary_words: 3 }, { summary: 'one two three' }, 'allow'],
  [
    'deliverable.task.complete',
    { min_summary_words: 3 },
    { summary: 'one  two' },
    'oap.summary_insufficient',
  ],
  [
    'deliverable.task.complete',
    { require_different_reviewer: true },
    { reviewer_id: 'ann', author_id: 'bob' },
    'allow',
  ],
  [
    'deliverable.task.complete',
    { require_different_reviewer: true },
    { reviewer_id: 'bob', author_id: 'bob' },
    'oap.self_review_not_allowed',
  ],
  [
    'deliverable.task.complete',
    { require_different_reviewer: true },
    { reviewer_id: 'writer' },
    'oap.self_review_not_allowed',
  ],
  [
    'deliverable.task.complete',
    { require_different_reviewer: true },
    {},
    'oap.self_review_not_allowed',
  ],
  [
    'deliverable.task.complete',
    { blocked_patterns: ['to do'] },
    { output: { a: ['TO  DO'] } },
    'oap.blocked_pattern_detected',
  ],
])('%s %j: %j is %s', (capability, limits, args, expected) => {
  expect(judge(capability, limits, args)).toBe(expected)
})

describe('criteria', () => {
  const limits = { acceptance_criteria: [{ id: 'a', description: 'x' }, { id: 'b' }] }
  const met = { criterion_id: 'a', met: true, evidence: 'log' }
  test.each<[readonly JsonObject[], string]>([
    [[met, { ...met, criterion_id: 'b' }], 'allow'],
    [[met], 'oap.criteria_incomplete'],
    [[met, { ...met, criterion_id: 'b', met: false }], 'oap.criteria_not_met'],
    [[met, { ...met, criterion_id: 'b', evidence: ' ' }], 'oap.evidence_missing'],
    [[met, { ...met, met: false }, { ...met, criterion_id: 'b' }], 'oap.criteria_not_met'],
    [[], 'oap.criteria_incomplete'],
  ])('%j: %s', (attestations, expected) => {
    const args = { criteria_attestations: attestations }
    expect(judge('deliverable.task.complete', limits, args)).toBe(expected)
  })
})

describe('permissions by class', () => {
  const limits = { permissions: { public: { allowed_actions: ['read'] } } }
  test.each<[JsonObject, string]>([
    [{ data_classification: 'public', action: 'read' }, 'allow'],
    [{ data_classification: 'public', action: 'write' }, 'oap.action_forbidden'],
    [{ data_classification: 'secret', action: 'read' }, 'oap.classification_forbidden'],
    [{ data_classification: ['public', 'secret'], action: 'read' }, context],
    [{ action: 'read' }, context],
  ])('%j: %s', (args, expected) => {
    expect(judge('data.access', limits, args)).toBe(expected)
  })
})

test('rates count the calls of the run in their window', () => {
  const held = specOf('payments.payout', { max_payouts_per_day: 1 })
  const [tally] = passportTallies(held, { tool: 'act', args: {} })
  expect(tally).toEqual({ key: 'payments.payout', by: 1 })
  const recent = addTally(noCalls, { key: 'payments.payout', by: 1 }, noon)
  const again = judge('payments.payout', { max_payouts_per_day: 1 }, {}, recent)
  expect(again).toBe('oap.rate_limit_exceeded')
})

test('what is not limited is not counted, and the first edition counts what it counted', () => {
  const { edition: _, ...first } = specOf('payments.payout', { max_payouts_per_day: 1 })
  expect(passportTallies(first, { tool: 'act', args: {} })).toEqual([])
  expect(passportTallies(specOf('payments.payout', {}), { tool: 'act', args: {} })).toEqual([])
})
