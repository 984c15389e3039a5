/** Arguments as Cedar values. The expected ones are Cedar's JSON format, not ours: the real engine judges them. */
import type { Json, JsonObject, PureEvaluator } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toRecord } from '../src/cedar/values.ts'
import { cedarSpec, hosting, request } from './support/hosting.ts'

const condition = async (text: string): Promise<PureEvaluator> => {
  const { host } = hosting()
  const spec = cedarSpec({
    policies: { p: `permit(principal, action, resource) when { ${text} };` },
  })
  await host.prepare([spec])
  return host.evaluator(spec) ?? (() => expect.fail('no evaluator'))
}

describe('what Cedar sees', () => {
  it.each<[string, JsonObject, string]>([
    ['text', { a: 'x' }, 'context.args.a == "x"'],
    ['booleans', { a: true }, 'context.args.a'],
    ['whole numbers', { a: -3 }, 'context.args.a == -3'],
    ['the largest whole number', { a: 9007199254740991 }, 'context.args.a == 9007199254740991'],
    ['a whole number written with a fraction', { a: 2.0 }, 'context.args.a == 2'],
    ['records', { a: { b: 'x' } }, 'context.args.a.b == "x"'],
    ['lists as sets', { a: [2, 1, 2] }, 'context.args.a == [1, 2]'],
    [
      'null as absent',
      { a: null, b: { c: null } },
      '!(context.args has a) && context.args.b == {}',
    ],
    ['a key like a prototype', JSON.parse('{"__proto__":1}'), 'context.args["__proto__"] == 1'],
  ])('%s', async (_, args, text) => {
    expect((await condition(text))(request({ args })).effect).toBe('allow')
  })
})

describe('what it is never asked', () => {
  it.each<[string, Json, string]>([
    ['a fraction', 1.5, 'not whole'],
    ['a number that lost digits', 9007199254740992, 'not whole'],
    ['a number in the hundreds of digits', 1e300, 'not whole'],
    ['null in a list', [null], 'null in a list'],
    ['an entity that the model names', { __entity: { type: 'User', id: 'admin' } }, '__entity'],
    ['an extension value', [{ __extn: { fn: 'ip', arg: '10.0.0.1' } }], '__extn'],
    ['an old escape', { a: { __expr: '1 + 1' } }, '__expr'],
  ])('%s', async (_, value, message) => {
    const evaluate = await condition('true')
    expect(() => evaluate(request({ args: { x: value } }))).toThrow(message)
  })

  it('arguments that are an entity as a whole', async () => {
    const evaluate = await condition('true')
    const args = { __entity: { type: 'User', id: 'admin' } }
    expect(() => evaluate(request({ args }))).toThrow('__entity')
  })

  it('more values than fit a decision, deeper ones, or a larger text', async () => {
    const evaluate = await condition('true')
    const many = { x: Array.from({ length: 5001 }, (_, n) => n) }
    expect(() => evaluate(request({ args: many }))).toThrow('more than 5000 values')
    let deep: Json = 'x'
    for (let depth = 0; depth < 65; depth++) deep = [deep]
    expect(() => evaluate(request({ args: { deep } }))).toThrow('a deeper value')
    expect(evaluate(request({ args: { x: 'x'.repeat(262_144) } }))).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'oap.context_too_large' }],
    })
  })

  it('anything that Cedar would read otherwise: what we let through, it takes as it is', async () => {
    const evaluate = await condition('true')
    const key = fc.constantFrom(
      '__entity',
      '__extn',
      '__expr',
      '__proto__',
      'type',
      'id',
      'fn',
      'a',
    )
    const { value: tree } = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
      leaf: fc.jsonValue({ maxDepth: 1 }),
      value: fc.oneof(
        { depthSize: 'small' },
        tie('leaf'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }))
    const isTaken = (value: unknown): boolean => {
      // A JSON text and back: what a model can send.
      const args: JsonObject = JSON.parse(JSON.stringify({ x: value }))
      try {
        expect(JSON.stringify(toRecord(args))).not.toMatch(/"__e|"__ex/)
      } catch (error) {
        return error instanceof TypeError && error.message.startsWith('Cedar cannot be asked about')
      }
      return evaluate(request({ args })).effect === 'allow'
    }
    fc.assert(fc.property(tree, isTaken), { numRuns: 500 })
  })
})
