/**
 * Phone numbers as people write them: with their country code, in the local forms of the United States, China, Japan, Germany, France
 * and Britain, and any others behind a word that says that a phone number follows.
 */
import { freeAfter, freeBefore, characterLeftOf } from '../border.ts'
import { type Finding, type SeenText, undecided } from '../finding.ts'
import { matchesOf, type MatchPlace, whenNeeded } from '../matches.ts'
import { pendingNumber } from './national-number.ts'

/** E.164 with its plus, or with 00 and a separator behind the code of the country. */
const international = whenNeeded(
  '\\+[1-9](?:\\)?[ ./-]?\\(?[0-9]){6,14}|00[1-9][0-9]{0,2}[ ./-](?:\\(?[0-9]\\)?[ ./-]?){6,12}[0-9]',
)

/** Local forms whose groups are of one country. */
const local = whenNeeded(
  [
    // United States and Canada.
    '(?:1[ .-])?(?:\\([2-9][0-9]{2}\\) ?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}',
    // China: mobile, also in one piece; landline.
    '1[3-9][0-9][ -]?[0-9]{4}[ -]?[0-9]{4}',
    '0(?:10|2[0-9]|[3-9][0-9]{2})-[0-9]{7,8}',
    // Japan.
    '0[1-9](?:-[0-9]{4}|[0-9]-[0-9]{3,4}|[0-9]{2}-[0-9]{2}|[0-9]{3}-[0-9])-[0-9]{4}',
    // France.
    '0[1-9](?:[ .-][0-9]{2}){4}',
    // Germany: mobile; landline, where the area code is set off by a slash or brackets, or is one of the large cities.
    '01(?:5[0-9]{2}|6[023]|7[0-9])[ /-][0-9]{3,4}[ -]?[0-9]{3,5}|01(?:6[023]|7[0-9])[0-9]{7}',
    '(?:\\(0[2-9][0-9]{1,4}\\) ?|0[2-9][0-9]{1,4}/ ?|0(?:30|40|69|89)[ -])[0-9]{3,5}[ -]?[0-9]{2,5}(?:-[0-9]{1,4})?',
    // Britain: mobile; London and other landlines.
    '07[1-57-9][0-9]{2}(?:[ -][0-9]{3}[ -]?[0-9]{3}|[0-9]{6})',
    '(?:\\(0[12][0-9]{1,4}\\) ?|0(?:2[0-9]|11[0-9]|1[0-9]1|1[0-9]{3})[ -])[0-9]{3,4}[ -]?[0-9]{3,4}',
  ].join('|'),
)

/** Behind a word that says so, seven digits and more are a phone number however they are grouped. Group 1 is the number. */
const announced = whenNeeded(
  '(?i)(?:\\bt[eé]l(?:[eé](?:ph|f)on[eo]?)?(?: ?(?:number|no|nr|n°|nummer))?|' +
    '\\b(?:phone|mobile|cell|fon|handy|m[óo]vil|portable|whatsapp|rufnummer)(?:(?: ?(?:number|no|nr|n°|nummer))?[.:：]| (?:number|is|ist|est|es)\\b)|' +
    '电话|電話|手机|手機|携帯|전화|телефона?|тел|هاتف|الهاتف|โทร|เบอร์)' +
    '[.:：]{0,2}[^\\S\\r\\n]{0,2}(?:is|ist|est|es|number|号码?|番号|は|是|为|：|:|: ){0,2}[^\\S\\r\\n]{0,2}' +
    '(\\+?\\(?[0-9](?:\\)?[ ./-]?\\(?[0-9]){6,14})',
)

/** Asked before, on the native engine: bounded, so linear. */
const hint = /\+[1-9]|[0-9](?:[ ./()-]{0,2}[0-9]){6}/

/** Numbers of parts and versions stand behind such words. */
const partBefore =
  /(?:part|item|sku|model|serial|s\/n|p\/n|pn|version|ver|v|isbn|ean|upc|rev|teilenummer|artikel(?:nummer)?|réf(?:érence)?|型号|型號|編號|编号|序列号|品番|型番|артикул)[.:#°： ]{0,3}(?:is|no|nr|number|ist|est)?[.:#：]? ?$/i

export function findPhones(seen: SeenText): readonly Finding[] {
  if (!hint.test(undecided(seen))) return []
  const kind = 'phone'
  const free = (place: MatchPlace): MatchPlace | null =>
    isPhone(seen, place) ? { ...place, open: isUndecided(seen, place) } : null
  return [
    ...matchesOf({ kind, pattern: international(), accept: free, retryWithin: true }, seen),
    ...matchesOf({ kind, pattern: local(), accept: free, retryWithin: true }, seen),
    ...matchesOf({ kind, pattern: announced(), group: 1, accept: free }, seen),
  ]
}

/** Not within a longer number, a decimal, a date, a path or a part number; and one that can be called. */
function isPhone(seen: SeenText, place: MatchPlace): boolean {
  const { text } = seen
  const { start, end } = place
  if (!freeBefore(seen, start) || !freeAfter(seen, end)) return false
  if (
    /[.,/#$€£¥=-]/.test(characterLeftOf(seen, start)) ||
    /^[./:-]?[0-9]|^-[A-Za-z]|^[%€£¥°]/.test(text.slice(end, end + 2))
  )
    return false
  if (partBefore.test(text.slice(Math.max(0, start - 32), start))) return false
  const written = text.slice(start, end)
  if (bare.test(written) && unit.test(text.slice(end, end + unitCharsMax))) return false
  return canBeCalled(written)
}

/** Amounts of something have eleven digits too: what stands behind them must be seen. */
const unit =
  /^ ?(?:[kmgt]?i?b(?:ytes?|its?)?|bytes?|bits?|[mµn]?s|rows?|records?|tokens?|users?)\b|^ ?(?:元|円|字节|个|条|行|バイト|件|원)/i
const bare = /^1[3-9][0-9]{9}$/
const unitCharsMax = 9

const isUndecided = ({ text }: SeenText, { start, end }: MatchPlace): boolean =>
  end >= text.length - 1 || (bare.test(text.slice(start, end)) && text.length - end < unitCharsMax)

/** Eleven digits, and the beginning of what may be a unit of them. */
const counted = /1[3-9][0-9]{9}[^0-9]{1,8}$/
const countedCharsMax = 11 + unitCharsMax - 1

/** Where a number may have begun that is not over, or may turn out to be an amount. */
export function pendingPhone(text: string, from: number): number {
  const number = pendingNumber(text, from)
  if (!/[0-9]/.test(text.slice(-unitCharsMax))) return number
  const since = Math.max(from, text.length - countedCharsMax)
  const at = text.slice(since).search(counted)
  return at < 0 ? number : Math.min(number, since + at)
}

/** ITU codes of countries with one and two digits; all others have three. */
const shortCodes = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** `300-400-5000` are amounts. */
const isRound = (written: string): boolean =>
  written.split(/[ .-]/).filter((group) => /^[1-9][0-9]*00$/.test(group)).length >= 2

function canBeCalled(written: string): boolean {
  const digits = written.replaceAll(/[^0-9]/g, '')
  if (!written.startsWith('+')) return digits.length >= 7 && !isRound(written)
  // The plan of North America has ten digits behind the one.
  if (digits.startsWith('1')) return digits.length === 11
  if (digits.length < 9) return false
  // `+48.8583701` is a latitude; `+44.2079460958` the form of registries.
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3)
  return (
    !/^\+[0-9]{1,3}\.[0-9]+$/.test(written) ||
    (written.startsWith(`+${code}.`) && digits.length >= 10)
  )
}
