/** The chain as a fold: order, names, and what a broken guardrail may not do. */
import { describe, expect, it } from 'vitest'

import { runGuardrailChain } from '../../src/guardrails/chain.ts'
import type { StreamPart } from '@signalbox/engine'
import { fail, type Guardrail, pass, stop } from '../../src/guardrails/part.ts'
import { context } from './play.ts'

const text: StreamPart = { type: 'text', text: 'abc' }
const call: StreamPart = { type: 'tool_call', name: 'rm', args: { path: '/tmp/x', deep: { n: 1 } } }
const error: StreamPart = { type: 'error', message: 'secret words', class: 'unknown' }

const guardrail = (id: string, handle: Guardrail['handle']): Guardrail => ({
  id,
  name: id.toUpperCase(),
  handle,
})
const append = (id: string): Guardrail =>
  guardrail(id, (part) => pass('text' in part ? { ...part, text: part.text + id } : part))
const never = guardrail('never', () => {
  throw new Error('a later guardrail was asked')
})
const run = (part: StreamPart, ...guardrails: readonly Guardrail[]) =>
  runGuardrailChain(part, guardrails, context)

/** What a handler in plain JavaScript may answer. */
const answering = (answer: string): Guardrail => guardrail('odd', () => JSON.parse(answer))

describe('the chain', () => {
  it('passes the part as it is, if there is no guardrail', () => {
    expect(run(text)).toMatchObject({ result: pass(text), by: null, redacted: [] })
  })

  it('hands the changed part on', () => {
    expect(run(text, append('1'), append('2')).result).toEqual(
      pass({ type: 'text', text: 'abc12' }),
    )
  })

  it.each([
    ['fail', fail('I was wrong.')],
    ['stop', stop({ type: 'text', text: 'abc1' }, 'why')],
  ])('ends with the first %s and names who decided', (_, result) => {
    const deciding = guardrail('g', () => result)
    expect(run(text, append('1'), deciding, never)).toMatchObject({
      result,
      by: { id: 'g', name: 'G' },
    })
  })

  it('stops under the name of a guardrail that throws, with a code and nothing of the part', () => {
    const throwing = guardrail('bad', (part) => {
      throw new Error(JSON.stringify(part))
    })
    for (const part of [text, call, error])
      expect(run(part, append('1'), throwing)).toMatchObject({
        by: { id: 'bad', name: 'BAD' },
        result: { type: 'stop', reason: 'guardrail_error' },
      })
  })

  it.each([
    '{}',
    '{"type":"fail"}',
    '{"type":"pass","part":{"type":"text","text":7}}',
    '{"type":"stop","reason":7}',
    '"pass"',
    'null',
  ])('stops on the answer %s', (answer) => {
    expect(run(text, answering(answer), never)).toMatchObject({
      by: { id: 'odd' },
      result: { type: 'stop', reason: 'guardrail_error' },
    })
  })

  it('cuts feedback that is longer than 4,000 characters', () => {
    const { result } = run(
      text,
      guardrail('long', () => fail('x'.repeat(5000))),
    )
    expect(result).toEqual(fail('x'.repeat(4000)))
  })
})

describe('what executes', () => {
  it.each([
    ['another name', call, { ...call, name: 'ls' }],
    ['other arguments', call, { ...call, args: { path: '/' } }],
    ['another type', call, text],
    ['another message', error, { ...error, message: 'Parsing failed' }],
  ])('stops the turn if a guardrail returns %s', (_, part, changed) => {
    expect(
      run(
        part,
        guardrail('g', () => pass(changed)),
        never,
      ),
    ).toMatchObject({
      by: { id: 'g' },
      result: { type: 'stop', reason: 'guardrail_changed_part' },
    })
  })

  it('cannot become a call out of text', () => {
    expect(
      run(
        text,
        guardrail('g', () => pass(call)),
        never,
      ).result,
    ).toMatchObject({
      type: 'stop',
      reason: 'guardrail_changed_part',
    })
  })

  it('is out of reach of a guardrail that changes it in place', () => {
    const mutating = guardrail('g', (part) => {
      if (part.type === 'tool_call') Object.assign(part.args, { path: '/' })
      return pass(part)
    })
    expect(run(call, mutating).result).toMatchObject({ type: 'stop', part: call })
    const silent = guardrail('g', (part) => {
      const copy = structuredClone(part)
      if (part.type === 'tool_call') Object.assign(part.args, { path: '/' })
      return pass(copy)
    })
    const { result } = run(call, silent)
    expect(result).toEqual(
      pass({ type: 'tool_call', name: 'rm', args: { path: '/tmp/x', deep: { n: 1 } } }),
    )
    expect(result.type === 'pass' && result.part).toBe(call)
  })

  it('passes unchanged', () => {
    const looking = guardrail('g', (part) => pass(part))
    expect(run(call, looking, looking)).toEqual({ result: pass(call), by: null, redacted: [] })
    expect(run(error, looking)).toEqual({ result: pass(error), by: null, redacted: [] })
  })
})
