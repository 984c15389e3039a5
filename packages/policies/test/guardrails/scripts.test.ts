/**
 * Borders of words across scripts: Chinese, Japanese, Thai and Korean write no space before a token. Would catch: a secret that
 * is not seen because a letter of another script stands beside it, and an address that swallows its neighbours.
 */
import { describe, expect, test } from 'vitest'
import { createGuardrail } from '../../src/guardrails/create-guardrail.ts'
import { StreamGuardSpec } from '@signalbox/core'

const entities = ['email', 'phone', 'ssn', 'credit-card', 'iban', 'ip-address']
const pii = createGuardrail(StreamGuardSpec.parse({ use: 'pii', entities }))
const secrets = createGuardrail(StreamGuardSpec.parse({ use: 'secrets' }))

const clean = (text: string): string =>
  [secrets, pii].reduce((seen, guard) => guard?.inspector?.inspect(seen).text ?? seen, text)

/** Put together here, so that no scanner takes them for real ones. */
const aws = ['AKIA', 'IOSFODNN7EXAMPLE'].join('')
const github = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

describe('found beside letters of another script', () => {
  test.each([
    ['Chinese', `密钥是${aws}。`, '密钥是[redacted:aws-access-key]。'],
    ['Chinese, both sides', `令牌${github}请保密`, '令牌[redacted:github-token]请保密'],
    ['a card in Chinese', '卡号4111111111111111已过期', '卡号[redacted:credit-card]已过期'],
    [
      'a card in Japanese',
      'カード番号は4111111111111111です',
      'カード番号は[redacted:credit-card]です',
    ],
    ['after a prolonged sound', 'ナンバー4111111111111111', 'ナンバー[redacted:credit-card]'],
    ['an IBAN', '账户DE89370400440532013000谢谢', '账户[redacted:iban]谢谢'],
    ['a phone number', '电话+8613812345678联系', '电话[redacted:phone]联系'],
    ['an e-mail address', '联系ada@example.com吧', '联系[redacted:email]吧'],
    [
      'two in a row',
      '写给ada@example.com和bob@example.org。',
      '写给[redacted:email]和[redacted:email]。',
    ],
    ['Korean particles', `토큰은${github}입니다`, '토큰은[redacted:github-token]입니다'],
    ['a Korean address', '메일은ada@example.co.kr로', '메일은[redacted:email]로'],
    ['Thai', `โทเค็น${github}ครับ`, 'โทเค็น[redacted:github-token]ครับ'],
    ['Cyrillic', `ключ${aws}`, 'ключ[redacted:aws-access-key]'],
    ['Arabic', `المفتاح${aws}`, 'المفتاح[redacted:aws-access-key]'],
    ['an address in Chinese script', '用户@例子.公司', '[redacted:email]'],
    ['an IP address', '服务器在203.0.113.7上', '服务器在[redacted:ip-address]上'],
  ])('%s', (_name, text, expected) => {
    expect(clean(text)).toBe(expected)
  })
})

describe('left alone', () => {
  test.each([
    ['a token within a word', `x${aws}`],
    ['a token within a longer name', `my_${github}`],
    ['an accented letter beside it', `é${aws}`],
    ['digits of a part number', '型号A4111111111111111'],
    ['plain prose', '我们明天讨论第3章和第4章。'],
    ['no domain', '写@我'],
  ])('%s', (_name, text) => {
    expect(clean(text)).toBe(text)
  })
})
