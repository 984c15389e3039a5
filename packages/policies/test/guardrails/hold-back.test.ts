/**
 * The hold-back: text waits only where something is pending. Would catch: prose that waits for a window, a guardrail over errors
 * that holds text, and a pending beginning that goes out.
 */
import { describe, expect, it } from 'vitest'

import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import type { Guardrail } from '../../src/guardrails/part.ts'
import { context, guardrailOf } from './play.ts'

/** Newspaper prose in eight languages, three of them without spaces. */
const prose = {
  English:
    'The committee met on Tuesday, and nobody objected to the plan. It will be printed soon! ',
  German:
    'Die Größe des Gebäudes überraschte alle, doch niemand wollte darüber sprechen. Später schon. ',
  Russian: 'Комитет собрался во вторник, и никто не возражал против плана. Его скоро напечатают. ',
  Arabic: 'اجتمعت اللجنة يوم الثلاثاء، ولم يعترض أحد على الخطة. ',
  Hindi: 'समिति की बैठक मंगलवार को हुई और किसी ने योजना का विरोध नहीं किया। ',
  Thai: 'คณะกรรมการประชุมเมื่อวันอังคารและไม่มีใครคัดค้านแผนดังกล่าว',
  Chinese: '委员会星期二开会讨论了这个计划没有人表示反对大家都认为应该尽快公布结果。',
  Japanese: '委員会は火曜日に会議を開き、計画に反対する人は誰もいませんでした。',
}

/** How many code units wait after each character, at most; and after each space or full stop. */
function heldOver(guardrails: readonly Guardrail[], text: string): { most: number; atGap: number } {
  const guard = createStreamGuard({ guardrails, context })
  let waiting = 0
  let most = 0
  let atGap = 0
  for (const character of text.repeat(3)) {
    const guarded = guard.push('text', character)
    if (guarded.type === 'tripped') throw new Error('prose was objected to')
    waiting += character.length - guarded.text.length
    most = Math.max(most, waiting)
    if (/[\s。、،।]/u.test(character)) atGap = Math.max(atGap, waiting)
  }
  return { most, atGap }
}

const longestWord = (text: string): number =>
  Math.max(...text.split(/[\s,!،]+/u).map(({ length }) => length))

describe.each(Object.entries(prose))('plain prose: %s', (_language, text) => {
  const usual = [{ use: 'secrets' }, { use: 'pii' }].map(guardrailOf)

  it('nothing waits behind a word', () => {
    expect(heldOver(usual, text).atGap).toBe(0)
  })

  it('of a word that is not over no more than itself waits, and in scripts without spaces eight characters', () => {
    const most = /\s/u.test(text) ? longestWord(text) : 8
    expect(heldOver(usual, text).most).toBeLessThanOrEqual(most)
  })

  it.each([
    ['error-recovery', [{ use: 'error-recovery' }]],
    ['banned terms in another script', [{ use: 'banned-terms', terms: ['ґанок'] }]],
  ])('%s: nothing waits at all', (_, specs) => {
    expect(heldOver(specs.map(guardrailOf), text).most).toBe(0)
  })
})

describe.each(['Russian', 'Arabic', 'Hindi', 'Thai', 'Chinese', 'Japanese'] as const)(
  'secrets: %s',
  (language) => {
    it('nothing waits but full stops', () => {
      expect(heldOver([guardrailOf({ use: 'secrets' })], prose[language]).most).toBeLessThanOrEqual(
        1,
      )
    })
  },
)

/** Each ends where a value could begin; what it says is remembered, not held. */
const leads = [
  'The password for the new staging server is ',
  'the password (the old one) is ',
  'Das Kennwort für den Server lautet ',
  'Пароль от сервера: ',
  'كلمة المرور هي ',
  '新しいパスワードは ',
  '密码已改为 ',
  'Authorization: Bearer ',
  'Cookie: theme=dark; ',
  'mysql --host db -p ',
  'curl -s -u ',
  'The API key of Datadog is ',
  'call me, Tel. ',
  'phone number is ',
  'Part no. ',
  'nginx version ',
]

it.each(leads)('%s: a lead waits no more than other prose does', (lead) => {
  const guard = createStreamGuard({
    guardrails: [{ use: 'secrets' }, { use: 'pii' }].map(guardrailOf),
    context,
  })
  let out = ''
  for (const character of lead) {
    const guarded = guard.push('text', character)
    if (guarded.type === 'released') out += guarded.text
  }
  expect(out).toBe(lead)
})

it.each(['The password is ', 'Das Passwort für den Server ist ', 'the token was '])(
  '%s, and prose behind it: nothing waits behind a word',
  (lead) => {
    const text = `${lead}written down in the book and known to nobody. `
    expect(heldOver([{ use: 'secrets' }, { use: 'pii' }].map(guardrailOf), text).atGap).toBe(0)
  },
)
