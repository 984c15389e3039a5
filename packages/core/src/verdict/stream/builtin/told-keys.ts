/** Keys and tokens in sentences: `the API key is …`, `密钥是…`. Group 1 is the key; it must look as if chance had made it. */
import { whenNeeded } from '../when-needed.ts'

const noun =
  'api[ -]?keys?|secret[ -]?keys?|access[ -]?keys?|client[ -]?secret|secret|(?:access |api |auth )?token|(?:api-)?schlüssel|clé(?: api| secrète)?|' +
  'clave(?: api| secreta)?|chave|ключ|токен|مفتاح|المفتاح|الرمز|密钥|密鑰|秘钥|私钥|令牌|トークン|キー'
const verb = 'is|was|ist|lautet|est|es|é|это|هو|هي|是|为|為|は|が'

/** Asked before, on the native engine: the end of a noun, a verb, the begin of a key; bounded, so linear. Case by case, which is faster. */
export const toldHint =
  /(?:[Kk]eys?|KEY|[Ss]ecret|[Tt]oken|chlüssel|[Cc]lé|api|API|secr[eè]t[ae]|[Cc]lave|[Cc]have|[Кк]люч|[Тт]окен|مفتاح|الرمز|[钥鑰]|令牌|トークン|キー)[^\S\r\n]{0,3}(?:is|was|ist|lautet|est|es|é|это|هو|هي|[是为為はが:：])[^\S\r\n]{0,3}[:：]?[^\S\r\n]{0,3}["'`„“«「]?[A-Za-z0-9_.+/=-]{10}/

export const toldKey = whenNeeded(
  `(?i)(?:${noun})[^\\S\\r\\n]{0,3}(?:(?:${verb})[^\\S\\r\\n]{0,3}[:：]?|[:：])[^\\S\\r\\n]{0,3}["'\`„“«「]?([A-Za-z0-9_.+/=-]{10,128})`,
)
