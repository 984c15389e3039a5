/**
 * Living passports, from real files and a real server, with the clock in the test's hand: the kill switch is effective
 * within 5 seconds, whatever happens to the source.
 */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { PolicyAnswer } from '@signalbox/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { byStatus, hosting, never, passportSpec, request } from './support/hosting.ts'
import { json, serve } from './support/serving.ts'

const id = '8a3b2f60-4f5e-4b1c-9f5a-1f0d3c2b1a00'
const passportOf = (status: string, passport_id = id) => ({ passport_id, status })
const closed = { approved: false, failClosed: true, signal: never }

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'passports-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

function* forever(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk
}

type Options = Parameters<typeof hosting>[0]

/** A host with one living passport. `code` asks again and says the code of the denial, or null. */
function living(source: string, options: Options = {}) {
  const spec = passportSpec({ passport: passportOf('active'), source })
  const { host, pass, lines } = hosting(options)
  const recheck = (how: Partial<typeof closed> = {}): Promise<PolicyAnswer | null> =>
    host.recheck([spec], request(), { ...closed, ...how })
  const code = async (how: Partial<typeof closed> = {}): Promise<string | null> =>
    (await recheck(how))?.reasons[0]?.code ?? null
  return { recheck, code, pass, lines, host }
}

describe('a passport in a file', () => {
  it('takes the status it has, at most a second later', async () => {
    const baseDir = await folder()
    const path = join(baseDir, 'p.json')
    const write = (status: string) => writeFile(path, JSON.stringify(passportOf(status)))
    const { code, pass } = living('p.json', { baseDir })
    await write('active')
    expect(await code()).toBeNull()
    await write('revoked')
    pass(999)
    expect(await code()).toBeNull()
    pass(1)
    expect(await code()).toBe('oap.passport_suspended')
    await write('active')
    pass(1000)
    expect(await code()).toBeNull()
  })

  it('that is gone, half written, no object or too long denies, also where failures are forgiven', async () => {
    const path = join(await folder(), 'p.json')
    const { code, pass } = living(path)
    const next = async (text: string | null): Promise<unknown> => {
      pass(1000)
      await (text === null ? rm(path, { force: true }) : writeFile(path, text))
      return code({ failClosed: false })
    }
    const good = JSON.stringify(passportOf('active'))
    expect(await next(null)).toBe('oap.passport_not_found')
    expect(await next(good)).toBeNull()
    expect(await next(good.slice(0, -1))).toBe('oap.passport_invalid')
    expect(await next(`[${good}]`)).toBe('oap.passport_invalid')
    expect(await next(JSON.stringify(passportOf('active', 'another')))).toBe('oap.passport_invalid')
    expect(await next('{"status":"active"}')).toBe('oap.passport_invalid')
    expect(await next(good.replace('{', '{"status":"revoked",'))).toBe('oap.passport_invalid')
    expect(await next(good + ' '.repeat(262_144))).toBe('oap.passport_invalid')
    expect(await next(good)).toBeNull()
    expect(await next(null)).toBe('oap.passport_not_found')
  })

  it("without an id is nobody's, even if the pinned one has none either", async () => {
    const path = join(await folder(), 'p.json')
    await writeFile(path, '{"status":"active"}')
    const spec = passportSpec({ passport: { status: 'active' }, source: path })
    const denied = await hosting().host.recheck([spec], request(), closed)
    expect(denied?.reasons[0]?.code).toBe('oap.passport_invalid')
  })

  it('is replaced by rename, even by one with the same size and time', async () => {
    const dir = await folder()
    const path = join(dir, 'p.json')
    const { code, pass } = living(path)
    await writeFile(path, JSON.stringify(passportOf('active')))
    expect(await code()).toBeNull()
    await writeFile(join(dir, 'next'), JSON.stringify(passportOf('paused')))
    await rename(join(dir, 'next'), path)
    pass(1000)
    expect(await code()).toBe('oap.passport_suspended')
  })

  it('is no folder and no pipe', async () => {
    expect(await living(await folder()).code()).toBe('oap.passport_not_found')
    expect(await living(join(await folder(), 'no', 'such')).code()).toBe('oap.passport_not_found')
  })
})

describe('a passport at an address', () => {
  it('takes the status it has, at most two seconds later, and costs no body while it is unchanged', async () => {
    let status = 'active'
    const server = await serve((response, { headers }) => {
      response.setHeader('etag', `"${status}"`)
      if (headers['if-none-match'] === `"${status}"`) return response.writeHead(304).end()
      return json(response, passportOf(status))
    })
    const { code, pass } = living(server.url)
    const conditions = () => server.heard.map(({ headers }) => headers['if-none-match'])
    expect([await code(), await code()]).toEqual([null, null])
    pass(1999)
    expect(await code()).toBeNull()
    expect(conditions()).toEqual([undefined])
    pass(1)
    expect(await code()).toBeNull()
    expect(conditions()).toEqual([undefined, '"active"'])
    status = 'suspended'
    pass(2000)
    expect(await code()).toBe('oap.passport_suspended')
    expect(conditions()).toEqual([undefined, '"active"', '"active"'])
  })

  it('is asked for once, however many calls wait for it', async () => {
    const server = await serve((response) => json(response, passportOf('suspended')))
    const { code } = living(server.url)
    const codes = await Promise.all(Array.from({ length: 20 }, () => code()))
    expect(new Set(codes)).toEqual(new Set(['oap.passport_suspended']))
    expect(server.heard).toHaveLength(1)
  })

  it('holds for 5 seconds while its server is down; then nothing is allowed', async () => {
    let up = true
    const server = await serve((response) =>
      up ? json(response, passportOf('active')) : json(response, {}, 503),
    )
    const { code, pass, lines } = living(`${server.url}p?key=s3cret`)
    expect(await code()).toBeNull()
    up = false
    pass(2000)
    expect(await code()).toBeNull()
    pass(3000)
    expect(await code()).toBeNull()
    pass(1)
    expect(await code()).toBe('oap.evaluator_error')
    expect(await code({ failClosed: false })).toBeNull()
    up = true
    expect(await code()).toBe('oap.evaluator_error')
    pass(2000)
    expect(await code()).toBeNull()
    expect(lines.filter(({ fields }) => 'source' in fields)).toEqual([
      expect.objectContaining({
        level: 'warn',
        fields: expect.objectContaining({ source: `${server.url}p` }),
      }),
      expect.objectContaining({ level: 'info', fields: { source: `${server.url}p` } }),
    ])
    expect(JSON.stringify(lines)).not.toContain('s3cret')
  })

  it('that went down for good, or never was up, denies', async () => {
    const server = await serve((response) => json(response, passportOf('active')))
    const { code, pass } = living(server.url)
    expect(await code()).toBeNull()
    await server.stop()
    pass(5001)
    expect(await code()).toBe('oap.evaluator_error')
    expect(await living(server.url).code()).toBe('oap.evaluator_error')
  })

  it('is not found where the server says so, at once', async () => {
    let status = 200
    const server = await serve((response) => json(response, passportOf('active'), status))
    const { code, pass } = living(server.url)
    for (const [next, expected] of [
      [200, null],
      [404, 'oap.passport_not_found'],
      [200, null],
      [410, 'oap.passport_not_found'],
      [302, 'oap.passport_not_found'],
    ] as const) {
      status = next
      expect(await code({ failClosed: false })).toBe(expected)
      pass(2000)
    }
    pass(3001)
    expect(await code()).toBe('oap.evaluator_error')
  })

  const good = JSON.stringify(passportOf('active'))
  it.each<[string, string, (response: ServerResponse) => void]>([
    ['a redirect', 'oap.evaluator_error', (r) => r.writeHead(307, { location: '/p' }).end(good)],
    ['an error with one', 'oap.evaluator_error', (r) => r.writeHead(500).end(good)],
    ['one that is cut', 'oap.passport_invalid', (r) => r.end(good.slice(0, -1))],
    ['a broken connection', 'oap.evaluator_error', (r) => r.destroy()],
    ['bytes that are no text', 'oap.evaluator_error', (r) => r.end(Buffer.from([0x7b, 0xff]))],
    ['a page', 'oap.passport_invalid', (r) => r.end('<html>sign in</html>')],
    [
      'another status twice',
      'oap.passport_invalid',
      (r) => r.end(`{"status":"revoked",${good.slice(1)}`),
    ],
    ['unchanged, unasked', 'oap.evaluator_error', (r) => r.writeHead(304).end()],
    [
      'a small body that grows',
      'oap.evaluator_error',
      (r) =>
        r
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(good + ' '.repeat(9_000_000))),
    ],
    [
      'a body without an end',
      'oap.evaluator_error',
      (r) =>
        void Readable.from(forever(Buffer.alloc(65_536, ' ')))
          .pipe(r)
          .on('error', () => {}),
    ],
  ])(
    'that is answered with %s denies as %s, also where it allowed before',
    async (_, code, reply) => {
      let isGood = true
      const server = await serve((response) =>
        isGood ? json(response, passportOf('active')) : reply(response),
      )
      const first = living(server.url)
      expect(await first.code()).toBeNull()
      isGood = false
      first.pass(5001)
      expect(await first.code()).toBe(code)
      expect(await living(server.url).code()).toBe(code)
      // No redirect is followed.
      expect(server.heard.length).toBeLessThanOrEqual(3)
    },
  )

  it('does not grow younger when the clock is turned back', async () => {
    const server = await serve((response) => json(response, passportOf('active')))
    const { code, pass } = living(server.url)
    expect(await code()).toBeNull()
    await server.stop()
    pass(-3_600_000)
    expect(await code()).toBe('oap.evaluator_error')
  })

  it('that is awaited ends with the caller: a cancel is no denial, and no end for the others', async () => {
    let release: (() => void) | undefined
    const server = await serve((response) => {
      release = () => json(response, passportOf('suspended'))
    })
    const { recheck, code } = living(server.url)
    const controller = new AbortController()
    const reason = new Error('cancelled')
    const cancelled = recheck({ signal: controller.signal })
    const other = code()
    await expect.poll(() => release).toBeDefined()
    controller.abort(reason)
    await expect(cancelled).rejects.toBe(reason)
    release?.()
    expect(await other).toBe('oap.passport_suspended')
    expect(server.heard).toHaveLength(1)
  })
})

describe('the live passport', () => {
  it('judges in place of the pinned one, and has a digest of its own once it differs', async () => {
    const path = join(await folder(), 'p.json')
    const digests: string[] = []
    const { code, pass } = living(path, {
      evaluatePassport: (spec) => {
        digests.push(spec.digest)
        return byStatus(spec)
      },
    })
    await writeFile(path, `{ "status": "active", "passport_id": "${id}" }`)
    expect(await code()).toBeNull()
    await writeFile(path, JSON.stringify({ ...passportOf('active'), version: '1.0.1' }))
    pass(1000)
    expect(await code()).toBeNull()
    expect(digests).toEqual(['sha256:00', expect.stringMatching(/^sha256:[0-9a-f]{64}$/)])
  })

  it('that asks for approval is allowed to whom it was given', async () => {
    const path = join(await folder(), 'p.json')
    await writeFile(path, JSON.stringify(passportOf('ask')))
    const { recheck } = living(path)
    expect(await recheck({ approved: true })).toBeNull()
    expect(await recheck()).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'approval_required' }],
    })
  })

  it('that breaks the evaluator denies, without its words', async () => {
    const path = join(await folder(), 'p.json')
    await writeFile(path, JSON.stringify(passportOf('throw')))
    const { recheck, lines } = living(path)
    expect(await recheck()).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'oap.evaluator_error', message: 'The policy p could not be asked.' }],
    })
    expect(lines).toMatchObject([{ level: 'warn', fields: { policy: 'p', error: 'broken' } }])
  })
})
