/** The table of error recovery, row by row (reference: stream guardrails, section 4). */
import { describe, expect, it, vi } from 'vitest'

import type { StreamPart } from '@signalbox/engine'
import type { GuardrailContext } from '../../src/guardrails/part.ts'
import { context, guardrailOf } from './play.ts'

const recovery = guardrailOf({ use: 'error-recovery' })
const error = (message: string): StreamPart => ({
  type: 'error',
  message,
  class: 'tool_use_failed',
})

const equipped: GuardrailContext = {
  ...context,
  availableTools: ['search', 'write_file'],
  availableSkills: [{ name: 'pdf', path: '/skills/pdf/SKILL.md' }],
}

/** The words the model reads, or `stop`. */
function feedback(message: string, about: GuardrailContext = equipped): string {
  const result = recovery.handle(error(message), about)
  return result.type === 'fail' ? result.feedback : result.type
}

const list = 'search, write_file'
const plain = 'plain text'

describe('row by row', () => {
  it.each([
    ['1', 'Tool choice is none, but model called a tool', ['does not exist', list], [plain]],
    ['2, first alternative', "tool 'grep' not in request.tools", ['"grep"', list], []],
    ['2, second alternative', "the tool 'grep' was not found", ['"grep"', list], ['"unknown"']],
    ['2, without a name', 'tool call: function not found', ['"unknown"', list], []],
    ['3, first word', 'Failed to parse tool call arguments as JSON', ['valid JSON'], [plain]],
    ['3, second word', 'could not parse tool call', ['valid JSON'], []],
    ['3, third word', 'invalid JSON in arguments', ['valid JSON'], []],
    [
      '4',
      'Tool call validation failed: parameters for tool write_file did not match schema: errors: [ missing "path" ] [x]',
      ['"write_file"', 'missing "path"'],
      ['[x]'],
    ],
    ['4, without details', 'validation failed: did not match schema', ['"unknown"', 'schema'], []],
    ['5', 'Parsing failed', ['format', 'invalid'], []],
    [
      '6, first word',
      'Failed to call a function. Please adjust your prompt.',
      ['failed', list],
      [],
    ],
    ['6, second word', 'see failed_generation for details', ['failed', list], []],
  ])('row %s', (_, message, present, absent) => {
    const said = feedback(message)
    expect(said).toMatch(/\b(I|my|My)\b/)
    for (const words of present) expect(said).toContain(words)
    for (const words of absent) expect(said).not.toContain(words)
  })

  it.each(['Tool choice is none', "tool 'grep' not in request.tools", 'failed_generation'])(
    'without tools the model is told to answer in plain text: %s',
    (message) => {
      const said = feedback(message, context)
      expect(said).toContain(plain)
      expect(said).not.toContain('tools I have are')
    },
  )

  it.each(["tool 'pdf' not in request.tools", "tool 'pdf' not found"])(
    'row 2 sends the model to the file of a skill: %s',
    (message) => {
      const said = feedback(message)
      expect(said).toContain('it is a skill')
      expect(said).toContain('no action to invoke')
      expect(said).toContain('/skills/pdf/SKILL.md')
      expect(said).not.toContain(list)
    },
  )

  it.each([
    'An error occurred.',
    'rate limit exceeded',
    '',
    'tool choice is none',
    'PARSING FAILED',
    'Validation failed, did not match schema',
    'Tool NOT FOUND',
    'validation failed',
  ])('row 7, and the case counts: "%s" stands as it is', (message) => {
    expect(recovery.handle(error(message), equipped)).toEqual({
      type: 'stop',
      part: error(message),
    })
  })

  it('the first row that fits wins', () => {
    expect(feedback('Tool choice is none: invalid JSON')).toContain('does not exist')
    expect(feedback("tool 'x' not found, Parsing failed")).toContain('"x"')
  })
})

it('looks at errors alone', () => {
  const parts: readonly StreamPart[] = [
    { type: 'text', text: 'Parsing failed' },
    { type: 'reasoning', text: 'Parsing failed' },
    { type: 'tool_call', name: 'x', args: { error: 'Parsing failed' } },
  ]
  for (const part of parts) expect(recovery.handle(part, equipped)).toEqual({ type: 'pass', part })
})

it('writes nothing to the console', () => {
  const written = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
  feedback('Parsing failed')
  feedback('anything')
  for (const spy of written) expect(spy).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

it('is not slow on a long message', () => {
  expect(feedback(`tool '${"tool '".repeat(30_000)} not found`)).toContain('"tool "')
})
