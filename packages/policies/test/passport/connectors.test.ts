/** MCP servers and messages: who may be asked, and who may be written to. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@signalbox/core'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { ask, passport, request, spec, verdictOf } from './passports.ts'

const mcp = (limits: JsonObject, tool: string, args: JsonObject = {}): string =>
  verdictOf(ask(passport({ 'mcp.tool.execute': limits }), request(tool, args)))

const send = (limits: JsonObject, args: JsonObject): string => {
  const held = passport({ 'messaging.send': limits })
  return verdictOf(
    evaluatePassport(
      spec(held, { capabilities: { send: 'messaging.send' } }),
      request('send', args),
    ),
  )
}

describe('MCP', () => {
  test.each([
    [{}, 'oap.server_not_allowed'],
    [{ allowed_servers: [] }, 'oap.server_not_allowed'],
    [{ allowed_servers: ['f'] }, 'oap.server_not_allowed'],
    [{ allowed_servers: ['fs'] }, 'allow'],
    [{ allowed_servers: ['mcp://fs'] }, 'allow'],
    [{ allowed_servers: ['*'] }, 'allow'],
    [{ allowed_servers: ['fs'], allowed_tools: [] }, 'oap.tool_not_allowed'],
    [{ allowed_servers: ['fs'], allowed_tools: ['read'] }, 'allow'],
    [{ allowed_servers: ['fs'], allowed_tools: ['rea'] }, 'oap.tool_not_allowed'],
    [{ allowed_servers: ['fs'], allowed_tool_prefixes: ['rea'] }, 'allow'],
    [{ allowed_servers: ['fs'], allowed_tool_prefixes: [''] }, 'oap.tool_not_allowed'],
    [
      { allowed_servers: ['fs'], allowed_tools: ['read'], blocked_tools: ['READ'] },
      'oap.tool_not_allowed',
    ],
    [{ allowed_servers: ['fs'], max_calls_per_minute: 0 }, 'oap.rate_limit_exceeded'],
    [{ allowed_servers: ['fs'], max_parameter_size: 10 }, 'oap.parameter_size_exceeded'],
    [{ allowed_servers: ['fs'], max_parameter_size: 11 }, 'allow'],
    [{ allowed_servers: ['fs'], require_session_tracking: true }, 'allow'],
  ])('%j: %s', (limits, code) => {
    expect(mcp(limits, 'mcp__fs__read', { a: '€' })).toBe(code)
  })

  test('timeouts', () => {
    const limits = { allowed_servers: ['*'], max_timeout: 30 }
    expect(mcp(limits, 'mcp__fs__read', { timeout: 31 })).toBe('oap.timeout_exceeded')
    expect(mcp(limits, 'mcp__fs__read', { timeout: '31' })).toBe('oap.invalid_context')
  })

  test('the server in the arguments counts only where the tool has none in its name', () => {
    const held = passport({ 'mcp.tool.execute': { allowed_servers: ['fs'] } })
    expect(verdictOf(ask(held, request('mcp__db__read', { server: 'fs' })))).toBe(
      'oap.server_not_allowed',
    )
    const mapped = spec(held, { capabilities: { call: 'mcp.tool.execute' } })
    const call = (args: JsonObject): string =>
      verdictOf(evaluatePassport(mapped, request('call', args)))
    expect(call({ server: 'fs', tool: 'read' })).toBe('allow')
    expect(call({ server: 'fs' })).toBe('oap.invalid_context')
  })
})

describe('messaging', () => {
  const hi = { channel_id: 'C1', message: 'hi' }

  test.each([
    [{}, hi, 'oap.recipient_not_allowed'],
    [{ allowed_recipients: [] }, hi, 'oap.recipient_not_allowed'],
    [{ channels_allowlist: ['C1'] }, hi, 'allow'],
    [{ allowed_recipients: [{ id: 'C1' }] }, hi, 'allow'],
    [{ allowed_recipients: [{ id: 'C1', limits: { x: 1 } }] }, hi, 'oap.policy_error'],
    [{ allowed_recipients: ['C1'] }, { ...hi, cc: ['C2'] }, 'oap.recipient_not_allowed'],
    [{ allowed_recipients: ['*'] }, { message: 'hi' }, 'oap.invalid_context'],
    [{ allowed_recipients: ['*'] }, { channel_id: 'C1' }, 'oap.invalid_context'],
    [{ allowed_recipients: ['*'] }, { ...hi, message: 'x'.repeat(2001) }, 'oap.content_too_long'],
    [{ allowed_recipients: ['*'], max_recipients: 1 }, { ...hi, cc: 'C2' }, 'oap.limit_exceeded'],
    [
      { allowed_recipients: ['*'], mention_policy: 'none' },
      { ...hi, message: '@x' },
      'oap.mention_not_allowed',
    ],
    [{ allowed_recipients: ['*'], mention_policy: 'limited' }, { ...hi, message: '@x' }, 'allow'],
    [
      { allowed_recipients: ['*'], mention_policy: 'limited' },
      { ...hi, message: '@everyone' },
      'oap.mention_not_allowed',
    ],
    [{ allowed_recipients: ['*'], msgs_per_min: 0 }, hi, 'oap.rate_limit_exceeded'],
    [{ allowed_recipients: ['*'], msgs_per_day: 0 }, hi, 'oap.rate_limit_exceeded'],
    [{ allowed_recipients: ['*'], approval_required: true }, hi, 'approval_required'],
  ])('%j, %j: %s', (limits, args, code) => {
    expect(send(limits, args)).toBe(code)
  })
})
