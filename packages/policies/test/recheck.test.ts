/** Asking again before an execution: who is asked, and what counts. */
import { type HttpPolicySpec, type PolicyAnswer, PolicySpec } from '@signalbox/core'
import { describe, expect, it } from 'vitest'
import type { PolicyModule } from '../src/index.ts'
import { allowlistSpec, cedarSpec, hosting, httpSpec, moduleSpec } from './support/hosting.ts'
import { never, passportSpec, request, startedAt } from './support/hosting.ts'
import { json, serve } from './support/serving.ts'

const approved = { approved: true, failClosed: true, signal: never }

/** A module that answers so, and a count of its questions. */
function answering(evaluate: PolicyModule) {
  const asked: string[] = []
  const spec = moduleSpec({ timeoutMs: 50 })
  const modules = new Map<string, PolicyModule>([
    [
      spec.path,
      (one, context) => {
        asked.push(one.tool)
        return evaluate(one, context)
      },
    ],
  ])
  return { ...hosting({ modules }), spec, asked }
}

describe('who is asked again', () => {
  it('is no pure policy, and no passport without a source', async () => {
    const { host } = hosting({ evaluatePassport: () => expect.fail('was asked') })
    const specs = [
      allowlistSpec(),
      cedarSpec({ policies: {} }),
      passportSpec({ passport: { passport_id: 'x', status: 'revoked' } }),
    ]
    expect(await host.recheck(specs, request(), approved)).toBeNull()
  })

  it('is a policy with I/O only after an approval: without one it answered a moment ago', async () => {
    const { host, spec, asked } = answering(() => false)
    expect(await host.recheck([spec], request(), { ...approved, approved: false })).toBeNull()
    expect(asked).toEqual([])
    expect((await host.recheck([spec], request(), approved))?.effect).toBe('deny')
    expect(asked).toEqual(['bash'])
  })
})

describe('what counts', () => {
  it.each<[string, unknown, PolicyAnswer['effect'] | null]>([
    ['an allowance', true, null],
    ['a second request for approval', { effect: 'require_approval' }, null],
    ['a warning', { effect: 'warn' }, null],
    ['a denial', false, 'deny'],
  ])('%s', async (_, said, effect) => {
    const { host, spec } = answering(() => said)
    expect((await host.recheck([spec], request(), approved))?.effect ?? null).toBe(effect)
  })

  it('is the time of the second question: a passport may have expired while the call waited', async () => {
    const times: number[] = []
    const { host, spec, pass } = answering(({ at }) => times.push(at) > 0)
    await host.recheck([spec], request(), approved)
    pass(86_400_000)
    await host.recheck([spec], request(), approved)
    expect(times).toEqual([startedAt, startedAt + 86_400_000])
  })

  it('is the first denial in the order of the specs, however fast they are', async () => {
    const { url } = await serve((response, { headers }) => {
      const name = headers.authorization?.slice('Bearer '.length)
      const reply = () => json(response, { result: { allow: name === 'yes', policyId: name } })
      if (name === 'slow') setTimeout(reply, 30)
      else reply()
    })
    const { host } = hosting({ env: { YES: 'yes', SLOW: 'slow', FAST: 'fast' } })
    const specs = ['YES', 'SLOW', 'FAST'].map((tokenEnv): HttpPolicySpec =>
      httpSpec({ url, tokenEnv }),
    )
    expect((await host.recheck(specs, request(), approved))?.policyId).toBe('slow')
  })

  it.each<[string, PolicyModule]>([
    ['a throw', () => Promise.reject(new Error('down at 10.0.0.1'))],
    ['no answer', () => 'yes'],
    ['a timeout', () => new Promise(() => {})],
  ])('is %s: a denial, unless failures are forgiven', async (_, evaluate) => {
    const { host, spec, lines } = answering(evaluate)
    const denied = await host.recheck([spec], request(), approved)
    expect(denied).toEqual({
      effect: 'deny',
      reasons: [{ code: 'oap.evaluator_error', message: 'The policy p could not be asked.' }],
      policyId: 'p',
      policyDigest: spec.digest,
    })
    expect(await host.recheck([spec], request(), { ...approved, failClosed: false })).toBeNull()
    expect(lines.map(({ level, fields }) => [level, fields['failClosed']])).toEqual([
      ['warn', true],
      ['warn', false],
    ])
  })

  it('is no abort: it rejects with its reason, also where failures are forgiven', async () => {
    for (const failClosed of [true, false]) {
      const controller = new AbortController()
      const reason = new Error('cancelled')
      const { host, spec, lines } = answering(() => {
        controller.abort(reason)
        throw new Error('its own words')
      })
      const how = { approved: true, failClosed, signal: controller.signal }
      await expect(host.recheck([spec], request(), how)).rejects.toBe(reason)
      await expect(host.recheck([], request(), how)).rejects.toBe(reason)
      expect(lines).toEqual([])
    }
  })

  it('is no end of the process', async () => {
    const { host, spec } = answering(() => new Promise(() => {}))
    const asked = host.recheck([spec], request(), { ...approved, failClosed: false })
    await Promise.all([expect(asked).rejects.toThrow('closed'), host.close()])
  })
})

describe('what a process lacks', () => {
  it.each<[string, PolicySpec, string]>([
    ['a token', httpSpec({ url: 'http://127.0.0.1/', tokenEnv: 'T' }), 'variable T is not set'],
    ['a url', httpSpec({ url: '127.0.0.1' }), 'its url is not a URL'],
    ['a protocol', httpSpec({ url: 'ftp://a/' }), 'its url is neither http nor https'],
    ['a clean url', httpSpec({ url: 'http://u:p@a/' }), 'its url holds a name or a password'],
    ['a source', passportSpec({ passport: {}, source: 'http://' }), 'passport is not a URL'],
    ['a module', moduleSpec(), './mine.ts#policy is not loaded'],
  ])('is said at the start: %s', async (_, spec, message) => {
    await expect(hosting().host.prepare([spec])).rejects.toThrow(message)
  })

  it('is nothing for the others', async () => {
    const { host } = answering(() => true)
    const source = 'passport.json'
    const specs = [allowlistSpec(), moduleSpec(), passportSpec({ passport: {}, source })]
    await expect(host.prepare(specs)).resolves.toBeUndefined()
    expect(host.evaluator(allowlistSpec())).toBeNull()
  })
})
