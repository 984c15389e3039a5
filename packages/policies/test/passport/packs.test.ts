/** Limits under the names of policy packs, and limit objects that name nothing. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@signalbox/core'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { ask, passport, request, spec, verdictOf } from './passports.ts'

/** What a passport that holds one capability says about a call of a tool that is mapped to it. */
const under = (
  capability: string,
  limits: JsonObject,
  args: JsonObject,
  fields: JsonObject = {},
): string => {
  const held = passport(limits, {
    assurance_level: 'L4FIN',
    capabilities: [{ id: capability }],
    ...fields,
  })
  const mapped = spec(held, { capabilities: { act: capability } })
  return verdictOf(evaluatePassport(mapped, request('act', args)))
}

const here = { repository: 'acme/site', action: 'merge', branch: 'main' }

test.each(['code.repository.merge', 'code.repository.merge.v1', 'repo.merge'])(
  'a repository is forbidden by limits under %s',
  (name) => {
    const limits = { [name]: { allowed_repos: ['acme/site'] } }
    expect(under('repo.merge', limits, here)).toBe('allow')
    expect(under('repo.merge', limits, { ...here, repository: 'acme/payroll' })).toBe(
      'oap.repo_not_allowed',
    )
    expect(under('repo.merge', limits, { action: 'merge' })).toBe('oap.invalid_context')
  },
)

// The pack ids and capabilities of the working draft, and a limit of each that the call breaks.
test.each<[string, string, JsonObject, JsonObject]>([
  [
    'system.command.execute',
    'system.command.execute',
    { allowed_commands: ['ls'] },
    { command: 'rm x' },
  ],
  ['data.file.read', 'data.file.read', { allowed_paths: ['a'] }, { path: 'b' }],
  ['data.file.write', 'data.file.write', { allowed_paths: ['a'] }, { path: 'b' }],
  ['web.fetch', 'web.fetch', { allowed_domains: ['a.com'] }, { url: 'https://b.com/' }],
  ['web.browser', 'web.browser', { allowed_actions: ['click'] }, { action: 'type' }],
  ['mcp.tool.execute', 'mcp.tool.execute', { allowed_servers: ['a'] }, { server: 'b', tool: 'c' }],
  [
    'agent.session.create',
    'agent.session.create',
    { allowed_session_types: ['batch'] },
    { session_type: 'webhook' },
  ],
  [
    'agent.tool.register',
    'agent.tool.register',
    { allowed_tool_types: ['http'] },
    { tool_type: 'shell' },
  ],
  [
    'messaging.message.send',
    'messaging.send',
    { allowed_recipients: ['a'] },
    { channel_id: 'b', message: 'x' },
  ],
  ['code.repository.merge', 'repo.merge', { allowed_base_branches: ['main'] }, { branch: 'prod' }],
  ['code.repository.merge', 'repo.pr.create', { max_files_changed: 2 }, { files: ['a', 'b', 'c'] }],
  ['code.repository.merge', 'repo.push', { path_allowlist: ['src'] }, { files: ['src/a', 'ci/b'] }],
  ['code.release.publish', 'repo.release', { allowed_extensions: ['.tgz'] }, { files: ['a.exe'] }],
  ['data.export.create', 'data.export', { allow_pii: false }, { include_pii: true }],
  [
    'data.report.ingest',
    'data.report.ingest',
    { approved_sources: ['a'] },
    { data_source_id: 'b' },
  ],
  [
    'finance.payment.refund',
    'finance.payment.refund',
    { currency_limits: { EUR: { max_per_tx: 500 } } },
    { amount: 501, currency: 'EUR' },
  ],
  [
    'finance.payment.charge',
    'payments.charge',
    { allowed_merchant_ids: ['a'] },
    { merchant_id: 'b' },
  ],
  [
    'finance.payment.payout',
    'payments.payout',
    { allowed_destination_types: ['bank'] },
    { destination_type: 'wallet' },
  ],
  [
    'finance.transaction.execute',
    'finance.transaction',
    { max_exposure_per_tx_usd: 10 },
    { amount_usd: 10.5 },
  ],
  [
    'finance.crypto.trade',
    'finance.crypto.trade',
    { allowed_tokens: ['BTC', 'USD'] },
    { pair: 'DOGE/USD' },
  ],
  [
    'governance.data.access',
    'data.access',
    { allowed_classifications: ['public'] },
    { data_classification: 'secret' },
  ],
  [
    'legal.contract.review',
    'legal.contract.review',
    { allowed_jurisdictions: ['DE'] },
    { jurisdiction: 'US' },
  ],
  ['media.image.generate', 'media.image.generate', { max_output_images: 1 }, { output_count: 2 }],
  [
    'deliverable.task.complete',
    'deliverable.task.complete',
    { require_tests_passing: true },
    { tests_passing: false },
  ],
])('limits of %s bind %s', (pack, capability, limits, args) => {
  const nested = pack
    .split('.')
    .reduceRight<JsonObject>((value, step) => ({ [step]: value }), limits)
  const places = [{ [pack]: limits }, { [`${pack}.v1`]: limits }, { [capability]: limits }, nested]
  const answers = places.map((place) => under(capability, place, args))
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toMatch(/^oap\.(?!policy_error|unknown_capability|invalid_context)/)
  const parameters = { capabilities: [{ id: capability, params: limits }] }
  expect(under(capability, {}, args, parameters)).toBe(answers[0])
})

describe('nothing among the limits is ignored', () => {
  test.each<[JsonObject]>([
    [{ 'code.repository.marge': { allowed_repos: ['acme/site'] } }],
    [{ 'repo.merges': { allowed_repos: ['acme/site'] } }],
    [{ code: { repository: { allowed_repos: ['acme/site'] } } }],
    [{ code: { repository: { marge: { allowed_repos: ['acme/site'] } } } }],
    [{ github: { allowed_repos: ['acme/site'] } }],
    [{ nothing: {} }],
    [{ allowed_repo: ['acme/site'] }],
    [{ 'repo.merge': { allowed_repos: ['a'] }, 'code.repository.merge': { allowed_repos: ['b'] } }],
    [{ 'repo.merge': { allowed_repo: ['acme/site'] } }],
    [{ 'repo.merge': { supported_repos: ['acme/site'] } }],
    [{ 'repo.merge': { vendor: { allowed_repos: ['acme/site'] } } }],
    [{ 'repo.merge': { allowed_repos: 'acme/site' } }],
    [{ 'repo.merge': { max_merges_per_day: 2 ** 53 } }],
    [{ 'repo.merge': ['acme/site'] }],
    [{ 'repo.merge': null }],
  ])('%j denies', (limits) => {
    expect(under('repo.merge', limits, here)).toBe('oap.policy_error')
  })

  test('limits of a capability that the passport does not hold are no mistake, nor are remarks', () => {
    const limits = { 'web.fetch': { allowed_domains: ['a.com'] }, comment: 'x' }
    expect(under('repo.merge', limits, here)).toBe('allow')
    expect(under('repo.merge', { 'repo.merge': { description: 'x', _owner: 'y' } }, here)).toBe(
      'allow',
    )
  })

  test.each<[string, JsonObject]>([
    ['limit', { limit: { 'repo.merge': { allowed_repos: ['x'] } } }],
    ['a list of objects', { restrictions: [{ allowed_repos: ['x'] }] }],
    ['unknown fields of mcp', { mcp: { servers: ['a'], blocked: ['b'] } }],
    ['unknown fields of a capability', { capabilities: [{ id: 'repo.merge', limits: {} }] }],
    ['parameters that are no object', { capabilities: [{ id: 'repo.merge', params: ['x'] }] }],
    ['unknown parameters', { capabilities: [{ id: 'repo.merge', params: { only: 'x' } }] }],
  ])('an unknown object of the passport denies: %s', (_, fields) => {
    expect(under('repo.merge', {}, here, fields)).toBe('oap.policy_error')
  })

  test('fields that describe are no limits', () => {
    const fields = { metadata: { a: 1 }, integrations: { github: {} }, owner: { name: 'x' } }
    expect(under('repo.merge', {}, here, fields)).toBe('allow')
  })

  test('an argument beyond 2^53 is compared with nothing', () => {
    const limits = { 'payments.charge': { currency_limits: { EUR: { max_per_tx: 5 } } } }
    const args = { amount: 2 ** 53 + 2, currency: 'EUR' }
    expect(under('payments.charge', limits, args)).toBe('oap.invalid_context')
    expect(under('repo.merge', {}, { ...here, deep: [{ n: -1e300 }] })).toBe('oap.invalid_context')
  })
})

test('a run of the first edition goes on as it was judged', () => {
  const held = passport(
    { 'code.repository.merge': { allowed_repos: ['acme/site'] } },
    { capabilities: [{ id: 'repo.merge' }] },
  )
  const { edition: _, ...first } = spec(held, { capabilities: { act: 'repo.merge' } })
  const asked = request('act', { repository: 'acme/payroll' })
  expect(verdictOf(evaluatePassport(first, asked))).toBe('allow')
  expect(verdictOf(ask(passport({ strange: {} }), request('ask_clarification')))).toBe('allow')
})
