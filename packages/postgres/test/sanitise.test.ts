/** What enters the register is mended or refused at the boundary. */
import { limits } from '@signalbox/core'
import { expect, it } from 'vitest'
import { sanitiseJson } from '../src/sanitise.ts'

const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

it('leaves good JSON as it is', () => {
  const value = { a: [1, -2.5e10, 'x😀', null, true, {}], b: { c: [] } }
  expect(sanitiseJson(value)).toEqual({ ok: true, value })
})

it('replaces NUL and lone surrogates in texts and names, joining nothing', () => {
  expect(sanitiseJson({ 'a\0': 'ba\0sh', b: '\uD83Dx', c: '\uDE00' })).toEqual({
    ok: true,
    value: { 'a\uFFFD': 'ba\uFFFDsh', b: '\uFFFDx', c: '\uFFFD' },
  })
})

it('keeps a property named __proto__ as data', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"admin":true}}')
  const result = sanitiseJson(hostile)
  expect(JSON.stringify(result.ok && result.value)).toBe('{"__proto__":{"admin":true}}')
})

it('drops absent properties', () => {
  expect(sanitiseJson({ a: undefined, b: 1 })).toEqual({ ok: true, value: { b: 1 } })
})

it.each([
  [{ a: [0, Infinity] }, 'not_finite', '/a/1'],
  [Number.NaN, 'not_finite', ''],
  [{ a: () => 1 }, 'not_json', '/a'],
  [[1n], 'not_json', '/0'],
  [new Map(), 'not_json', ''],
  [{ at: new Date(0) }, 'not_json', '/at'],
])('refuses %o', (value, code, path) => {
  expect(sanitiseJson(value)).toEqual({ ok: false, code, path })
})

it('accepts nesting to the limit and no deeper', () => {
  expect(sanitiseJson(nest(limits.jsonDepthMax)).ok).toBe(true)
  expect(sanitiseJson(nest(limits.jsonDepthMax + 1))).toMatchObject({ ok: false, code: 'too_deep' })
  expect(sanitiseJson(nest(100_000))).toMatchObject({ ok: false, code: 'too_deep' })
})
