/** Secrets by their public formats. Examples are put together here, so that no scanner takes this file for a leak. */
import { describe, expect, it } from 'vitest'

import { guardrailOf, inDeltas, judged, play } from './play.ts'

const secrets = guardrailOf({ use: 'secrets' })

const glue = (...pieces: readonly string[]): string => pieces.join('')
const mixed = 'aB3dE6gH9jK2mN5pQ8sT1vW4xY7z'
const web = [
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
  'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ',
  'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
].join('.')

const tokens: readonly (readonly [string, string])[] = [
  ['aws-access-key', glue('AKIA', 'IOSFODNN7EXAMPLE')],
  ['github-token', glue('ghp_', mixed, '12345678')],
  ['github-token', glue('github_pat_', '11ABCDEFG0abcdefghijkl', '_', mixed, mixed, 'abc')],
  ['gitlab-token', `glpat-${mixed.slice(0, 20)}`],
  ['slack-token', glue('xoxb-', '123456789012-123456789012-', mixed.slice(0, 24))],
  ['stripe-key', `sk_live_${mixed.slice(0, 24)}`],
  ['stripe-key', `rk_test_${mixed.slice(0, 24)}`],
  ['anthropic-key', `sk-ant-api03-${mixed}_${mixed}-${mixed}AA`],
  ['openai-key', glue('sk-proj-', mixed, 'T3BlbkFJ', mixed)],
  ['openai-key', glue('sk-', mixed.slice(0, 20), 'T3BlbkFJ', mixed.slice(0, 20))],
  ['google-key', glue('AIza', 'SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe')],
  ['jwt', web],
]

const bodyLine = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
const pem = (lineBreak: string, lines = 8): string =>
  [
    glue('-----BEGIN ', 'PRIVATE', ' KEY-----'),
    ...Array.from({ length: lines }, () => bodyLine),
    'q8B9a==',
    glue('-----END ', 'PRIVATE', ' KEY-----'),
  ].join(lineBreak)

const everywhere = (text: string, check: (out: string, before: string, after: string) => void) => {
  for (let before = 0; before < 33; before += 1) {
    const head = 'see '.repeat(9).slice(36 - before)
    const tail = ' is what it was, and nothing more is said about it here.'.repeat(8)
    const whole = play([secrets], [`${head} ${text}${tail}`])
    expect(play([secrets], inDeltas(`${head} ${text}${tail}`, 3))).toEqual(whole)
    expect(whole.trip).toBeNull()
    check(whole.text, `${head} `, tail)
  }
}

describe('tokens', () => {
  it.each(tokens)('%s, at each place of a step', (kind, token) => {
    expect(judged(secrets, `"${token}"`)).toBe(`"[redacted:${kind}]"`)
    everywhere(token, (out, before, after) =>
      expect(out).toBe(`${before}[redacted:${kind}]${after}`),
    )
  })

  it('longer than is seen at once are taken in to their end', () => {
    const [head = '', payload = '', signature = ''] = web.split('.')
    const long = glue(head, '.', payload, 'QxZ_9-'.repeat(500), '.', signature)
    everywhere(long, (out, before, after) => expect(out).toBe(`${before}[redacted:jwt]${after}`))
  })

  it.each([
    'sk-learn-something-about-machine-learning',
    'the task-force and the risk-management-department-of-2026',
    glue('xAKIA', 'IOSFODNN7EXAMPLE'),
    glue('AKIA', 'IOSFODNN7EXAMPLE', '1'),
    'eyJhbGciOiJIUzI1NiJ9 alone',
    'ghp_short',
    `-----BEGIN CERTIFICATE-----\n${bodyLine}\n-----END CERTIFICATE-----`,
  ])('left alone: %s', (text) => {
    expect(judged(secrets, text)).toBe(text)
  })
})

describe('private keys', () => {
  it.each([
    ['lines', '\n'],
    ['lines of Windows', '\r\n'],
    ['escaped lines', '\\n'],
  ])('nothing of the body goes out: %s', (_, lineBreak) => {
    everywhere(pem(lineBreak), (out, before, after) => {
      expect(out).toContain(`${before}[redacted:private-key]`)
      expect(out.endsWith(after)).toBe(true)
      expect(out).not.toMatch(/[A-Za-z0-9+/]{16}/)
      expect(out).not.toContain('q8B9a')
    })
  })

  it('of other kinds, with the headers of encryption', () => {
    const key = pem('\n', 3).replaceAll('PRIVATE', 'RSA PRIVATE')
    const encrypted = key.replace(
      'KEY-----\n',
      'KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C\n\n',
    )
    for (const text of [key, encrypted]) expect(judged(secrets, text)).not.toMatch(/MII|DEK|q8B9a/)
  })

  it('the text that follows stays', () => {
    expect(judged(secrets, `${pem('\n', 2)}\nInternationalization is next.`)).toMatch(
      /-----END PRIVATE KEY-----\nInternationalization is next\.$/,
    )
  })
})

describe('values of secret names', () => {
  it.each([
    ['password=S3cr3t!Pa55w', 'password='],
    ['DB_PASSWORD: "x9$Kq2!vLm"', 'DB_PASSWORD: "'],
    ["api_key => 'a1b2c3d4e5f6a7b8c9d0'", "api_key => '"],
    ['"client_secret":"Zx81-Yq72-Wp63"', '"client_secret":"'],
    [
      glue('AWS_SECRET_ACCESS_KEY=', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
      'AWS_SECRET_ACCESS_KEY=',
    ],
  ])('%s', (text, name) => {
    expect(judged(secrets, text)).toContain(`${name}[redacted:credential]`)
    everywhere(text, (out, before) =>
      expect(out).toContain(`${before}${name}[redacted:credential]`),
    )
  })

  it.each([
    'password=your_password_here',
    'token: undefined as yet',
    'the key: a question of taste',
    'password=<password>',
    'secret = process.env.SECRET_VALUE',
    'tokens: 1234567890',
    'password=aaaaaaaaaaaaaaaaaaaaaaaa1A!',
  ])('left alone: %s', (text) => {
    expect(judged(secrets, text)).toBe(text)
  })
})

describe('actions', () => {
  it('its own markers are never found again', () => {
    const once = judged(
      secrets,
      [...tokens.map(([, token]) => token), pem('\n'), 'password=S3cr3t!Pa55w'].join('\n'),
    )
    expect(once.match(/\[redacted:/g)).toHaveLength(tokens.length + 2)
    expect(judged(secrets, once)).toBe(once)
  })

  it.each(tokens)('fail names %s by its kind and never holds it', (_, token) => {
    const { text, trip } = play(
      [guardrailOf({ use: 'secrets', action: 'fail' })],
      inDeltas(`It is ${token} now.`, 4),
    )
    expect(trip).toMatchObject({ outcome: 'fail', guardrail: { id: 'secrets', name: 'Secrets' } })
    expect(trip?.feedback).toMatch(/^I was about to write an? /)
    expect(trip?.feedback + text).not.toContain(token.slice(4, 12))
  })
})
