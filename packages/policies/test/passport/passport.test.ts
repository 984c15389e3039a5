/** A passport as a whole: who may act at all, which capability a tool needs, and limits that cannot be checked. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@signalbox/core'
import { isAssured } from '../../src/passport/assurance.ts'
import { capabilityOf } from '../../src/passport/capabilities.ts'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { readPassport } from '../../src/passport/read-passport.ts'
import { millisecondsOf } from '../../src/passport/timestamp.ts'
import { ask, noon, passport, request, spec, verdictOf } from './passports.ts'

const files = { 'data.file.read': { allowed_paths: ['*'] } }
const reading = request('read_file', { path: 'a' })

test.each(['draft', 'suspended', 'revoked', 'Active', '', 'whatever'])(
  'any status but active is suspended, the unknown ones, too: %s',
  (status) => {
    expect(verdictOf(ask(passport(files, { status }), reading))).toBe('oap.passport_suspended')
  },
)

test('the kill switch holds for exempt tools, too', () => {
  const held = passport({}, { status: 'suspended' })
  expect(verdictOf(ask(held, request('ask_clarification')))).toBe('oap.passport_suspended')
  expect(verdictOf(ask(passport({}), request('ask_clarification')))).toBe('allow')
})

describe('weak point of the published evaluators: no expiry check', () => {
  test.each([
    [{}, 'allow'],
    [{ expires_at: '2026-10-01T12:00:00.001Z' }, 'allow'],
    [{ expires_at: '2026-10-01T12:00:00Z' }, 'oap.passport_suspended'],
    [{ expires_at: '2026-10-01T14:00:00+02:00' }, 'oap.passport_suspended'],
    [{ expires_at: '2026-10-01' }, 'oap.passport_suspended'],
    [{ expires_at: '2026-10-02' }, 'allow'],
    [{ expires_at: '2020-01-01T00:00:00Z', never_expires: true }, 'allow'],
    [{ expires_at: '2020-01-01T00:00:00Z', never_expires: false }, 'oap.passport_suspended'],
    [{ expires_at: null }, 'allow'],
    [{ never_expires: false }, 'oap.passport_invalid'],
    [{ expires_at: 'soon' }, 'oap.passport_invalid'],
    [{ expires_at: '2026-13-01T00:00:00Z' }, 'oap.passport_invalid'],
    [{ expires_at: '2026-10-01T12:00:00' }, 'oap.passport_invalid'],
    [{ expires_at: 1_790_000_000 }, 'oap.passport_invalid'],
  ])('%j: %s', (fields, code) => {
    expect(verdictOf(ask(passport(files, fields), reading))).toBe(code)
  })

  test('the message says that it expired', () => {
    const held = passport(files, { expires_at: '2020-01-01T00:00:00Z' })
    expect(ask(held, reading).reasons[0]?.message).toContain('expired')
  })
})

test.each([
  ['1970-01-01T00:00:00Z', 0],
  ['2026-10-01T12:00:00Z', noon],
  ['2000-02-29T23:59:59.5Z', Date.UTC(2000, 1, 29, 23, 59, 59, 500)],
  ['2100-03-01', Date.UTC(2100, 2, 1)],
  ['1969-12-31T23:59:59Z', -1000],
  ['2024-12-31T23:59:59-05:30', Date.UTC(2024, 11, 31, 23, 59, 59) + 330 * 60_000],
  ['2100-02-29', null],
  ['2026-00-01', null],
  ['2026-01-01T24:00:00Z', null],
])('%s is %s milliseconds', (text, expected) => {
  expect(millisecondsOf(text)).toBe(expected)
})

describe('reading leniently', () => {
  test('the older registry form: an agent id, bare capabilities, flat limits, MCP lists of its own', () => {
    const older = {
      agent_id: 'ap_1',
      slug: 'writer',
      owner_display: 'Example',
      registry_sig: 'x',
      status: 'active',
      capabilities: ['messaging.send', 'mcp.tool.execute'],
      limits: { msgs_per_min: 5, allowed_recipients: ['C1'] },
      mcp: { servers: ['fs'], tools: ['read'] },
    }
    const mapped = spec(older, { capabilities: { send: 'messaging.send' } })
    const send = (channel: string): string =>
      verdictOf(evaluatePassport(mapped, request('send', { channel_id: channel, message: 'hi' })))
    expect(send('C1')).toBe('allow')
    expect(send('C2')).toBe('oap.recipient_not_allowed')
    expect(verdictOf(ask(older, request('mcp__fs__read')))).toBe('allow')
    expect(verdictOf(ask(older, request('mcp__fs__write')))).toBe('oap.tool_not_allowed')
    expect(verdictOf(ask(older, request('mcp__db__read')))).toBe('oap.server_not_allowed')
  })

  test.each([
    [null, 'passport'],
    [{ status: 'active', capabilities: [] }, 'passport_id'],
    [{ passport_id: 'p', capabilities: [] }, 'status'],
    [{ passport_id: 'p', status: 'active' }, 'capabilities'],
    [
      { passport_id: 'p', status: 'active', capabilities: [], spec_version: 'oap/2.0' },
      'spec_version',
    ],
    [{ passport_id: 'p', status: 'active', capabilities: [], limits: [] }, 'limits'],
  ])('problems are named: %j', (value: JsonObject | null, field) => {
    const read = readPassport(value)
    expect(read.ok ? [] : read.problems.join()).toContain(field)
  })

  test('unknown fields are ignored', () => {
    const read = readPassport(passport({}, { integrations: { github: {} }, digest: 'x' }))
    expect(read).toMatchObject({ ok: true, passport: { assurance: 'L2', expiresAt: null } })
  })
})

test.each([
  ['bash', 'system.command.execute'],
  ['read_file', 'data.file.read'],
  ['ls', 'data.file.read'],
  ['view_image', 'data.file.read'],
  ['write_file', 'data.file.write'],
  ['str_replace', 'data.file.write'],
  ['present_files', 'data.file.read'],
  ['present_file', 'data.file.read'],
  ['web_search', 'web.fetch'],
  ['image_search', 'web.fetch'],
  ['web_fetch', 'web.fetch'],
  ['task', 'agent.session.create'],
  ['mcp__fs__read_file', 'mcp.tool.execute'],
  ['ask_clarification', 'exempt'],
  ['BASH', null],
  ['anything', null],
  ['mcp__', null],
  ['mcp__fs', null],
  ['mcp__fs__', null],
  ['mcp____read', null],
  ['constructor', null],
  ['__proto__', null],
])('the tool %s needs %s', (tool, capability) => {
  expect(capabilityOf({}, tool)).toBe(capability)
})

test('the map can be overridden; what nobody mapped is denied', () => {
  const held = passport(files)
  const mapped = spec(held, {
    capabilities: { mcp__fs__read: 'data.file.read', cat: 'data.file.read', bash: 'exempt' },
  })
  const verdict = (tool: string, args: JsonObject): string =>
    verdictOf(evaluatePassport(mapped, request(tool, args)))
  expect(verdict('mcp__fs__read', { path: '.env' })).toBe('oap.blocked_pattern')
  expect(verdict('cat', { path: 'a' })).toBe('allow')
  expect(verdict('bash', {})).toBe('allow')
  expect(verdict('dog', { path: 'a' })).toBe('oap.unknown_capability')
})

test('a capability the passport does not hold is unknown', () => {
  const held = passport(files, { capabilities: [{ id: 'web.fetch' }] })
  expect(verdictOf(ask(held, reading))).toBe('oap.unknown_capability')
})

test.each([
  ['L4KYC', 'allow'],
  ['L4FIN', 'allow'],
  ['L3', 'allow'],
  ['L2', 'oap.assurance_insufficient'],
  ['L10', 'oap.assurance_insufficient'],
  ['l3', 'oap.assurance_insufficient'],
])('levels are ranked by table, not as text: %s for repo.release is %s', (level, code) => {
  const held = passport({}, { assurance_level: level, capabilities: [{ id: 'repo.release' }] })
  const mapped = spec(held, { capabilities: { publish: 'repo.release' } })
  expect(verdictOf(evaluatePassport(mapped, request('publish')))).toBe(code)
})

test('the two levels above L3 have an order, which is not that of their letters', () => {
  expect(isAssured('L4FIN', 'L4KYC')).toBe(true)
  expect(isAssured('L4KYC', 'L4FIN')).toBe(false)
  expect(isAssured('L9', 'L0')).toBe(false)
})

describe('limits that cannot be checked', () => {
  test('of a capability nobody has a check for: without limits it is allowed, with any it is not', () => {
    const capabilities = [{ id: 'search.query' }]
    const search = (limits: JsonObject): string =>
      verdictOf(
        evaluatePassport(
          spec(passport(limits, { capabilities }), { capabilities: { find: 'search.query' } }),
          request('find', { query: 'x' }),
        ),
      )
    expect(search({})).toBe('allow')
    expect(search({ msgs_per_min: 5 })).toBe('allow')
    for (const limits of [
      { 'search.query': { max_results: 10 } },
      { search: { query: { max_results: 10 } } },
      { search_results_max: 5 },
      { 'search.query': 5 },
    ])
      expect(search(limits)).toBe('oap.policy_error')
    expect(search({ 'search.query': { approval_required: true } })).toBe('approval_required')
  })

  test.each([
    [{ allowed_paths: 'src' }],
    [{ allowed_paths: [1] }],
    [{ allowed_paths: ['*'], max_file_size_mb: '5' }],
    [{ allowed_paths: ['*'], max_file_size_mb: -1 }],
    [{ allowed_paths: ['*'], blocked_pattern: ['x'] }],
    [{ allowed_paths: ['*'], max_reads_per_hour: 5 }],
    [[]],
    [null],
  ])('misshapen or misspelt: %j', (limits) => {
    const held = passport({ 'data.file.read': limits })
    expect(verdictOf(ask(held, reading))).toBe('oap.policy_error')
  })

  test('a remark is no limit', () => {
    const limits = { allowed_paths: ['*'], description: 'x', x_vendor: 'y' }
    expect(verdictOf(ask(passport({ 'data.file.read': limits }), reading))).toBe('allow')
  })
})

test('limits may stand under a dotted path, or flat; those under the id come first', () => {
  expect(
    verdictOf(ask(passport({ data: { file: { read: { allowed_paths: ['a'] } } } }), reading)),
  ).toBe('allow')
  expect(verdictOf(ask(passport({ allowed_paths: ['a'] }), reading))).toBe('allow')
  const both = passport({ allowed_paths: ['*'], 'data.file.read': { allowed_paths: ['b'] } })
  expect(verdictOf(ask(both, reading))).toBe('oap.path_not_allowed')
})
