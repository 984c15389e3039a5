/**
 * Secrets that have no format of their own, and are known by what stands before them: a password in a sentence or an address, the
 * value of a header, the key of an Azure connection string. Group 1 is the secret.
 */
import { whenNeeded } from '../when-needed.ts'

/** A word that leads to a secret, asked for before on the native engine; and the expression that finds the secret. */
export interface LedValue {
  readonly hint: RegExp
  readonly source: string
  readonly pattern: ReturnType<typeof whenNeeded>
  /** Must it look like a value, and not like a word of the sentence? */
  readonly isProse: boolean
}

const value = '([^\\s"\'`„“”«»「」『』,;<>()\\[\\]{}，。；、]{6,128})'
/** Before a value. */
export const quote = '["\'`„“«「『]?'

const rows: readonly Omit<LedValue, 'pattern'>[] = [
  {
    hint: /passw|passphrase|passcode|passwort|kennwort|mot de passe|contrase|clave|senha|wachtwoord/i,
    source:
      '(?i)(?:passwords?|passwd|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|clave|senha|wachtwoord)' +
      '[^\\S\\r\\n]{0,3}(?:\\([^)]{1,20}\\))?[^\\S\\r\\n]{0,3}(?:is|was|ist|war|lautet|est|es|é|era|:|=|：)[^\\S\\r\\n]{0,3}' +
      quote +
      value,
    isProse: true,
  },
  {
    hint: /密码|密碼|口令|パスワード|비밀번호|암호/,
    source:
      '(?:密码|密碼|口令|パスワード|비밀번호|암호)\\s{0,3}(?:是|为|為|は|은|는|：|:|=)\\s{0,3}' +
      quote +
      '([!-~]{6,64})',
    isProse: true,
  },
  {
    hint: /:\/\/[^\s:/@"'<>]{0,64}:[^\s/@"'<>]{3,128}@/,
    source: '[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\\s:/@"\'<>]{0,64}:([^\\s/@"\'<>]{3,128})@',
    isProse: false,
  },
  {
    hint: /authorization|bearer|x-api-key/i,
    source:
      '(?i)(?:(?:proxy-)?authorization["\']?\\s{0,3}[:=]\\s{0,3}["\']?(?:bearer|basic|token|digest)?|\\bbearer|x-api-key["\']?\\s{0,3}[:=])\\s{1,3}["\']?([A-Za-z0-9._~+/=-]{16,200})',
    isProse: false,
  },
  {
    hint: /cookie/i,
    source:
      '(?i)(?:set-)?cookie["\']?\\s{0,3}:\\s{0,3}["\']?[A-Za-z0-9_.-]{1,64}=([^\\s;"\']{12,200})',
    isProse: false,
  },
  {
    hint: /AccountKey|SharedAccessKey|sig=/,
    source: '(?:AccountKey=|SharedAccessKey=|[?&]sig=)([A-Za-z0-9+/%=]{32,128})',
    isProse: false,
  },
]

export const ledValues: readonly LedValue[] = rows.map((row) => ({
  ...row,
  pattern: whenNeeded(row.source),
}))

/** One of these stands before every value that is known by what stands before it. Words, so linear. */
export const leads =
  /pass|kennwort|contrase|clave|senha|wachtwoord|secret|token|key|credential|authorization|bearer|cookie|:\/\/|sig=|[密口パ비암]/i
