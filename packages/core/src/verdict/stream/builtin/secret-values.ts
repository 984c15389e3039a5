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
const gap = '[^\\S\\r\\n]{0,3}'

/** What people call a password, where words are separated. */
const noun =
  'passwords?|passwd|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|clave|senha|wachtwoord|hasło|parola|şifre|' +
  'пароль|паролем|كلمة (?:المرور|السر)|รหัสผ่าน'
const nounHint =
  /[Pp]ass(?:w|phrase|code)|PASS|[Kk]ennwort|KENNWORT|[Mm]ot de passe|[Cc]ontrase|[Cc]lave|[Ss]enha|[Ww]achtwoord|[Hh]asło|[Pp]arola|[Şş]ifre|[Пп]арол|كلمة|รหัสผ่าน/
/** What it is for: `the password for the staging server is …`. */
const object =
  '(?:[^\\S\\r\\n]{1,3}(?:for|of|to|für|von|pour|du|de|del|para|di|voor|от|для)[^\\S\\r\\n][^\\r\\n.,;:=：]{1,48}?)?'
const verb =
  'is now|is|was|will be|has been (?:re)?set to|set to|changed to|ist jetzt|ist|war|lautet|est désormais|est|es ahora|es|é|è|' +
  'era|это|هي|هو|คือ|to'

export const ledValues: readonly LedValue[] = [
  {
    hint: nounHint,
    pattern: whenNeeded(
      `(?i)(?:${noun})${gap}(?:\\([^)]{1,20}\\))?${object}${gap}` +
        `(?:(?:${verb})${gap}[:：]?|[:=：—–])${gap}${quote}${value}`,
    ),
    isProse: true,
  },
  {
    hint: nounHint,
    pattern: whenNeeded(
      '(?i)(?:with|using|use|mit|avec|con|com|met|с)[^\\S\\r\\n](?:(?:the|a|this|dem|le|la|el|o|het)[^\\S\\r\\n])?' +
        `(?:${noun})[^\\S\\r\\n]{1,3}${quote}${value}`,
    ),
    isProse: true,
  },
  {
    hint: /\b(?:[Pp]w|PW|[Pp]ass)\b|パス/,
    pattern: whenNeeded(`(?i)(?:\\b(?:pw|pass)\\b|パス)${gap}[:=：]${gap}${quote}${value}`),
    isProse: true,
  },
  {
    // Letters of another script than the sentence's need no word between.
    hint: /парол|كلمة|รหัสผ่าน|密[码碼]|口令/,
    pattern: whenNeeded(
      `(?:[Пп]арол(?:ь|ем)|كلمة (?:المرور|السر)|รหัสผ่าน|密码|密碼|口令)${gap}([!-~]{8,64})`,
    ),
    isProse: true,
  },
  {
    // `--password X`, and the short flag of programs that take one.
    hint: /--pass|\b(?:sshpass|docker login|mysql\w*|mariadb)\b/,
    pattern: whenNeeded(
      '(?:--pass(?:word|wd|phrase|code)?[ =]|\\b(?:sshpass|docker login|mysql[a-z]*|mariadb)\\b[^\\r\\n|;]{0,80}? -p ?)["\']?' +
        '([^\\s"\'|;]{6,128})',
    ),
    isProse: true,
  },
  {
    hint: /密码|密碼|口令|パスワード|비밀번호|암호/,
    pattern: whenNeeded(
      '(?:密码|密碼|口令|パスワード|비밀번호|암호)\\s{0,3}' +
        '(?:已?(?:设置?|設定|改|重置|更新)?(?:成|为|為)|是|は|を|が|은|는|：|:|=|["“「『])\\s{0,3}' +
        quote +
        '([!-~]{6,64})',
    ),
    isProse: true,
  },
  {
    hint: /用密[码碼]|用口令/,
    pattern: whenNeeded(`用(?:密码|密碼|口令)\\s{0,3}${quote}([!-~]{6,64})`),
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
    // A token in place of a user: `https://<token>:x-oauth-basic@github.com`.
    hint: /:\/\/[\w-]{20,200}(?::[^\s/@"'<>]{0,128})?@/,
    pattern: whenNeeded('://([A-Za-z0-9_-]{20,200})(?::[^\\s/@"\'<>]{0,128})?@'),
    isProse: true,
  },
  {
    hint: /contribsys\.com/,
    pattern: whenNeeded('://([a-f0-9]{8}:[a-f0-9]{8})@(?:gems|enterprise)\\.contribsys\\.com'),
    isProse: false,
  },
  {
    hint: /\bcurl\b/,
    pattern: whenNeeded(
      'curl\\b[^\\r\\n]{0,160}?\\s(?:-u|--user)[ =]{0,3}["\']?[^\\s:"\']{1,64}:([^\\s"\']{6,128})',
    ),
    isProse: true,
  },
  {
    hint: /[Aa]uthorization|AUTHORIZATION|[Xx]-[Aa]pi-[Kk]ey|X-API-KEY/,
    pattern: whenNeeded(
      '(?i)(?:(?:proxy-)?authorization["\']?\\s{0,3}[:=]\\s{0,3}["\']?(?:bearer|basic|token|digest)|x-api-key["\']?\\s{0,3}[:=])\\s{1,3}["\']?([A-Za-z0-9._~+/=-]{16,200})',
    ),
    isProse: false,
  },
  {
    hint: /[Aa]uthorization|AUTHORIZATION|[Bb]earer|BEARER/,
    pattern: whenNeeded(
      '(?i)(?:authorization["\']?\\s{0,3}[:=]|\\bbearer)\\s{1,3}["\']?([A-Za-z0-9._~+/=-]{16,200})',
    ),
    isProse: true,
  },
  {
    hint: /\bBasic /,
    pattern: whenNeeded('\\bBasic {1,3}([A-Za-z0-9+/]{16,200}={0,2})'),
    isProse: true,
  },
  {
    hint: /[Cc]ookie|COOKIE/,
    pattern: whenNeeded(
      '(?i)(?:set-)?cookie["\']?\\s{0,3}:\\s{0,3}["\']?(?:[A-Za-z0-9_.-]{1,64}=[^;\\s"\']{0,11};\\s{0,2}){0,6}' +
        '[A-Za-z0-9_.-]{1,64}=([^;\\s"\']{12,200})',
    ),
    isProse: false,
  },
  {
    hint: /(?:[Ss]ess|SESS|[Ss]id|SID|[Aa]uth|AUTH)[\w.-]{0,12}=/,
    pattern: whenNeeded(
      '(?i)[\\w.-]{0,20}(?:session|sess|sid|auth)[\\w.-]{0,12}=([^;\\s"\'&<>]{16,200})',
    ),
    isProse: true,
  },
  {
    hint: /AccountKey|SharedAccessKey|sig=|X-Amz-S/,
    pattern: whenNeeded(
      '(?:AccountKey=|SharedAccessKey=|[?&]sig=|X-Amz-Signature=|X-Amz-Security-Token=)([A-Za-z0-9+/%=]{32,128})',
    ),
    isProse: false,
  },
  {
    hint: /CONTRIBSYS__COM|contribsys__com/,
    pattern: whenNeeded(
      '(?i)CONTRIBSYS__COM["\']?\\s{0,3}[:=]\\s{0,3}["\']?([a-f0-9]{8}:[a-f0-9]{8})',
    ),
    isProse: false,
  },
  {
    hint: /[Pp]assword\\?"\s{1,3}value=/,
    pattern: whenNeeded('(?i)Password\\\\?"\\s{1,3}value=\\\\?"([^"%<\\\\]{8,128})'),
    isProse: false,
  },
]
