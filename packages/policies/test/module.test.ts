/** Policies of the user's own: functions, in every way they may behave. */
import { describe, expect, it } from 'vitest'
import type { PolicyModule } from '../src/index.ts'
import { digest, hosting, moduleSpec, never, request } from './support/hosting.ts'

const { path } = moduleSpec()
const hostOf = (evaluate: PolicyModule) => hosting({ modules: new Map([[path, evaluate]]) }).host
const ask = (evaluate: PolicyModule, timeoutMs = 2000) =>
  hostOf(evaluate).ask(moduleSpec({ timeoutMs }), request(), never)

describe('a module', () => {
  it('answers at once or later', async () => {
    expect((await ask(() => true)).effect).toBe('allow')
    expect((await ask(() => Promise.resolve({ effect: 'require_approval' }))).effect).toBe(
      'require_approval',
    )
    expect(await ask(() => ({ decision: 'warn', reasons: ['large'] }))).toMatchObject({
      effect: 'warn',
      reasons: [{ code: 'oap.warned', message: 'large' }],
    })
    const reasons = [{ code: 'acme.no', message: 'No.' }]
    expect(await ask(() => ({ effect: 'deny', reasons, policyId: 'acme' }))).toEqual({
      effect: 'deny',
      reasons,
      policyId: 'acme',
      policyDigest: digest,
    })
  })

  it('gets the request and its configuration', async () => {
    let got: unknown
    const host = hostOf((asked, { config }) => {
      got = { asked, config }
      return true
    })
    await host.ask(moduleSpec({ config: { limit: 3 } }), request(), never)
    expect(got).toEqual({ asked: request(), config: { limit: 3 } })
  })

  it('cannot change what will be executed, nor its configuration', async () => {
    const host = hostOf((asked, { config }) => {
      Object.assign(asked.args, { command: 'rm' })
      Object.assign(config, { limit: 9 })
      return true
    })
    const asked = request()
    const spec = moduleSpec({ config: { limit: 3 } })
    await host.ask(spec, asked, never)
    expect([asked, spec.config]).toEqual([request(), { limit: 3 }])
  })

  it('is not asked about arguments beyond 64 KiB', async () => {
    const host = hostOf(() => expect.fail('was asked'))
    const args = { x: 'x'.repeat(65_536) }
    const answer = await host.ask(moduleSpec(), request({ args }), never)
    expect(answer.reasons[0]?.code).toBe('oap.context_too_large')
  })
})

describe('no answer of a module', () => {
  it.each<[string, PolicyModule]>([
    ['nothing', () => {}],
    ['a word', () => 'allow'],
    ['an effect nobody knows', () => ({ effect: 'maybe' })],
  ])('is %s', async (_, evaluate) => {
    await expect(ask(evaluate)).rejects.toThrow('The answer')
  })

  it('is a throw, now or later, of anything', async () => {
    const error = new Error('broken')
    await expect(
      ask(() => {
        throw error
      }),
    ).rejects.toBe(error)
    await expect(ask(() => Promise.reject(error))).rejects.toBe(error)
  })

  it('is one after the timeout: what it does then is ignored', async () => {
    let late: Promise<unknown> = Promise.resolve()
    const evaluate: PolicyModule = (_, { signal }) => {
      late = new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => setImmediate(reject, new Error('too late')))
      })
      return late
    }
    await expect(ask(evaluate, 20)).rejects.toThrow('did not answer within 20 ms')
    // A rejection nobody handled would fail this file.
    await expect(late).rejects.toThrow('too late')
  })

  it('is a module that was never loaded', async () => {
    const { host } = hosting()
    await expect(host.ask(moduleSpec(), request(), never)).rejects.toThrow(`${path} is not loaded`)
  })
})

it('a cancel ends the question with its reason, whatever the module makes of it', async () => {
  const controller = new AbortController()
  const reason = new Error('cancelled')
  const host = hostOf((_, { signal }) => {
    controller.abort(reason)
    if (signal.aborted) throw new Error('its own words')
    return true
  })
  await expect(host.ask(moduleSpec(), request(), controller.signal)).rejects.toBe(reason)
})
