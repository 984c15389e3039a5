/**
 * Secrets that have no format of their own, and are known by what stands before them: a password in a sentence or an address, the
 * value of a header, the key of an Azure connection string.
 */
import type { MatchPlace } from '../matches.ts'
import { form, type LedValue, quoteAround, quoteBefore, run, unescapedEnd } from './led-value.ts'
import { enclosedValue, proseValue } from './prose-value.ts'
import { speaksOfSecret } from './vendor-values.ts'

const quote = '["\'`„“«「『]?'
const gap = '[^\\S\\r\\n]{0,3}'
const value = run('[^\\s"\'`„“”«»「」『』,;<>()\\[\\]\\{\\}，。；、]', 6, 128)
/** Behind words that need no blank; a quotation mark is none of it. */
const printed = (min: number): LedValue['form'] =>
  form(`((?!["'\`])[!-~]{${min},64})`, '(?!["\'`])[!-~]{1,63}')

/** The words for a password, where words are separated. */
const noun =
  'passwords?|passwd|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|clave|senha|wachtwoord|hasło|parola|şifre|' +
  'пароль|паролем|كلمة (?:المرور|السر)|รหัสผ่าน'
/** The thing that it is for, in up to six words: `the password for the staging server is …`. */
const words = '(?:[^\\s.,;:=：]+[^\\S\\r\\n]+){0,5}[^\\s.,;:=：]+'
const object = `[^\\S\\r\\n]{1,3}(?:for|of|to|für|von|pour|du|de|del|para|di|voor|от|для)[^\\S\\r\\n]+${words}`
const verb =
  'is now|is|was|will be|has been (?:re)?set to|set to|changed to|ist jetzt|ist|war|lautet|est désormais|est|es ahora|es|é|è|' +
  'era|это|هي|هو|คือ|to'

const asItIs = (_text: string, place: MatchPlace): MatchPlace => place
const withoutEscape = (text: string, { start, end }: MatchPlace): MatchPlace => ({
  start,
  end: unescapedEnd(text, start, end),
})

/** The name before a value, in a list of names and values. */
const pairedName =
  /([\w.-]{1,80})\\{0,8}["'`]\s*,\s*\\{0,8}["'`]val(?:ue)?\\{0,8}["'`]\s*:\s*\\{0,8}["'`]$/i

function pairedValue(text: string, place: MatchPlace): MatchPlace | null {
  const before = text.slice(Math.max(0, place.start - 96), place.start)
  return speaksOfSecret(pairedName.exec(before)?.[1] ?? '') ? null : enclosedValue(text, place)
}

type Row = readonly [lead: string, form: LedValue['form'], accept: LedValue['accept']]

const inSentences: readonly Row[] = [
  [
    `(?i)(?:${noun})${gap}(?:\\([^)]{1,20}\\))?(?:${gap}(?:${verb})${gap}[:：]?|${object}[^\\S\\r\\n]+(?:${verb})${gap}[:：]?|(?:${object})?${gap}[:=：—–])${gap}${quote}`,
    value,
    proseValue,
  ],
  [
    '(?i)(?:with|using|use|mit|avec|con|com|met|с)[^\\S\\r\\n](?:(?:the|a|this|dem|le|la|el|o|het)[^\\S\\r\\n])?' +
      `(?:${noun})[^\\S\\r\\n]{1,3}${quote}`,
    value,
    proseValue,
  ],
  [`(?i)(?:\\b(?:pw|pass)\\b|パス)${gap}[:=：]${gap}${quote}`, value, proseValue],
  // Letters of another script than the sentence's need no word between.
  [`(?:[Пп]арол(?:ь|ем)|كلمة (?:المرور|السر)|รหัสผ่าน|密码|密碼|口令)${gap}`, printed(8), proseValue],
  [
    '(?:密码|密碼|口令|パスワード|비밀번호|암호)\\s{0,3}' +
      `(?:已?(?:设置?|設定|改|重置|更新)?(?:成|为|為)|是|は|を|が|은|는|：|:|=|["“「『])\\s{0,3}${quote}`,
    printed(6),
    proseValue,
  ],
  [`用(?:密码|密碼|口令)\\s{0,3}${quote}`, printed(6), proseValue],
]

/** The same where the name is a key of JSON, an element, or the name that stands before its value in a list. */
const named = `${noun}|密码|密碼|口令|パスワード|비밀번호|암호`
const secretNoun = `${named}|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential`

const inDocuments: readonly Row[] = [
  [
    `(?i)(?:${named})${quoteAround}\\s*[:：=]\\s*${quoteAround}`,
    run('[^\\s"\'`]', 6, 128),
    enclosedValue,
  ],
  [
    `(?i)<(?:[a-z0-9_-]+:)?[a-z0-9_.-]{0,20}(?:${secretNoun})>\\s*(?:<!\\[CDATA\\[)?`,
    run('[^\\s"\'<>\\]]', 6, 128),
    enclosedValue,
  ],
  [
    `(?i)(?:${secretNoun})[a-z0-9_-]{0,20}${quoteAround}\\s*,\\s*${quoteAround}(?:value|val)${quoteAround}\\s*:\\s*${quoteAround}`,
    run('[^\\s"\'`]', 6, 128),
    pairedValue,
  ],
  [
    `(?i)authorization${quoteAround}\\s*,\\s*${quoteAround}value${quoteAround}\\s*:\\s*${quoteAround}(?:[a-z][a-z0-9_-]{1,30}\\s{1,3})?`,
    run('[A-Za-z0-9._~+\\/=-]', 16, 200),
    proseValue,
  ],
]

const inCommands: readonly Row[] = [
  // `--password X`, and the short flag of programs that take one.
  [
    '(?:--pass(?:word|wd|phrase|code)?[ =]|\\b(?:sshpass|docker login|mysql[a-z]*|mariadb)\\b[^\\r\\n|;]* -p ?)["\']?',
    run('[^\\s"\'|;]', 6, 128),
    proseValue,
  ],
  [
    '\\bcurl\\b[^\\r\\n]*\\s(?:-u|--user)[ =]{0,3}["\']?[^\\s:"\']+:',
    run('[^\\s"\']', 6, 128),
    proseValue,
  ],
]

const inAddresses: readonly Row[] = [
  [
    '[A-Za-z0-9+.-]://[^\\s:/@"\'<>]*:',
    form('([^\\s/@"\'<>]{3,128})@', '[^\\s/@"\'<>]{0,128}'),
    asItIs,
  ],
  // A token in place of a user: `https://<token>:x-oauth-basic@github.com`.
  [
    '://',
    form(
      '([A-Za-z0-9_-]{20,200})(?::[^\\s/@"\'<>]{0,128})?@',
      '[A-Za-z0-9_-]{1,200}(?::[^\\s/@"\'<>]{0,128})?',
    ),
    proseValue,
  ],
  [
    '://',
    form(
      '([a-f0-9]{8}:[a-f0-9]{8})@(?:gems|enterprise)\\.contribsys\\.com',
      '[a-f0-9]{1,8}(?::(?:[a-f0-9]{0,8}(?:@[a-z.]{0,24})?)?)?',
    ),
    asItIs,
  ],
]

const bearer = run('[A-Za-z0-9._~+\\/=-]', 16, 200)
const authorization = `(?i)authorization${quoteBefore}\\s{0,3}[:=]`
const scheme = `${authorization}\\s{0,3}${quoteBefore}[a-z][a-z0-9_-]{1,30}`

const inHeaders: readonly Row[] = [
  [
    `(?:${authorization}\\s{0,3}${quoteBefore}(?:bearer|basic|token|digest)|x-api-key${quoteBefore}\\s{0,3}[:=])\\s{1,3}["']?`,
    bearer,
    asItIs,
  ],
  [`(?:${authorization}|\\bbearer)\\s{1,3}["']?`, bearer, proseValue],
  // Any other scheme, and before some values who it is: `SSWS <token>`, `SharedKey account:<signature>`.
  [
    `${scheme}\\s{1,3}["']?(?:[a-z0-9._-]{1,64}:)?`,
    form(
      '([A-Za-z0-9+_~][A-Za-z0-9._~+\\/=-]{15,199})',
      '(?:[A-Za-z0-9+_~][A-Za-z0-9._~+\\/=-]{0,199})?',
    ),
    proseValue,
  ],
  // Schemes with parameters: the one that is the secret.
  [
    `${scheme}\\s[^\\r\\n]*\\b(?:signature|response|token|oauth_token|oauth_signature|mac|secret|key|api_key)\\\\*=${quoteBefore}`,
    run('[A-Za-z0-9._~+\\/=%-]', 16, 200),
    proseValue,
  ],
  [
    '\\bBasic {1,3}',
    form('([A-Za-z0-9+\\/]{16,200}={0,2})', '[A-Za-z0-9+\\/]{1,200}={0,2}'),
    proseValue,
  ],
  [
    `(?i)cookie${quoteBefore}\\s{0,3}:\\s{0,3}${quoteBefore}(?:[A-Za-z0-9_.-]+=[^;\\s"']{0,11};\\s{0,2}){0,6}[A-Za-z0-9_.-]+=`,
    run('[^;\\s"\']', 12, 200),
    withoutEscape,
  ],
  ['(?i)(?:session|sess|sid|auth)[\\w.-]{0,12}=', run('[^;\\s"\'&<>]', 16, 200), proseValue],
]

const inSettings: readonly Row[] = [
  [
    '(?:AccountKey=|SharedAccessKey=|[?&]sig=|X-Amz-Signature=|X-Amz-Security-Token=)',
    run('[A-Za-z0-9+\\/%=]', 32, 128),
    asItIs,
  ],
  [
    '(?i)CONTRIBSYS__COM["\']?\\s{0,3}[:=]\\s{0,3}["\']?',
    form('([A-Fa-f0-9]{8}:[A-Fa-f0-9]{8})', '[A-Fa-f0-9]{1,8}(?::[A-Fa-f0-9]{0,7})?'),
    asItIs,
  ],
  ['(?i)Password\\\\?"\\s{1,3}value=\\\\?"', run('[^"%<\\\\]', 8, 128), asItIs],
]

export const secretValues: readonly LedValue[] = [
  ...inSentences,
  ...inDocuments,
  ...inCommands,
  ...inAddresses,
  ...inHeaders,
  ...inSettings,
].map(([lead, valueForm, accept]) => ({ lead, form: valueForm, accept }))
