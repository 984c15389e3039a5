/** Payloads that enter the register are mended at the boundary. */
import { limits } from '@signalbox/core'
import { expect, it } from 'vitest'
import { sanitise } from '../src/record/sanitise.ts'

const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

const depthOf = (value: unknown): number => (Array.isArray(value) ? 1 + depthOf(value[0]) : 0)

it('leaves good JSON as it is', () => {
  const value = { a: [1, -2.5e10, 'x😀', null, true, {}], b: { c: [] } }
  expect(sanitise(value)).toEqual(value)
})

it('replaces NUL and lone surrogates in texts and names, joining nothing', () => {
  expect(sanitise({ 'a\0': 'ba\0sh', b: '\uD83Dx', c: '\uDE00' })).toEqual({
    'a\uFFFD': 'ba\uFFFDsh',
    b: '\uFFFDx',
    c: '\uFFFD',
  })
})

it('leaves out a property named __proto__', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"admin":true},"b":1}')
  const result = sanitise(hostile)
  expect(JSON.stringify(result)).toBe('{"b":1}')
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
})

it('drops absent properties', () => {
  expect(sanitise({ a: undefined, b: 1 })).toEqual({ b: 1 })
})

it.each([
  [{ a: [0, Infinity] }, { a: [0, 'Infinity'] }],
  [Number.NaN, 'NaN'],
  [{ a: () => 1 }, { a: '[function]' }],
  [[1n], ['1']],
  [new Map([['a', 1]]), {}],
  [{ at: new Date(0) }, { at: {} }],
])('makes JSON of %o', (value, json) => {
  expect(sanitise(value)).toEqual(json)
})

it('keeps nesting to the limit and cuts what lies deeper', () => {
  expect(sanitise(nest(limits.jsonDepthMax))).toEqual(nest(limits.jsonDepthMax))
  expect(depthOf(sanitise(nest(limits.jsonDepthMax + 1)))).toBe(limits.jsonDepthMax)
  expect(JSON.stringify(sanitise(nest(100_000)))).toContain('[too deep]')
})
