/** A policy server, over real sockets: OPA's answers, other engines' answers, and everything that is no answer. */
import type { PolicyAnswer } from '@signalbox/core'
import { describe, expect, it } from 'vitest'
import { digest, hosting, httpSpec, never, request } from './support/hosting.ts'
import { json, serve } from './support/serving.ts'

const denied = { code: 'oap.denied', message: 'The policy denies it and gives no reason.' }

async function answerTo(body: unknown): Promise<PolicyAnswer> {
  const { url } = await serve((response) => json(response, body))
  return hosting().host.ask(httpSpec({ url }), request(), never)
}

describe('the question', () => {
  it('is the request as OPA wants it, with the token of the environment', async () => {
    const { url, heard } = await serve((response) => json(response, { result: true }))
    const { host } = hosting({ env: { OPA_TOKEN: 's3cret' } })
    const spec = httpSpec({ url: `${url}v1/data/tools/allow`, tokenEnv: 'OPA_TOKEN' })
    await host.prepare([spec])
    await host.ask(spec, request(), never)
    expect(heard).toHaveLength(1)
    expect(heard[0]).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer s3cret' },
    })
    expect(JSON.parse(heard[0]?.body ?? '')).toEqual({
      input: {
        tool: 'bash',
        args: { command: 'ls' },
        callId: 'call_1',
        agent: 'writer',
        tenantId: 'default',
        threadId: 'thread-1',
        runId: 'run-1',
        isSubagent: false,
        user: { id: 'ada', role: 'author' },
        at: 1_750_000_000_000,
      },
    })
  })

  it('is not asked with arguments beyond 64 KiB', async () => {
    const { url, heard } = await serve((response) => json(response, { result: true }))
    const { host } = hosting()
    const fits = { x: 'x'.repeat(65_536 - 8) }
    expect((await host.ask(httpSpec({ url }), request({ args: fits }), never)).effect).toBe('allow')
    const large = { x: 'x'.repeat(65_536 - 7) }
    expect(await host.ask(httpSpec({ url }), request({ args: large }), never)).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'oap.context_too_large' }],
    })
    expect(heard).toHaveLength(1)
  })
})

describe('an answer', () => {
  it.each<[string, unknown, PolicyAnswer['effect']]>([
    ['true', true, 'allow'],
    ['false', false, 'deny'],
    ['allow', { allow: true }, 'allow'],
    ['not allow', { allow: false, more: 1 }, 'deny'],
    ['decision', { decision: 'deny' }, 'deny'],
    ['effect', { effect: 'allow' }, 'allow'],
    ['a request for approval', { effect: 'require_approval' }, 'require_approval'],
    ['the same thrice', { allow: true, decision: 'allow', effect: 'allow' }, 'allow'],
    ['yes, if somebody approves', { allow: true, effect: 'require_approval' }, 'require_approval'],
    [
      'yes, by decision of somebody',
      { allow: true, decision: 'require_approval' },
      'require_approval',
    ],
  ])('may be %s', async (_, result, effect) => {
    expect((await answerTo({ result })).effect).toBe(effect)
  })

  it('without a result is a denial: no rule of OPA matched', async () => {
    const message = 'The policy server made no decision about this call.'
    expect(await answerTo({ decision_id: '1' })).toEqual({
      effect: 'deny',
      reasons: [{ code: 'oap.denied', message }],
      policyId: 'p',
      policyDigest: digest,
    })
  })

  it('keeps reasons and the id of the policy, in objects or as text', async () => {
    const reasons = [{ code: 'acme.hours', message: 'After hours.' }, 'Not today.', {}]
    expect(await answerTo({ result: { allow: false, reasons, policyId: 'acme.v2' } })).toEqual({
      effect: 'deny',
      reasons: [
        { code: 'acme.hours', message: 'After hours.' },
        { code: 'oap.denied', message: 'Not today.' },
        { code: 'oap.denied', message: '' },
      ],
      policyId: 'acme.v2',
      policyDigest: digest,
    })
    expect((await answerTo({ result: false })).reasons).toEqual([denied])
    expect((await answerTo({ result: { allow: false, reasons: [] } })).reasons).toEqual([denied])
  })

  it('is cut to the limits of an answer, and storable', async () => {
    const reason = { code: 'c'.repeat(101), message: `${'m'.repeat(499)}😀\u0000` }
    const reasons = Array.from({ length: 17 }, () => reason)
    const answer = await answerTo({ result: { allow: false, reasons, policyId: 'i'.repeat(201) } })
    expect(answer.reasons).toHaveLength(16)
    expect(answer.reasons[0]).toEqual({
      code: 'c'.repeat(100),
      message: `${'m'.repeat(499)}\uFFFD`,
    })
    expect(answer.policyId).toBe('i'.repeat(200))
  })
})

describe('no answer', () => {
  it.each<[string, unknown]>([
    ['null', { result: null }],
    ['a text', { result: 'allow' }],
    ['an object without a decision', { result: { reasons: [] } }],
    ['a word nobody knows', { result: { decision: 'ALLOW' } }],
    ['a truthy allow', { result: { allow: 1 } }],
    ['two decisions', { result: { allow: true, decision: 'deny' } }],
    ['a no with a condition', { result: { allow: false, effect: 'require_approval' } }],
    ['decision against effect', { result: { decision: 'allow', effect: 'require_approval' } }],
    ['reasons that are none', { result: { allow: true, reasons: 'none' } }],
    ['a body that is no object', true],
  ])('is %s', async (_, body) => {
    await expect(answerTo(body)).rejects.toThrow('The answer')
  })

  it('is a status, a redirect, bad JSON, bad text, too much text', async () => {
    const { url, heard } = await serve((response, { headers }) => {
      const how = headers.authorization
      if (how === 'Bearer status') return json(response, { result: true }, 500)
      if (how === 'Bearer redirect') return response.writeHead(307, { location: '/x' }).end()
      if (how === 'Bearer bytes') return response.end(Buffer.from([0x22, 0xff, 0x22]))
      if (how === 'Bearer large') return json(response, { result: true, pad: 'x'.repeat(65_536) })
      return response.end('{"result":true')
    })
    const ask = async (how: string): Promise<unknown> => {
      const { host } = hosting({ env: { HOW: how } })
      return host.ask(httpSpec({ url, tokenEnv: 'HOW' }), request(), never)
    }
    await expect(ask('status')).rejects.toThrow('The policy server answered 500.')
    await expect(ask('redirect')).rejects.toThrow('The policy server answered 307.')
    await expect(ask('cut')).rejects.toThrow('The answer is not JSON.')
    await expect(ask('bytes')).rejects.toThrow('not valid')
    await expect(ask('large')).rejects.toThrow('larger than 65536 bytes')
    expect(heard).toHaveLength(5)
  })

  it.each([
    ['a result that stands twice', '{"result":false,"result":true}'],
    ['a decision that stands twice', '{"result":{"allow":false,"allow":true}}'],
    ['the same key in two spellings', '{"result":{"allow":false,"\\u0061llow":true}}'],
    ['a prototype', '{"result":{"__proto__":{"allow":false},"allow":true}}'],
  ])('is %s', async (_, body) => {
    const { url } = await serve((response) => response.end(body))
    const ask = hosting().host.ask(httpSpec({ url }), request(), never)
    await expect(ask).rejects.toThrow('The answer can be read in two ways')
  })

  it('is not made of numbers that decide nothing', async () => {
    const { url } = await serve((response) => response.end('{"result":true,"ns":9007199254740993}'))
    const answer = await hosting().host.ask(httpSpec({ url }), request(), never)
    expect(answer.effect).toBe('allow')
  })

  it('is a server that nobody runs', async () => {
    const server = await serve((response) => json(response, { result: true }))
    await server.stop()
    const ask = hosting().host.ask(httpSpec({ url: server.url }), request(), never)
    await expect(ask).rejects.toThrow('The server cannot be reached: ECONNREFUSED.')
  })

  it('is a server that never answers, or dribbles for ever', async () => {
    const silent = await serve(() => {})
    const dribbling = await serve((response) => {
      const timer = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(timer))
    })
    const { host } = hosting()
    for (const { url } of [silent, dribbling]) {
      const ask = host.ask(httpSpec({ url, timeoutMs: 60 }), request(), never)
      await expect(ask).rejects.toThrow('The policy server did not answer within 60 ms.')
    }
  })
})

describe('the end of a question', () => {
  it('is the abort of its signal, with its reason', async () => {
    const { url, heard } = await serve(() => {})
    const { host } = hosting()
    const controller = new AbortController()
    const asked = host.ask(httpSpec({ url }), request(), controller.signal)
    const reason = new Error('cancelled')
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
    // Not even for what would be denied unasked.
    const large = request({ args: { x: 'x'.repeat(65_536) } })
    await expect(host.ask(httpSpec({ url }), large, controller.signal)).rejects.toBe(reason)
    expect(heard.length).toBeLessThanOrEqual(1)
  })

  it('is the end of the process', async () => {
    const { url } = await serve(() => {})
    const { host } = hosting()
    const asked = host.ask(httpSpec({ url }), request(), never)
    const closed = 'The policies of this process are closed.'
    await Promise.all([expect(asked).rejects.toThrow(closed), host.close()])
    await expect(host.ask(httpSpec({ url }), request(), never)).rejects.toThrow(closed)
  })
})

describe('secrets', () => {
  it('of the token are in no error, also where it is no header value', async () => {
    const { url, heard } = await serve((response) => json(response, { result: true }))
    for (const token of ['s3cret\nx: y', 's3cret ', '', undefined]) {
      const { host } = hosting({ env: { OPA_TOKEN: token } })
      const asked = host.ask(httpSpec({ url, tokenEnv: 'OPA_TOKEN' }), request(), never)
      await expect(asked).rejects.toThrow(
        /^The environment variable OPA_TOKEN holds no bearer token\.$/,
      )
    }
    expect(heard).toHaveLength(0)
  })
})
