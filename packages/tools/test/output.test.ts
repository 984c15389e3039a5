import { JsonObjectSchema, limits, type Json } from '@signalbox/core'
import { anything, assert, jsonValue, pre, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toOutput } from '../src/output.ts'
import { sanitise } from '../src/sanitise.ts'
import { textOf } from './hosting.ts'

describe('sanitise', () => {
  it.each<[string, unknown, Json]>([
    [
      'NaN and infinities are null, as in JSON',
      [NaN, Infinity, -Infinity, 1.5],
      [null, null, null, 1.5],
    ],
    ['a BigInt is its digits', { n: 12345678901234567890n }, { n: '12345678901234567890' }],
    [
      'functions, symbols and undefined vanish',
      { a: () => 1, b: Symbol('b'), c: undefined, d: 1 },
      { d: 1 },
    ],
    ['in a list they are null', [() => 1, undefined], [null, null]],
    ['NUL and lone surrogates are U+FFFD', 'a\u0000b\uD800c', 'a\uFFFDb\uFFFDc'],
    ['in keys, too', { 'k\u0000': 1 }, { 'k\uFFFD': 1 }],
    ['a date is its ISO text', new Date(0), '1970-01-01T00:00:00.000Z'],
    [
      'maps and sets are objects and lists',
      { m: new Map([['a', 1]]), s: new Set([1]) },
      { m: { a: 1 }, s: [1] },
    ],
    ['bytes are counted, not copied', Buffer.alloc(5), '[5 bytes]'],
    ['an error is its class and message', new RangeError('far'), 'RangeError: far'],
    ['keys that change prototypes vanish', JSON.parse('{"__proto__":{"x":1},"a":1}'), { a: 1 }],
  ])('%s', (_, value, expected) => {
    expect(sanitise(value).value).toEqual(expected)
  })

  it('breaks cycles, but keeps a value that occurs twice', () => {
    const twice = { v: 1 }
    const circular: Record<string, unknown> = { a: twice, b: twice }
    circular['self'] = circular
    expect(sanitise(circular).value).toEqual({ a: { v: 1 }, b: { v: 1 }, self: '[circular]' })
  })

  it('ends nesting at the limit', () => {
    let deep: unknown = 'bottom'
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const text = JSON.stringify(sanitise(deep).value)
    expect(text).toBe(
      `${'['.repeat(limits.jsonDepthMax)}"[nested too deep]"${']'.repeat(limits.jsonDepthMax)}`,
    )
  })

  it('survives getters, proxies and toJSON methods that throw', () => {
    const hostile = {
      get broken(): never {
        throw new Error('no')
      },
    }
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    const json = {
      toJSON: () => {
        throw new Error('no')
      },
    }
    expect(sanitise([hostile, proxy, json]).value).toEqual([
      '[unreadable]',
      '[unreadable]',
      '[unreadable]',
    ])
  })

  it('ends a value that doubles at every level', () => {
    let bomb: unknown = 'x'
    for (let i = 0; i < 60; i++) bomb = [bomb, bomb]
    expect(sanitise(bomb).more).toBe(true)
  })

  it('ends a sparse list without end', () => {
    expect(sanitise(Array(4_000_000_000)).more).toBe(true)
  })

  it('leaves JSON as it is', () => {
    assert(
      property(jsonValue({ maxDepth: 8, stringUnit: 'grapheme' }), (value) => {
        const text = JSON.stringify(value)
        pre(!/\\u0000|__proto__|constructor|prototype|-0/.test(text))
        expect(JSON.stringify(sanitise(JSON.parse(text)).value)).toBe(text)
      }),
    )
  })

  it('makes JSON that the register takes of anything', () => {
    assert(
      property(
        anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
          withTypedArray: true,
          stringUnit: 'binary',
        }),
        (value) => {
          const { value: json } = sanitise({ value })
          expect(JsonObjectSchema.safeParse(json).success).toBe(true)
          const text = JSON.stringify(json)
          expect(text).not.toContain('\\u0000')
          expect(text).not.toMatch(/\\ud[89a-f]/i)
        },
      ),
    )
  })
})

describe('toOutput', () => {
  it('takes text, JSON, something like an output, and nothing', () => {
    expect(toOutput('hi')).toEqual({ content: [{ type: 'text', text: 'hi' }], isError: false })
    expect(toOutput({ a: 1 })).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      isError: false,
      structured: { a: 1 },
    })
    expect(toOutput([1, 2])).toEqual({ content: [{ type: 'text', text: '[1,2]' }], isError: false })
    expect(toOutput(undefined)).toEqual({ content: [], isError: false })
    const like = {
      content: [{ type: 'text', text: 'no' }],
      isError: true,
      structured: { code: 'x' },
    }
    expect(toOutput(like)).toEqual(like)
    expect(toOutput({ content: 'short', isError: true })).toEqual({
      content: [{ type: 'text', text: 'short' }],
      isError: true,
    })
  })

  it('cuts 50 MB of text to the limit and says how much was dropped', () => {
    const bytes = 50 * 1024 * 1024
    const output = toOutput('ä'.repeat(bytes / 2))
    const text = output.content.map((part) => (part.type === 'text' ? part.text : ''))
    const kept = Buffer.byteLength(text[0] ?? '')
    expect(Buffer.byteLength(textOf(output))).toBeLessThanOrEqual(limits.toolResultBytesMax)
    expect(kept).toBeGreaterThan(limits.toolResultBytesMax - 1000)
    expect(text[1]).toContain(`${bytes - kept} bytes were dropped`)
    expect(text[0]).not.toContain('\uFFFD')
  })

  it('cuts a structured result the same way, and does not keep a part of it as structured', () => {
    const output = toOutput({ rows: Array.from({ length: 50 }, () => 'x'.repeat(1024 * 1024)) })
    expect(Buffer.byteLength(textOf(output))).toBeLessThanOrEqual(limits.toolResultBytesMax)
    expect(textOf(output)).toMatch(/\d+ bytes were dropped/)
    expect(output).not.toHaveProperty('structured')
  })

  it('gives a structured result that is too large for an event as text only', () => {
    const value = { text: 'x'.repeat(limits.inlineBytesMax) }
    const output = toOutput(value)
    expect(output).not.toHaveProperty('structured')
    expect(JSON.parse(textOf(output))).toEqual(value)
  })
})
