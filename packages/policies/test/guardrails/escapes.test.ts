/**
 * Secrets and identities in texts that spell characters in another way: strings of JSON, addresses, markup, colours of a terminal. Would catch: a
 * token behind `\n`, which ends in a letter; a value whose quotes are escaped; a key whose line breaks are escaped twice.
 */
import type { JsonObject } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import { inspectArguments, redactResult } from '../../src/guardrails/inspect.ts'
import { guardrailOf, inDeltas, play } from './play.ts'

const reach = { arguments: true, toolResults: true }
const secrets = guardrailOf({ use: 'secrets', ...reach })
const entities = ['email', 'phone', 'ssn', 'cn-resident-id', 'credit-card', 'iban', 'ip-address']
const pii = guardrailOf({ use: 'pii', entities, ...reach })
const terms = guardrailOf({ use: 'banned-terms', terms: ['Wotan'], action: 'redact', ...reach })

/** By GitHub's format. Put together here, so that no scanner takes it for a real one. */
const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const password = ['tr0ub', '4dor3'].join('')
const signature = `${'aB3dE6gH9jK2'.repeat(4).slice(0, 43)}=`
const esc = '\u001b'

/** Every character as JSON may spell it. */
const spelt = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

const text = (value: unknown): string => JSON.stringify(value)

function isJson(said: string): boolean {
  try {
    JSON.parse(said)
    return true
  } catch {
    return false
  }
}

describe('the end of an escape is no letter of the word behind it', () => {
  const found: readonly (readonly [string, string])[] = [
    ['ghp_', token],
    ['+49', '+49 30 901820'],
    ['DE89', 'DE89 3704 0044 0532 0130 00'],
    ['4111', '4111 1111 1111 1111'],
    ['123-', '123-45-6789'],
    ['Wotan', 'Wotan'],
  ]
  const before = [
    '\\n',
    '\\t',
    '\\r\\n',
    '\\u0022',
    '\\x22',
    'to%3D',
    'a%20',
    `${esc}[32m`,
    '\\u001b[1;32m',
  ]
  test.each(found.flatMap(([start, secret]) => before.map((each) => [each, start, secret])))(
    '%s before %s',
    async (escape, _start, secret) => {
      const said = `It is: ${escape}${secret} and no more.`
      const chain = [secrets, pii, terms]
      const { value, taken } = await redactResult(said, chain)
      expect(value).not.toContain(secret)
      expect(taken).toHaveLength(1)
      for (const size of [1, 7, said.length]) {
        const shown = play(chain, inDeltas(said, size)).text
        expect(shown).not.toContain(secret)
        expect(shown).toContain(' and no more.')
      }
    },
  )
})

/** A text, and what must not be left of it. */
const escaped: readonly (readonly [string, string, string])[] = [
  ['one letter of a token', `{"t":"\\u0067${token.slice(1)}"}`, token.slice(1)],
  ['all of a token', `{"t":"${spelt(token)}"}`, spelt(token.slice(4))],
  [
    'capital digits',
    `{"t":"\\u006B\\u0065\\u0079: ${token.slice(0, 4)}\\u0061${token.slice(5)}"}`,
    token.slice(5),
  ],
  ['braces', `'\\u{67}${token.slice(1)}'`, token.slice(1)],
  [
    'slashes, as PHP writes them',
    `{"dsn":"postgres:\\/\\/app:${password}@db.internal\\/app"}`,
    password,
  ],
  [
    'an ampersand, as Go writes it',
    `{"u":"https://a.blob.core.windows.net/c?sv=1\\u0026sig=${signature}"}`,
    signature,
  ],
  ['Chinese, as Python writes it', `{"t":"${spelt('密码是')}${password}${spelt('。')}"}`, password],
  ['JSON in JSON', text({ body: text({ password }) }), password],
  ['JSON in JSON in JSON', text({ a: text({ b: text({ password }) }) }), password],
  [
    'an address in an address',
    `https://a.example/login?next=https%3A%2F%2Fapp%3A${password}%40db.example%2F`,
    password,
  ],
  [
    'a query in an address',
    `https://a.example/login?next=%2Fcb%3Fsv%3D1%26sig%3D${signature.slice(0, -1)}%3D`,
    signature.slice(0, -1),
  ],
  ['markup', `<p>&quot;password&quot;: &quot;${password}&quot;</p>`, password],
  [
    'an address in markup',
    `<Url>https://a.blob.core.windows.net/c?sv=1&amp;sig=${signature}</Url>`,
    signature,
  ],
  ['numbers of characters', `&#112;assword=${password}&#x21;`, password],
  ['any scheme, escaped', text({ log: `{"Authorization":"ApiKey ${signature}"}` }), signature],
  [
    'the signature of AWS, escaped',
    text({
      log: text({
        Authorization: `AWS4-HMAC-SHA256 Credential=x/20261126/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0a1b2c3d'.repeat(8)}`,
      }),
    }),
    '0a1b2c3d'.repeat(8),
  ],
]

describe('a result is read as it is spelt, and as it means', () => {
  test.each(escaped)('%s', async (_name, said, secret) => {
    const { value, taken } = await redactResult(said, [secrets])
    expect(value).not.toContain(secret)
    expect(value).toContain('[redacted:')
    expect(taken.length).toBeGreaterThan(0)
    expect(isJson(value)).toBe(isJson(said))
  })

  test.each(escaped)('in arguments: %s', async (_name, said, secret) => {
    const inspected = await inspectArguments({ body: said }, [secrets])
    expect(inspected.type === 'passed' && text(inspected.value)).not.toContain(secret)
    const strict = guardrailOf({ use: 'secrets', action: 'stop', ...reach })
    expect(await inspectArguments({ body: said }, [strict])).toMatchObject({ type: 'refused' })
  })

  test('nothing else of it changes', async () => {
    const said = `{"id":12345678901234567890,"p":"C:\\\\new\\\\a.txt","t":"\\u0067${token.slice(1)}","é":"\\u00e9"}`
    expect((await redactResult(said, [secrets])).value).toBe(
      '{"id":12345678901234567890,"p":"C:\\\\new\\\\a.txt","t":"[redacted:github-token]","é":"\\u00e9"}',
    )
  })

  test('identities are read so, too', async () => {
    const said = '{"card":"4111\\u00201111\\u00201111\\u00201111","mail":"ada\\u0040example.com"}'
    expect((await redactResult(said, [pii])).value).toBe(
      '{"card":"[redacted:credit-card]","mail":"[redacted:email]"}',
    )
  })

  test.each([
    'C:\\new\\table\\users.txt and \\\\server\\share',
    String.raw`/\bfoo\b\d{3}-\d{2}-\d{4}/u and "\u00e9\n"`,
    '100%25 sure, a&amp;b, 5 &lt; 6, &#169; 2026, %zz, &unknown;',
    text({ a: text({ b: 'The password is required.' }) }),
    text({ note: 'line one\nline two\tand "quoted"', path: 'a/b\\c' }),
  ])('left alone: %s', async (said) => {
    expect(await redactResult(said, [secrets, pii])).toEqual({ value: said, taken: [] })
  })
})

describe('the lines of a private key', () => {
  const lines = [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
    'BKcwggSjAgEAAoIBAQDZx7k+Qe/9aB3d',
    'E6gH9jK2mN5pQ8sT1v/W4xY7zA==',
  ]
  const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`
  const left = lines.map((line) => line.slice(0, 16))
  const account = { type: 'service_account', private_key: pem, client: 'a@b.iam' }

  test.each([
    ['once', text(account)],
    ['twice', text({ credentials: text(account) })],
    ['three times', text({ env: text({ credentials: text(account) }) })],
    ['with slashes as PHP writes them', text(account).replaceAll('/', '\\/')],
  ])('whose breaks are escaped %s', async (_name, said) => {
    const { value } = await redactResult(said, [secrets])
    for (const line of left) expect(value).not.toContain(line)
    expect(value).toContain('client')
    expect(() => JSON.parse(value)).not.toThrow()
  })

  test.each([
    ['once', text(account)],
    ['twice', text({ credentials: text(account) })],
  ])('said by a model, whose breaks are escaped %s', (_name, said) => {
    for (const size of [1, 5, said.length]) {
      const shown = play([secrets], inDeltas(said, size)).text
      for (const line of left) expect(shown).not.toContain(line)
      expect(shown).toContain('client')
    }
  })
})

test('the lines of a private key in a list are one thing', async () => {
  const lines = [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
    'BKcwggSjAgEAAoIBAQDZx7k9Qe0aB3dE',
    'bQ8sT1vW4xY7zA==',
  ]
  const file = [
    '# deploy',
    '-----BEGIN PRIVATE KEY-----',
    ...lines,
    '-----END PRIVATE KEY-----',
    'end',
  ]
  const { value, taken } = await redactResult({ lines: file }, [secrets])
  expect(value).toEqual({
    lines: ['# deploy', '[redacted:private-key]', '', '', '', '-----END PRIVATE KEY-----', 'end'],
  })
  expect(taken).toMatchObject([{ kind: 'private-key', count: 1 }])
  expect(
    (await redactResult({ lines: ['one', `two ${token}`, 'three'] }, [secrets])).value,
  ).toEqual({
    lines: ['one', 'two [redacted:github-token]', 'three'],
  })
})

describe('what a value is called', () => {
  const names = [
    'password',
    'DB_PASSWORD',
    'Passwort',
    'contraseña',
    'mot de passe',
    '密码',
    'パスワード',
    'пароль',
  ]
  const words: readonly (readonly [string, string])[] = names.flatMap((name) => [
    [`a key: ${name}`, text({ [name]: password })],
    [`a key, escaped: ${name}`, text({ body: text({ [name]: password }) })],
    [`a name and its value: ${name}`, text([{ name, value: password }])],
    [
      `a name and its value over lines: ${name}`,
      JSON.stringify([{ name, value: password }], null, 4),
    ],
  ])
  const markup = [
    ['an element', `<server><username>ann</username><password>${password}</password></server>`],
    ['an element with a prefix', `<wsse:Password>${password}</wsse:Password>`],
    ['an element with CDATA', `<passphrase><![CDATA[${password}]]></passphrase>`],
    ['a header and its value', text([{ name: 'Authorization', value: `SSWS ${signature}` }])],
  ] as const
  test.each([...words, ...markup])('%s', async (_name, said) => {
    const { value } = await redactResult(said, [secrets])
    expect(value).not.toContain(password)
    expect(value).not.toContain(signature)
    const shown = play([secrets], inDeltas(said, 3)).text
    // What a model says is read as it is spelt.
    expect(shown.includes(password)).toBe(false)
  })

  const values: readonly (readonly [string, JsonObject])[] = [
    ...names.map((name) => [`under ${name}`, { [name]: password }] as const),
    ['a pair', { env: [{ name: 'DB_PASSWORD', value: password }] }],
    ['a pair of key and value', { env: [{ key: 'DB_PASSWORD', value: password }] }],
    ['a cookie', { headers: { Cookie: `laravel=${signature}` } }],
    ['a header in a list', { headers: [{ name: 'Authorization', value: `SSWS ${signature}` }] }],
  ]
  test.each(values)('in a value: %s', async (_name, value) => {
    const said = text((await redactResult(value, [secrets])).value)
    expect(said).not.toContain(password)
    expect(said).not.toContain(signature)
    const inspected = await inspectArguments(value, [secrets])
    expect(inspected.type === 'passed' && text(inspected.value)).not.toMatch(/tr0ub|aB3dE6gH9/)
  })

  test('a phone number is known by its key', async () => {
    for (const said of [{ phone: '0601234567' }, { tel: ['(0351) 998877'] }])
      expect(text((await redactResult(said, [pii])).value)).toContain('[redacted:phone]')
  })

  test.each([
    text({ password: 'must have at least 8 characters', token: 'bearer' }),
    text([{ name: 'token_endpoint', value: 'https://idp.example.com/v2/token' }]),
    '<password>required</password>',
    text([{ name: 'PASSWORD_POLICY', value: 'strong' }]),
    text({ cookie: 'consent', hotel: 'Ritz 12', phone: 'none' }),
  ])('left alone: %s', async (said) => {
    expect(await redactResult(said, [secrets, pii])).toEqual({ value: said, taken: [] })
  })
})
