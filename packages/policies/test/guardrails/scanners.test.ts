/**
 * What the kept rule sets of the field know: each rule of gitleaks, of secretlint's recommended preset, and each detector of trufflehog
 * with a format of its own has a sample that `secrets` finds, or stands in a list with the reason why not. Would catch: an issuer that is
 * missing, and a version of secretlint that knows one more.
 */
import { extname } from 'node:path'

import { lintSource } from '@secretlint/core'
import { creator, rules } from '@secretlint/secretlint-rule-preset-recommend'
import { describe, expect, test } from 'vitest'
import { guardrailOf } from './play.ts'
import { gitleaks, gitleaksLeftOut } from './scanners/gitleaks.ts'
import { madeSample, randomOf } from './scanners/made-sample.ts'
import { secretlint, secretlintLeftOut } from './scanners/secretlint.ts'
import { trufflehog, trufflehogLeftOut } from './scanners/trufflehog.ts'

const secrets = guardrailOf({ use: 'secrets' })

/** In a sentence, in a program, in an answer of a tool. */
const places: readonly ((sample: string) => string)[] = [
  (sample) => `Here it is: ${sample} - keep it to yourself.`,
  (sample) => `请使用 ${sample} 登录。`,
  (sample) => `{"note": ${JSON.stringify(sample)}}`,
]

/** `name = value` as settings, programs and JSON write it. */
function spelled(sample: string): readonly string[] {
  const [, name, value] = /^([a-z_]+) = ([^ "]+)$/.exec(sample) ?? []
  if (name === undefined || value === undefined) return places.map((place) => place(sample))
  return [
    `Set ${name.toUpperCase()}_API_TOKEN=${value} before the start.`,
    `const ${name}Key = "${value}"`,
    `{"${name}": "${value}"}`,
    `${name}: '${value}'`,
    `export ${name.toUpperCase()}=${value}`,
  ]
}

/** The pieces of a sample that only chance can have made: none of them may be left. */
const chance = (sample: string): readonly string[] =>
  [...sample.matchAll(/[A-Za-z0-9]{8,}/g)]
    .map(([run]) => run)
    .filter((run) => /[0-9]/.test(run) && /[A-Za-z]/.test(run))

/** What is left of a sample in these texts; several samples, since chance makes odd ones. */
function left(format: string): readonly string[] {
  return [1, 2, 3, 4, 5].flatMap((seed) => {
    const sample = madeSample(format, randomOf(seed))
    return spelled(sample).flatMap((text) => {
      const found = secrets.inspector?.inspect(text)
      if (found === undefined || found.kinds.length === 0) return [text]
      const rest = found.text.replaceAll(/\[redacted:[a-z0-9-]+\]/g, '')
      return chance(sample).some((piece) => rest.includes(piece)) ? [found.text] : []
    })
  })
}

describe.each([
  ['gitleaks', gitleaks, gitleaksLeftOut, 200],
  ['trufflehog', trufflehog, trufflehogLeftOut, 120],
] as const)('%s', (_, known, leftOut, count) => {
  test.each(Object.entries(known))('%s', (_rule, format) => {
    expect(left(format)).toEqual([])
  })

  test('is a list that no rule fell out of, with a reason for each exception', () => {
    expect(Object.keys(known).length).toBeGreaterThanOrEqual(count)
    expect(Object.keys(known).filter((rule) => rule in leftOut)).toEqual([])
    for (const reason of Object.values(leftOut)) expect(reason).toMatch(/\w{2,} \w/)
  })
})

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Two tokens are JSON in base 64. */
const special: Readonly<Record<string, (seed: number) => string>> = {
  GRAFANA_CLOUD_API_TOKEN: (seed) =>
    `glc_${encoded({ o: '123456', n: 'stack', k: madeSample('{p32}', randomOf(seed)), m: { r: 'eu' } })}`,
  OPS_TOKEN: (seed) =>
    `ops_${encoded({
      email: 'a@1passwordserviceaccounts.com',
      muk: { alg: 'A256GCM', ext: true, k: madeSample('{w43}', randomOf(seed)), kty: 'oct' },
      secretKey: madeSample('A3-{A6}-{A6}-{A5}-{A5}-{A5}-{A5}', randomOf(seed)),
      srpX: madeSample('{h64}', randomOf(seed)),
      signInAddress: 'x.1password.com',
      userAuth: { method: 'SRPg-4096', alg: 'PBES2g-HS256', iterations: 650000, salt: 'x' },
    })}`,
}

/** Identifiers of accounts are looked for on demand only. */
const identifiers = {
  id: '@secretlint/secretlint-rule-aws',
  options: { enableIDScanRule: true },
}

/** Two rules look into files of these names only. */
const files: Readonly<Record<string, string>> = {
  PackageJSON_xOauthToken: '/package.json',
  Npmrc_authToken: '/.npmrc',
}

async function secretlintFinds(text: string, filePath: string): Promise<readonly string[]> {
  const { messages } = await lintSource({
    source: { filePath, content: text, ext: extname(filePath), contentType: 'text' },
    options: {
      config: {
        rules: [
          {
            id: '@secretlint/secretlint-rule-preset-recommend',
            rule: creator,
            rules: [identifiers],
          },
        ],
      },
    },
  })
  return messages.flatMap((message) => (message.type === 'message' ? [message.messageId] : []))
}

describe('secretlint', () => {
  test('every message of every rule of the preset has a sample, or a reason', () => {
    const messages = rules.flatMap((rule) => Object.keys(rule.messages))
    const known = new Set([...Object.keys(secretlint), ...Object.keys(secretlintLeftOut)])
    expect(messages.filter((message) => !known.has(message))).toEqual([])
    expect([...known].filter((message) => !messages.includes(message))).toEqual([])
  })

  test.each(Object.entries(secretlint))('%s', async (message, format) => {
    const make = special[message] ?? ((seed: number): string => madeSample(format, randomOf(seed)))
    for (const seed of [11, 12, 13]) {
      const sample = make(seed)
      const text = `Here it is: ${sample}\n`
      expect(await secretlintFinds(text, files[message] ?? '/a.txt'), sample).toContain(message)
      const found = secrets.inspector?.inspect(text)
      expect(found?.kinds, sample).not.toEqual([])
      const kept = chance(sample).filter(
        (piece) => piece.length >= 12 && found?.text.includes(piece),
      )
      expect(kept).toEqual([])
    }
  })
})
