/**
 * Secrets that have no format of their own, and are known by what stands before them: a password in a sentence or an address, the
 * value of a header, the key of an Azure connection string. Group 1 is the secret.
 */
import { whenNeeded } from '../when-needed.ts'

/** A word that leads to a secret, asked for before on the native engine; and the expression that finds the secret. */
export interface LedValue {
  readonly hint: RegExp
  readonly pattern: ReturnType<typeof whenNeeded>
  /** Must it look like a value, and not like a word of the sentence? */
  readonly isProse: boolean
}

const value = '([^\\s"\'`„“”«»「」『』,;<>()\\[\\]{}，。；、]{6,128})'
const quote = '["\'`„“«「『]?'

export const ledValues: readonly LedValue[] = [
  {
    hint: /passw|passphrase|passcode|passwort|kennwort|mot de passe|contrase|clave|senha|wachtwoord/i,
    pattern: whenNeeded(
      '(?i)(?:passwords?|passwd|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|clave|senha|wachtwoord)' +
        '[^\\S\\r\\n]{0,3}(?:\\([^)]{1,20}\\))?[^\\S\\r\\n]{0,3}(?:is|was|ist|war|lautet|est|es|é|era|:|=|：)[^\\S\\r\\n]{0,3}' +
        quote +
        value,
    ),
    isProse: true,
  },
  {
    hint: /密码|密碼|口令|パスワード|비밀번호|암호/,
    pattern: whenNeeded(
      '(?:密码|密碼|口令|パスワード|비밀번호|암호)\\s{0,3}(?:是|为|為|は|은|는|：|:|=)\\s{0,3}' +
        quote +
        '([!-~]{6,64})',
    ),
    isProse: true,
  },
  {
    hint: /:\/\/[^\s:/@"'<>]{0,64}:[^\s/@"'<>]{3,128}@/,
    pattern: whenNeeded(
      '[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\\s:/@"\'<>]{0,64}:([^\\s/@"\'<>]{3,128})@',
    ),
    isProse: false,
  },
  {
    hint: /authorization|bearer|x-api-key/i,
    pattern: whenNeeded(
      '(?i)(?:(?:proxy-)?authorization["\']?\\s{0,3}[:=]\\s{0,3}["\']?(?:bearer|basic|token|digest)?|\\bbearer|x-api-key["\']?\\s{0,3}[:=])\\s{1,3}["\']?([A-Za-z0-9._~+/=-]{16,200})',
    ),
    isProse: false,
  },
  {
    hint: /cookie/i,
    pattern: whenNeeded(
      '(?i)(?:set-)?cookie["\']?\\s{0,3}:\\s{0,3}["\']?[A-Za-z0-9_.-]{1,64}=([^\\s;"\']{12,200})',
    ),
    isProse: false,
  },
  {
    hint: /AccountKey|SharedAccessKey|sig=/,
    pattern: whenNeeded('(?:AccountKey=|SharedAccessKey=|[?&]sig=)([A-Za-z0-9+/%=]{32,128})'),
    isProse: false,
  },
]
