/**
 * Patterns in the schemas of tools, which may come from a server of somebody else. Would catch: one that a backtracking matcher needs
 * seconds or years for, while nothing else of the process goes on; and one of our own that is not compared any more.
 */
import type { JsonObject, ToolSpec } from '@signalbox/core'
import { expect, test } from 'vitest'
import { schemaProblem } from '../src/index.ts'

const tool = (name: string, s: JsonObject, more: JsonObject = {}): ToolSpec => ({
  name,
  version: '1',
  description: name,
  inputSchema: { type: 'object', properties: { s }, required: ['s'], ...more },
  effect: 'read',
  queue: 'tools',
  timeoutMs: 1000,
})

/** 2^29 steps of a backtracking matcher. */
const slow = `${'a'.repeat(29)}!`
const mostMs = 500

function timed(spec: ToolSpec, args: JsonObject): string | null {
  const began = performance.now()
  const problem = schemaProblem(spec, args)
  expect(performance.now() - began).toBeLessThan(mostMs)
  return problem
}

test.each([
  ['mcp__a__b', { type: 'string', pattern: '^(a+)+$' }],
  ['own', { type: 'string', pattern: '^(a+)+$' }],
  ['mcp__a__b', { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }],
])('%s: a pattern that RE2 knows takes linear time, and is compared', (name, s) => {
  const spec = tool(name, s)
  expect(timed(spec, { s: slow })).toMatch(/pattern/)
})

test('the names of arguments are compared with patterns in linear time as well', () => {
  const spec = tool('mcp__a__b', { type: 'string' }, { patternProperties: { '^(a+)+$': false } })
  expect(timed(spec, { s: '', [slow]: 1 })).toBeNull()
  expect(timed(spec, { s: '', aaa: 1 })).not.toBeNull()
})

test('a pattern that RE2 does not know is compared for tools of our own, and left to the server for others', () => {
  const s = { type: 'string', pattern: '^(?!x)[a-z]+$' }
  expect(schemaProblem(tool('own', s), { s: 'xa' })).toMatch(/pattern/)
  expect(schemaProblem(tool('own', s), { s: 'ax' })).toBeNull()
  expect(schemaProblem(tool('mcp__a__b', s), { s: 'ax' })).toBeNull()
  // Lookahead and a repetition in a repetition: the way around RE2.
  const around = { type: 'string', pattern: '^(?=a)(a+)+$' }
  expect(timed(tool('mcp__a__b', around), { s: slow })).toBeNull()
})

test('what zod writes for an address, a date or a UUID is compared as it was', () => {
  const email =
    "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"
  const spec = tool('own', { type: 'string', pattern: email })
  expect(schemaProblem(spec, { s: 'ann@example.com' })).toBeNull()
  expect(schemaProblem(spec, { s: 'ann..b@example.com' })).toMatch(/pattern/)
  const unicode = tool('mcp__a__b', { type: 'string', pattern: '^\\p{L}{2}\\u00e4$' })
  expect(schemaProblem(unicode, { s: 'abä' })).toBeNull()
  expect(schemaProblem(unicode, { s: 'ab1' })).toMatch(/pattern/)
})
