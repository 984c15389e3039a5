/** Pieces of text for properties: what is looked for, how it begins, what looks like it, and prose. Put together here, so that no scanner takes this file for a leak. */

import { lookAlikes } from './corpora/look-alikes.ts'
import { positives } from './corpora/positives.ts'
import { gitleaks } from './scanners/gitleaks.ts'
import { madeSample, randomOf } from './scanners/made-sample.ts'
import { secretlint } from './scanners/secretlint.ts'
import { trufflehog } from './scanners/trufflehog.ts'

const glue = (...pieces: readonly string[]): string => pieces.join('')
const mixed = 'aB3dE6gH9jK2mN5pQ8sT1vW4xY7z'

/** Found whole, with a blank on either side; each begins with what is found. */
export const secretSamples: readonly string[] = [
  glue('AKIA', 'IOSFODNN7EXAMPLE'),
  glue('ghp_', mixed, '12345678'),
  glue('xoxb-', '123456789012-123456789012-', mixed.slice(0, 24)),
  `sk_live_${mixed.slice(0, 24)}`,
  glue('sk-proj-', mixed, 'T3BlbkFJ', mixed),
  glue('eyJhbGciOiJIUzI1NiJ9', '.', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', '.', 'SflKxwRJSMeKKF2QT4fwp'),
  glue('SG.', mixed.slice(0, 22), '.', mixed, mixed.slice(0, 15)),
  glue('123456789', ':AA', mixed, mixed.slice(0, 5)),
  glue(mixed.slice(0, 14), '.atlasv1.', mixed, mixed, mixed.slice(0, 8)),
]

export const identitySamples: readonly string[] = [
  'john.doe+tag@mail.example.co.uk',
  'jürgen@münchen.example',
  '+49 30 901820',
  '(212) 555-0123',
  '123-45-6789',
  '4111 1111 1111 1111',
  '378282246310005',
  'DE89 3704 0044 0532 0130 00',
  '192.0.2.235',
  '2001:db8::8a2e:370:7334',
  '用户@例子.公司',
]

/** What leads to a value, and the value that is found. */
export const ledSamples: readonly (readonly [lead: string, value: string])[] = [
  ['password=', 'S3cr3t!Pa55w'],
  ['"client_secret": "', 'Zx81-Yq72-Wp63'],
  ['My password is ', 'tr0ub4dor+3'],
  ['Das Passwort lautet „', 'Grün#Haus9x'],
  ['密码是', 'Zx81Yq72'],
  ['postgres://app:', 'Hx7-pQ2z@'],
  ['Authorization: Bearer ', 'abc.DEF-0123456789_xyz'],
  ['Cookie: sid=', 'Hx7pQ2z9Lm4Kd8'],
]

/** One of each format that the scanners know. */
export const formatSamples: readonly string[] = [gitleaks, secretlint, trufflehog].flatMap(
  (formats) => Object.values(formats).map((format) => madeSample(format, randomOf(20_264))),
)

/** The corpora: secrets and identities in sentences of eight languages, and what looks like them. */
export const sentenceSamples: readonly string[] = [...positives, ...lookAlikes].map(
  ({ text }) => text,
)

/** What leads to something, or tells that it is something else; in pieces, too. */
export const leadPieces: readonly string[] = [
  'password for the staging server is ',
  'password to ',
  'the password (the old one) ',
  'use the password ',
  'with',
  ' for the app',
  ' and ',
  'is now ',
  'set to ',
  'to ',
  'Пароль ',
  'كلمة المرور ',
  'รหัสผ่านคือ',
  '密码已改为',
  'パスワードは「',
  '用密码',
  'pw: ',
  '--password ',
  'sshpass',
  ' -p ',
  'curl -s ',
  ' -u ada:',
  'https://',
  'Basic ',
  'x-api-key: ',
  'Cookie: a=b; ',
  'sid=',
  '?sig=',
  'datadog',
  'GITLAB_',
  '_release',
  ':= ',
  '\\"',
  'API key is ',
  '密钥：',
  'Hx7pQ2z9',
  'tr0ub4dor',
  'Tel',
  'Tel.: ',
  '电话',
  'phone number ',
  'тел. ',
  'Part ',
  'SKU ',
  'version ',
  'nginx/',
  '13812345678',
  ' MB',
  'rows ',
  '元',
  '//',
  '%',
  '!',
  '|',
  '0',
  '110105194912310',
  '02X',
]

export const prosePieces: readonly string[] = [
  'The order was placed on 12 March 2026, page 14. ',
  'she said: "Is that all?" ',
  'Größe und Maß, später. ',
  'Комитет собрался во вторник. ',
  '我们明天讨论第3章和第4章。',
  '会議は火曜日です。',
  'คณะกรรมการประชุม',
  'اجتمعت اللجنة، ',
  'the password is long and the token expired; ',
  'bad badly abcd bc ',
]

/** Beginnings, ends, near misses, signs. */
export const loosePieces: readonly string[] = [
  'AKIA',
  'ghp_',
  'sk-',
  'eyJ',
  '-----BEGIN ',
  'PRIVATE KEY-----\n',
  'password',
  'secret=',
  'token: "',
  'is ',
  '://',
  '4111 ',
  '+49 ',
  '@',
  'ada',
  '.com',
  'DE89',
  '00',
  '(',
  ')',
  ':',
  '::',
  '1.2',
  '-',
  ' ',
  '\n',
  '"',
  '=',
  '.',
  '[',
  ']',
  '[redacted:',
  '[redacted:email]',
  'redacted',
  '😀',
  '\ud83d',
  '\ude00',
  'é',
  '用',
  'x',
  'MIIEvQIBADANBgkqhkiG9w0B',
  '\\n',
  '==',
]
