/** A host that is denied is denied however it is spelt. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '@signalbox/core'
import { ask, passport, request, verdictOf } from './passports.ts'

const fetch = (limits: JsonObject, url: string): string =>
  verdictOf(ask(passport({ 'web.fetch': limits }), request('web_fetch', { url })))

const any = { allowed_domains: ['*'] }

const mixed = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((upper) =>
    text
      .split('')
      .map((char, at) => (upper[at] ? char.toUpperCase() : char))
      .join(''),
  )

test('a denied host is denied in every spelling', () => {
  const around = fc.record({
    scheme: mixed('https'),
    host: mixed('evil.org'),
    below: fc.constantFrom('', 'www.', 'example.com.', 'a.b.c.'),
    dot: fc.constantFrom('', '.'),
    port: fc.constantFrom('', ':', ':443', ':08443'),
    user: fc.constantFrom('', 'example.com@', 'example.com:x@', 'example.com%2f@'),
    rest: fc.constantFrom('', '/', '?x', '#x', '/@example.com', '\\@example.com', '//example.com'),
  })
  const limits = { allowed_domains: ['*'], blocked_domains: ['evil.org'] }
  fc.assert(
    fc.property(around, ({ scheme, host, below, dot, port, user, rest }) =>
      ['oap.domain_blocked', 'oap.invalid_url'].includes(
        fetch(limits, `${scheme}://${user}${below}${host}${dot}${port}${rest}`),
      ),
    ),
    { numRuns: 1000 },
  )
})

const part = (value: number): fc.Arbitrary<string> =>
  fc.constantFrom(
    String(value),
    `0x${value.toString(16)}`,
    `0X00${value.toString(16)}`,
    `0${value.toString(8)}`,
  )

test('a denied IPv4 address is denied in every spelling', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      (bytes, count, choices) => {
        const tail = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0)
        const values = [...bytes.slice(0, count - 1), tail]
        const spelt = values.map(
          (value) => fc.sample(part(value), { seed: choices.next().value, numRuns: 1 })[0],
        )
        const limits = { ...any, block_private_ips: false, blocked_domains: [bytes.join('.')] }
        expect(fetch(limits, `http://${spelt.join('.')}/`)).toBe('oap.domain_blocked')
        const mapped = `http://[::ffff:${bytes.join('.')}]/`
        expect(fetch({ ...any }, mapped)).toBe(fetch({ ...any }, `http://${bytes.join('.')}/`))
      },
    ),
    { numRuns: 500 },
  )
})
