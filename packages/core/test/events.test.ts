/** Events: what their payloads are, which class they belong to, which versions are read. */
import { describe, expect, test } from 'vitest'
import {
  currentVersion,
  decisionSchemas,
  eventClass,
  eventSchemas,
  type EventType,
  factSchemas,
  isEventType,
  isFactType,
  noteSchemas,
  readFact,
  upcast,
} from '../src/index.ts'

const stored = (type: string, payload: object, version = 1) => ({
  seq: 3,
  type,
  version,
  at: 5,
  actor: 'a',
  payload: JSON.parse(JSON.stringify(payload)),
})

describe('versions', () => {
  test('a payload of the newest version is read as it is', () => {
    const payload = { timerId: 't' }
    expect(currentVersion('timer.fired')).toBe(1)
    expect(upcast('timer.fired', 1, payload)).toBe(payload)
  })

  test('one that a newer version of the code wrote is refused, not guessed at', () => {
    expect(() => upcast('timer.fired', 2, { timerId: 't' })).toThrow(/newer version/)
    expect(() => readFact(stored('timer.fired', { timerId: 't' }, 2))).toThrow(/newer version/)
  })

  test('a version before the first has no upcaster', () => {
    expect(() => upcast('timer.fired', 0, {})).toThrow(/no upcaster for timer.fired from v0/)
  })
})

describe('classes', () => {
  test('facts, decisions and notes share no type', () => {
    const all = [factSchemas, decisionSchemas, noteSchemas].flatMap((each) => Object.keys(each))
    expect(new Set(all).size).toBe(all.length)
    expect(Object.keys(eventSchemas)).toHaveLength(all.length)
  })

  test.each([
    [factSchemas, 'fact'],
    [decisionSchemas, 'decision'],
    [noteSchemas, 'note'],
  ])('each type knows its class', (schemas, expected) => {
    for (const type of Object.keys(schemas)) {
      expect(isEventType(type)).toBe(true)
      expect(isEventType(type) && eventClass(type)).toBe(expected)
      expect(isFactType(type)).toBe(expected === 'fact')
    }
  })

  test('names of objects are no types', () => {
    for (const name of ['constructor', '__proto__', 'toString', '']) {
      expect(isEventType(name)).toBe(false)
      expect(isFactType(name)).toBe(false)
    }
  })

  test('every type is written noun.verbed', () => {
    for (const type of Object.keys(eventSchemas)) expect(type).toMatch(/^[a-z]+\.[a-z]+$/)
  })
})

describe('reading facts', () => {
  test('a fact is its columns and its payload', () => {
    expect(readFact(stored('timer.fired', { timerId: 't' }))).toEqual({
      seq: 3,
      at: 5,
      actor: 'a',
      type: 'timer.fired',
      payload: { timerId: 't' },
    })
  })

  test('decisions and notes are no facts', () => {
    for (const type of [...Object.keys(decisionSchemas), ...Object.keys(noteSchemas)])
      expect(readFact(stored(type, {}))).toBeNull()
  })

  const wrong: readonly (readonly [EventType, object, RegExp])[] = [
    ['timer.fired', { timerId: 7 }, /timerId/],
    ['cancel.requested', { action: 'stop' }, /action/],
    ['tool.completed', { effectId: 'e', attempt: 1, callId: 'c' }, /output/],
    ['tool.failed', { effectId: 'e', attempt: 1, callId: 'c', error: 'e' }, /error/],
    ['tool.resolved', { effectId: 'e', callId: 'c', resolution: 'maybe' }, /resolution/],
    ['approval.answered', { callId: 'c', tool: 't', decision: 'yes' }, /decision/],
    ['model.completed', { effectId: 'e', attempt: 1, turn: { verdict: 'fine' } }, /verdict/],
    ['run.created', {}, /definitionHash/],
  ]
  test.each(wrong)('%s with a payload that is none is refused', (type, payload, message) => {
    expect(() => readFact(stored(type, payload))).toThrow(message)
  })

  test.each([
    ['a string', '{"a":1}'],
    ['null', null],
    ['an array', [1]],
    ['a number', 1],
  ])('a call whose arguments are %s is no call (pairing rule 8)', (_, args) => {
    const part = { type: 'tool_call', id: 'c', name: 't', args, argsHash: 'h' }
    const message = { id: 'm', role: 'assistant', parts: [part] }
    const turn = {
      verdict: 'complete',
      message,
      suppressed: [],
      evidence: [],
      finish: null,
      usage: {},
      provider: 'p',
      model: 'm',
    }
    const payload = { effectId: 'e', attempt: 1, turn, callSet: '', durationMs: 1 }
    expect(() => readFact(stored('model.completed', payload))).toThrow(/args/)
    const good = { ...turn, message: { ...message, parts: [{ ...part, args: {} }] } }
    expect(readFact(stored('model.completed', { ...payload, turn: good }))).not.toBeNull()
  })

  test('what was suppressed has no room for arguments (I23)', () => {
    const shape = decisionSchemas['safety.suppressed'].parse({
      turn: 1,
      messageId: 'm',
      evidence: [],
      calls: [{ name: 'write', argsBytes: 3, argsHmac: 'h', args: { path: 'secret' } }],
      explanation: '',
    })
    expect(JSON.stringify(shape)).not.toContain('secret')
  })
})
