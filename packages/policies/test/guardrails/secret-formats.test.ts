/**
 * Secrets by the formats of their issuers, by what leads to them, and what looks like one and is none. Bodies are made here, so that no scanner
 * takes them for real ones; the formats are those of the issuers' documentation.
 */
import { expect, test } from 'vitest'
import { createGuardrail } from '../../src/guardrails/create-guardrail.ts'
import { StreamGuardSpec } from '@signalbox/core'

const guard = createGuardrail(StreamGuardSpec.parse({ use: 'secrets' }))
const inspect = (text: string) => guard?.inspector?.inspect(text) ?? { text, kinds: [] }

const alphabets = {
  hex: '0123456789abcdef',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
} as const

/** A body of this length, always the same for the same seed. */
function body(length: number, seed: number, alphabet: keyof typeof alphabets = 'word'): string {
  const letters = alphabets[alphabet]
  let state = seed * 2_654_435_761 + 1
  let text = ''
  for (let n = 0; n < length; n += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += letters.charAt(Math.floor(state / 65_536) % letters.length)
  }
  return text
}

const w = (length: number) => (seed: number) => body(length, seed)
const h = (length: number) => (seed: number) => body(length, seed, 'hex')

/** Issuer and format. */
const tokens: readonly (readonly [string, (seed: number) => string])[] = [
  ['npm', (n) => `npm_${w(36)(n)}`],
  ['PyPI', (n) => `pypi-AgEIcHlwaS5vcmc${w(60)(n)}`],
  ['SendGrid', (n) => `SG.${w(22)(n)}.${w(43)(n + 1)}`],
  ['Twilio', (n) => `SK${h(32)(n)}`],
  ['Telegram', (n) => `${100_000_000 + n}:AA${w(33)(n)}`],
  ['Discord', (n) => `discord.com/api/webhooks/12345678901234567${n % 10}/${w(68)(n)}`],
  ['DigitalOcean', (n) => `dop_v1_${h(64)(n)}`],
  ['Hugging Face', (n) => `hf_${w(34)(n)}`],
  ['Databricks', (n) => `dapi${h(32)(n)}`],
  ['Shopify', (n) => `shpat_${h(32)(n)}`],
  ['Square', (n) => `sq0atp-${w(22)(n)}`],
  ['Mailgun', (n) => `key-${h(32)(n)}`],
  ['Mailchimp', (n) => `${h(32)(n)}-us12`],
  ['Doppler', (n) => `dp.pt.${w(43)(n)}`],
  ['Vault', (n) => `hvs.${w(90)(n)}`],
  ['Atlassian', (n) => `ATATT3x${w(180)(n)}`],
  ['Linear', (n) => `lin_api_${w(40)(n)}`],
  ['Notion', (n) => `ntn_${w(46)(n)}`],
  ['Airtable', (n) => `pat${w(14)(n)}.${h(64)(n)}`],
  ['Supabase', (n) => `sbp_${h(40)(n)}`],
  ['Postman', (n) => `PMAK-${h(24)(n)}-${h(34)(n)}`],
  ['New Relic', (n) => `NRAK-${w(27)(n).toUpperCase()}`],
  ['Grafana', (n) => `glsa_${w(32)(n)}_${h(8)(n)}`],
  ['Groq', (n) => `gsk_${w(52)(n)}`],
  ['xAI', (n) => `xai-${w(80)(n)}`],
  ['Perplexity', (n) => `pplx-${w(48)(n)}`],
  ['Replicate', (n) => `r8_${w(37)(n)}`],
  ['Google OAuth', (n) => `ya29.${w(100)(n)}`],
  ['Azure', (n) => `${w(3)(n)}8Q~${w(34)(n)}`],
  ['Bedrock', (n) => `ABSK${w(120)(n)}=`],
  ['Alibaba', (n) => `LTAI${w(20)(n)}`],
  ['Tencent', (n) => `AKID${w(32)(n)}`],
  ['Heroku', (n) => `HRKU-AA${w(58)(n)}`],
  ['PlanetScale', (n) => `pscale_tkn_${w(43)(n)}`],
  ['Docker', (n) => `dckr_pat_${w(27)(n)}`],
  ['Terraform', (n) => `${w(14)(n)}.atlasv1.${w(65)(n)}`],
  ['Figma', (n) => `figd_${w(43)(n)}`],
  ['Sentry', (n) => `sntryu_${h(64)(n)}`],
]

/** A sentence of each of eight languages around a token. */
const sentences: readonly ((token: string) => string)[] = [
  (token) => `Use ${token} for the deployment, please.`,
  (token) => `Der Schlüssel lautet ${token}.`,
  (token) => `Voici la clé : ${token}, ne la partagez pas.`,
  (token) => `El token es «${token}».`,
  (token) => `A chave é ${token}!`,
  (token) => `密钥是${token}，请保密。`,
  (token) => `トークンは${token}です。`,
  (token) => `토큰은 ${token}입니다.`,
]

test.each(tokens)('%s, in sentences of eight languages', (_issuer, make) => {
  for (const [n, sentence] of sentences.entries()) {
    const token = make(n + 3)
    const { text, kinds } = inspect(sentence(token))
    expect(kinds, sentence(token)).toHaveLength(1)
    // No piece of the token is left.
    for (let at = 0; at + 8 <= token.length; at += 4)
      expect(text).not.toContain(token.slice(at, at + 8))
  }
})

const password = ['hunter', '2', 'Xy'].join('')
const long = body(32, 7)

test.each([
  `The password is ${password}.`,
  `Your password: ${password}`,
  `Das Passwort lautet ${password}, bitte ändern.`,
  `Le mot de passe est ${password}.`,
  `La contraseña es "${password}".`,
  `A senha é ${password}`,
  `密码是${password}。`,
  `パスワードは${password}です`,
  `비밀번호는 ${password} 입니다`,
  `postgres://app:${password}@db.example.com:5432/app`,
  `redis://:${password}@cache:6379`,
  `amqp://svc:${password}@mq/vhost`,
  `Authorization: Bearer ${long}`,
  `curl -H "Authorization: Basic ${body(24, 5)}==" https://example.com`,
  `x-api-key: ${long}`,
  `Cookie: session=${long}; theme=dark`,
  `Set-Cookie: sid=${long}; HttpOnly`,
  `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${body(86, 9)}==;EndpointSuffix=core.windows.net`,
  `https://a.blob.core.windows.net/c/b?sv=2024-01-01&sig=${body(43, 4)}%3D`,
])('by what leads to it: %s', (text) => {
  const found = inspect(text)
  expect(found.kinds).toHaveLength(1)
  expect(found.text).not.toContain(password)
  expect(found.text).not.toContain(long)
})

test.each([
  'The password is incorrect.',
  'Das Passwort ist ungültig, bitte versuchen Sie es erneut.',
  'Your password must have at least 12 characters.',
  'Le mot de passe est obligatoire.',
  'La contraseña es demasiado corta.',
  '密码是必填项。',
  'パスワードは必須です。',
  'Open path/to/patient.ts and the patch of the shop.',
  'Our us-east-1 region and eu-us2 are up.',
  'See https://example.com:8080/a@b and http://localhost:3000/user@host.',
  'https://github.com/org/repo/blob/main/README.md',
  'mailto:ada@example.com',
  'The Bearer of bad news arrived.',
  'Authorization: none',
  'SKU 12345, key-value stores and key-0001',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'commit 3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b',
  'uuid 123e4567-e89b-12d3-a456-426614174000',
  'model sk-learn and the class pat_matcher',
  'The token is valid for 3600 seconds.',
  'npm_config_registry is set; hf_hub_download("gpt2")',
  'Version 1.2.3.4 of lin_alg and ntn_graph.',
])('left alone: %s', (text) => {
  expect(inspect(text)).toEqual({ text, kinds: [] })
})
