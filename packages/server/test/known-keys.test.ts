/**
 * What a key says of itself, what a process keeps of it, and what is refused to everybody. Would catch: a typo that costs a
 * query, a revoked key that is believed too long, an operation that nobody thought of.
 */
import { OpenAPIHono } from '@hono/zod-openapi'
import { systemRandom } from '@signalbox/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiEnv } from '../src/http/api.ts'
import { anybody } from '../src/http/authenticate.ts'
import { authorized } from '../src/http/authorize.ts'
import { onError } from '../src/http/failures.ts'
import { mintKey, readKey } from '../src/keys/key-text.ts'
import { keptMsMax, KnownKeys } from '../src/keys/known-keys.ts'
import { createRedact } from '../src/observe/redact.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

describe('the text of a key', () => {
  it('has a checksum, and is stored as its digest', () => {
    const random = { hex: (bytes: number) => '0123456789abcdef'.repeat(3).slice(0, 2 * bytes) }
    // The checksum and the digest as zlib and hashlib of Python give them.
    expect(mintKey(random)).toEqual({
      id: '0123456789abcdef',
      text: 'sbx_0123456789abcdef_0123456789abcdef0123456789abcdef0123456789abcdef_9dd74d14',
      digest: 'c4f5a812a248bd043fa0624abaecfa00a8e90e4f919536153e801d6a090f2ae0',
    })
  })

  it('is told from any other, without a database', () => {
    const hex = fc.stringMatching(/^[0-9a-f]{64}$/)
    const place = fc.nat({ max: 77 })
    const property = fc.property(
      hex,
      place,
      fc.stringMatching(/^[0-9a-f_]$/),
      (bits, at, other) => {
        const random = { hex: (bytes: number) => bits.slice(0, 2 * bytes) }
        const { text, id, digest } = mintKey(random)
        expect(readKey(text)).toEqual({ id, digest })
        const wrong = text.slice(0, at) + other + text.slice(at + 1)
        expect(readKey(wrong)).toEqual(wrong === text ? { id, digest } : null)
        expect(createRedact([])(`x ${text} y`)).toBe('x [redacted] y')
      },
    )
    fc.assert(property, { numRuns: 200 })
  })
})

describe('what is known of a key', () => {
  it('is asked once for all who come, and again when it is old or the key has expired', async () => {
    let [now, asked, left] = [0, 0, Number.POSITIVE_INFINITY]
    const keys = new KnownKeys(
      {
        shown: async () => {
          asked += 1
          const leftMs = Number.isFinite(left) ? left : null
          return { tenantId: 'a', scopes: [], isRevoked: false, leftMs }
        },
      },
      () => now,
    )
    const key = { id: 'i', digest: 'd' }
    await Promise.all([keys.shown(key), keys.shown(key)])
    now = keptMsMax - 1
    await keys.shown(key)
    expect(asked).toBe(1)
    now = keptMsMax
    left = 10
    await keys.shown(key)
    expect(asked).toBe(2)
    now += 10
    await keys.shown(key)
    expect(asked).toBe(3)
  })

  it('is nothing while the database does not answer, and for what is no key', async () => {
    let asked = 0
    const shown = () => {
      asked += 1
      return asked === 1 ? Promise.reject(new Error('away')) : Promise.resolve(null)
    }
    const keys = new KnownKeys({ shown }, () => 0)
    await expect(keys.shown({ id: 'i', digest: 'd' })).rejects.toThrow('away')
    expect(await keys.shown({ id: 'i', digest: 'd' })).toBeNull()
    expect(await keys.shown({ id: 'i', digest: 'd' })).toBeNull()
    expect(asked).toBe(3)
  })
})

describe('an operation', () => {
  it('that no line of the table names is refused, whoever asks', async () => {
    const app = new OpenAPIHono<ApiEnv>()
    app.onError(onError({ log, random: systemRandom }))
    app.use(authorized({ authenticate: anybody }))
    app.get('/forgotten', (c) => c.text('secret'))
    app.get('/ok', (c) => c.text('fine'))
    expect(await (await app.request('/ok')).text()).toBe('fine')
    const refused = await app.request('/forgotten')
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'forbidden_scope' })
  })
})
