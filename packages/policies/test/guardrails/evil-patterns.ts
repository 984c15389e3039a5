/**
 * Patterns that take a backtracking engine minutes or years, from the public lists, each with the text that does it.
 * `pump` is repeated; `prefix` and `suffix` stand around it.
 */
export interface EvilPattern {
  readonly from: string
  readonly pattern: string
  readonly prefix?: string
  readonly pump: string
  readonly suffix?: string
}

const owasp = 'OWASP: Regular expression denial of service'
const safeRegex = 'safe-regex, test/regex.js'
const davis = 'vuln-regex-detector: Davis et al., modules on npm'
const weideman = 'Weideman et al., Static detection of DoS vulnerabilities'
const regexlib = 'RegExLib, in Wüstholz et al. and Shen et al. (ReScue)'
const folklore = 'regular-expressions.info, Catastrophic backtracking'

/** The list. */
export const evilPatterns: readonly EvilPattern[] = [
  { from: owasp, pattern: '(a+)+$', pump: 'a', suffix: '!' },
  { from: owasp, pattern: '([a-zA-Z]+)*$', pump: 'a', suffix: '!' },
  { from: owasp, pattern: '(a|aa)+$', pump: 'a', suffix: '!' },
  { from: owasp, pattern: '(a|a?)+$', pump: 'a', suffix: '!' },
  { from: owasp, pattern: '(.*a){11}$', pump: 'a', suffix: '!' },
  { from: owasp, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', pump: 'a' },
  {
    from: owasp,
    pattern:
      '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    pump: 'a',
    suffix: '!',
  },
  {
    from: owasp,
    pattern: "^[a-zA-Z]+(([\\'\\,\\.\\- ][a-zA-Z ])?[a-zA-Z]*)*$",
    pump: 'a',
    suffix: '!',
  },
  { from: safeRegex, pattern: '(x+x+)+y', pump: 'x' },
  { from: safeRegex, pattern: 'foo|(x+x+)+y', pump: 'x' },
  { from: safeRegex, pattern: '(a+){10}y', pump: 'a' },
  { from: safeRegex, pattern: '(a+){2}y', pump: 'a' },
  { from: safeRegex, pattern: '(.*){1,32000}[bc]', pump: 'a' },
  { from: safeRegex, pattern: '(a?){25}a{25}b', pump: 'a' },
  { from: davis, pattern: '\\s*\\n\\s*$', pump: ' ', suffix: 'x' },
  { from: davis, pattern: ' *, *$', pump: ' ', suffix: 'x' },
  { from: davis, pattern: '.*[\\.\\/\\\\]', pump: 'a' },
  {
    from: davis,
    pattern: '^((?:\\d+)?\\.?\\d+) *(ms|seconds?|minutes?|hours?|days?|years?)?$',
    pump: '1',
    suffix: '!',
  },
  {
    from: davis,
    pattern: '^(\\-)?(?:(\\d*)[. ])?(\\d+)\\:(\\d+)(?:\\:(\\d+)\\.?(\\d{3})?)?$',
    pump: '1',
    suffix: '!',
  },
  {
    from: davis,
    pattern: '^(([^=;]+))\\s*=\\s*([^\\n\\r\\x00]*)',
    prefix: 'x',
    pump: ' ',
    suffix: ';',
  },
  { from: davis, pattern: '^([^-]+)-([^?]+)([?\\S*]*)$', prefix: 'a-', pump: '?', suffix: ' ' },
  { from: davis, pattern: '^(.*,)+(.+)?$', pump: ',', suffix: '\n' },
  { from: davis, pattern: '[\\{\\[].*[\\/]*.*[\\}\\]]$', pump: '{' },
  { from: davis, pattern: '^(`+)\\s*([\\s\\S]*?[^`])\\s*\\1(?!`)', pump: '`' },
  { from: davis, pattern: '^\\s*|\\s*$', prefix: 'x', pump: ' ', suffix: 'x' },
  {
    from: davis,
    pattern:
      '[\\x1B\\x{9B}][\\[\\]()#;?]*(?:(?:(?:[a-zA-Z\\d]*(?:;[a-zA-Z\\d]*)*)?\\x07)|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PRZcf-ntqry=><~]))',
    prefix: '\x1b[',
    pump: ';',
  },
  {
    from: davis,
    pattern:
      '^hwb\\(\\s*([+-]?\\d*[.]?\\d+)(?:deg)?\\s*,\\s*([+-]?[\\d.]+)%\\s*,\\s*([+-]?[\\d.]+)%\\s*\\)$',
    prefix: 'hwb(',
    pump: '1',
    suffix: '!',
  },
  {
    from: davis,
    pattern: '/\\*\\s*# sourceMappingURL=(.*)\\s*\\*/',
    pump: '/*# sourceMappingURL=',
  },
  {
    from: davis,
    pattern: '^(\\s*[a-z0-9_-]+\\s*=\\s*"[^"]*"\\s*)*>$',
    pump: ' a="b"  ',
    suffix: '<',
  },
  {
    from: davis,
    pattern:
      '(?:(?:"|\'|\\]|\\}|\\\\|\\d|(?:nan|infinity|true|false|null|undefined|symbol|math)|`|\\-|\\+)+[)]*;?((?:\\s|-|~|!|\\{\\}|\\|\\||\\+)*.*(?:.*=.*)))',
    prefix: 'x=',
    pump: '1',
    suffix: '\n',
  },
  {
    from: davis,
    pattern: '^[\\s\\x{200c}]+|[\\s\\x{200c}]+$',
    prefix: '-',
    pump: ' ',
    suffix: '-',
  },
  { from: weideman, pattern: '(a*)*$', pump: 'a', suffix: '!' },
  { from: weideman, pattern: '((a*)*)*b', pump: 'a' },
  { from: weideman, pattern: '(?:a|b|ab)*c', pump: 'ab' },
  { from: weideman, pattern: '(a|b|c|a)*d', pump: 'a' },
  { from: weideman, pattern: '^(?:a?a?)*b', pump: 'a' },
  { from: weideman, pattern: '(a|\\w|[^b])*d$', pump: 'a', suffix: '!' },
  { from: weideman, pattern: '.*.*=.*', pump: 'a' },
  {
    from: regexlib,
    pattern: '^([a-zA-Z0-9_\\.\\-])+\\@(([a-zA-Z0-9\\-])+\\.)+([a-zA-Z0-9]{2,4})+$',
    prefix: 'a@a.',
    pump: 'a',
    suffix: '!',
  },
  { from: regexlib, pattern: '^(\\w+\\s?)*$', pump: 'a', suffix: '!' },
  { from: regexlib, pattern: '^(\\d+)*$', pump: '1', suffix: '!' },
  { from: regexlib, pattern: '^([0-9a-z_]+\\s*)+:$', pump: 'a', suffix: '!' },
  {
    from: regexlib,
    pattern: '^(http|https)://(.+\\.)+com$',
    prefix: 'http://',
    pump: 'a.',
    suffix: '!',
  },
  {
    from: regexlib,
    pattern:
      '^(([^<>()\\[\\].,;:\\s@"]+(\\.[^<>()\\[\\].,;:\\s@"]+)*)|(".+"))@(([a-z0-9-]+\\.)+[a-z]{2,})$',
    pump: 'a.',
  },
  { from: regexlib, pattern: '^(?:[^"]+|"[^"]*")*;$', pump: 'a', suffix: '"' },
  { from: folklore, pattern: '^(.*?,){11}P', pump: '1,' },
  { from: folklore, pattern: '(?=(a+))a*b\\1', pump: 'a' },
  { from: folklore, pattern: '<(?:.|\\n)*?>x', pump: '<a' },
  { from: folklore, pattern: '(?<!a)(a+)+b', pump: 'a' },
  { from: folklore, pattern: '^(?>a+)+b|(a+)+c', pump: 'a' },
]

/** The text that attacks a pattern, this long. */
export const attackOf = ({ prefix = '', pump, suffix = '' }: EvilPattern, chars: number): string =>
  prefix +
  pump.repeat(Math.ceil(chars / pump.length)).slice(0, chars - prefix.length - suffix.length) +
  suffix

/** The same pattern with a bound on every repetition, 20 or the next less that is taken; null if none is. */
export function boundedForm(pattern: string, isTaken: (pattern: string) => boolean): string | null {
  for (const most of [20, 9, 5, 3, 2]) {
    const bounded = pattern.replaceAll(
      /\\.|\[(?:\\.|[^\]\\])*\]|\(\?|([*+])/g,
      (whole, sign: string | undefined) =>
        sign === undefined ? whole : `{${sign === '+' ? 1 : 0},${most}}`,
    )
    if (isTaken(bounded)) return bounded
  }
  return null
}
