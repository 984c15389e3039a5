/** Keys and tokens in sentences: `the API key is …`, `密钥是…`. The key must look as if chance had made it. */
import type { MatchPlace } from '../matches.ts'
import { type LedValue, run } from './led-value.ts'
import { withoutStop } from './prose-value.ts'
import { looksRandom } from './randomness.ts'

const noun =
  'api[ -]?keys?|secret[ -]?keys?|access[ -]?keys?|client[ -]?secret|secret|(?:access |api |auth )?token|(?:api-)?schlüssel|clé(?: api| secrète)?|' +
  'clave(?: api| secreta)?|chave|ключ|токен|مفتاح|المفتاح|الرمز|密钥|密鑰|秘钥|私钥|令牌|トークン|キー'
const verb = 'is|was|ist|lautet|est|es|é|это|هو|هي|是|为|為|は|が'

/** Ten letters and digits seldom have three bits each. */
const toldBitsMin = 2.8

function accept(text: string, place: MatchPlace): MatchPlace | null {
  const trimmed = withoutStop(text, place)
  const value = text.slice(trimmed.start, trimmed.end)
  const digitsMin = value.length < 20 ? 2 : 1
  const digits = value.replaceAll(/[^0-9]/g, '').length
  return looksRandom(value, toldBitsMin) && digits >= digitsMin ? trimmed : null
}

export const toldKey: LedValue = {
  lead: `(?i)(?:${noun})[^\\S\\r\\n]{0,3}(?:(?:${verb})[^\\S\\r\\n]{0,3}[:：]?|[:：])[^\\S\\r\\n]{0,3}["'\`„“«「]?`,
  form: run('[A-Za-z0-9_.+\\/=-]', 10, 128),
  accept,
}
