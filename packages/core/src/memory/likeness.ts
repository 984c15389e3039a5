/**
 * How alike two sentences are, in any language: by what they are spelt of, without a dictionary. Judges restatements and contradictions.
 *
 * L1 The work is bounded: sentences have `limits.memoryItemCharsMax` characters, of longer texts the words alone are asked for.
 */

/** Two sentences beside each other. `opposite`: they say nearly the same, with another number or a negation. */
export type Likeness = 'same' | 'alike' | 'opposite' | 'different'

/** Share of what two sentences are spelt of from which on they are alike. */
const alikeFrom = 0.8

/** Words that turn a sentence round. Apostrophes are gone by then. */
const negations = new Set(
  (
    'not no never none nor without cannot cant dont doesnt didnt isnt arent wasnt wont hasnt havent neither hardly ' +
    'nicht kein keine keinen keiner nie niemals ohne pas jamais sans ni sin nunca nao non senza mai geen niet nooit'
  ).split(' '),
)

/** Words that say nothing by themselves: they come and go with a negation, or name whom all items are about. */
const fillers = new Set(
  'the a an user users is are was were am be been being do does did has have had he she they it his her their s'.split(
    ' ',
  ),
)

/** The words of a text in small letters, with its numbers; of scripts without spaces, pairs of signs. */
export function spelledWords(text: string): readonly string[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(/['’ʼ]/g, '')
  return (plain.match(/\d+(?:[.,:/-]\d+)*|[\p{L}\p{M}]+/gu) ?? []).flatMap((word) =>
    unspaced.test(word) ? pairsOf(word) : [word],
  )
}

/** Scripts that write no spaces between words. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

function pairsOf(word: string): readonly string[] {
  const signs = Array.from(word)
  return signs.length < 2 ? signs : signs.slice(1).map((sign, n) => `${signs[n] ?? ''}${sign}`)
}

export const isNumber = (word: string): boolean => /^\d/.test(word)

/** The words of a sentence that tell it from others. */
const tellingWords = (words: readonly string[]): readonly string[] =>
  words.filter((word) => !fillers.has(word))

/** Compares two sentences about one person. */
export function likenessOf(one: string, other: string): Likeness {
  const [a, b] = [tellingWords(spelledWords(one)), tellingWords(spelledWords(other))]
  if (a.join(' ') === b.join(' ')) return 'same'
  const differs = numbersIn(a) !== numbersIn(b) || isNegated(a) !== isNegated(b)
  if (!differs) return similarity(a, b) >= alikeFrom ? 'alike' : 'different'
  return similarity(plainWords(a), plainWords(b)) >= alikeFrom ? 'opposite' : 'different'
}

const numbersIn = (words: readonly string[]): string => words.filter(isNumber).toSorted().join(' ')

const isNegated = (words: readonly string[]): boolean =>
  words.filter((word) => negations.has(word)).length % 2 === 1

/** Without numbers and negations; of a verb, no form. */
const plainWords = (words: readonly string[]): readonly string[] =>
  words.filter((word) => !isNumber(word) && !negations.has(word)).map(stemOf)

/** A word without the ending that a negation changes. */
const stemOf = (word: string): string =>
  word.length > 4 ? word.replace(/(?:es|s|en|n|t)$/, '') : word

/** Shares of three signs that both have, of all that either has. */
function similarity(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [shinglesOf(one), shinglesOf(other)]
  if (a.size === 0 || b.size === 0) return 0
  let both = 0
  for (const shingle of a) if (b.has(shingle)) both += 1
  return both / (a.size + b.size - both)
}

function shinglesOf(words: readonly string[]): ReadonlySet<string> {
  if (words.length === 0) return new Set()
  const signs = Array.from(` ${words.join(' ')} `)
  return new Set(signs.slice(2).map((sign, n) => `${signs[n] ?? ''}${signs[n + 1] ?? ''}${sign}`))
}

/** Letters of a word that two of one family share. */
const familyChars = 4

/** Words that every sentence about somebody may have, whatever it is about. */
const everyday = new Set(
  (
    'prefer prefers like likes love loves want wants wish wishes need needs enjoy enjoys hate hates dislike dislikes use uses ' +
    'and or but of in on at to for from with by as over than that this there no more any some very own also mag will hat ist und oder'
  ).split(' '),
)

/** Share of what a sentence tells that stands in a text as well. 0 where it tells nothing. */
export function shareIn(sentence: string, text: string): number {
  const telling = tellingWords(spelledWords(sentence)).filter(
    (word) => !negations.has(word) && !everyday.has(word),
  )
  if (telling.length === 0) return 0
  const known = new Set(spelledWords(text))
  const families = new Set([...known].map(familyOf))
  const told = telling.filter((word) => known.has(word) || families.has(familyOf(word)))
  return told.length / telling.length
}

const familyOf = (word: string): string =>
  word.length <= familyChars || isNumber(word) ? word : word.slice(0, familyChars)

/** Numbers of a sentence that do not stand in a text. */
export function unsaidNumbers(sentence: string, text: string): readonly string[] {
  const known = new Set(spelledWords(text))
  return spelledWords(sentence).filter((word) => isNumber(word) && !known.has(word))
}

/** How many different words of a question stand in a sentence. */
export function sharedWords(sentence: string, question: ReadonlySet<string>): number {
  const words = new Set(tellingWords(spelledWords(sentence)).map(familyOf))
  let shared = 0
  for (const word of words) if (question.has(word)) shared += 1
  return shared
}

/** The words of a question, as `sharedWords` compares them. */
export const askedWords = (text: string): ReadonlySet<string> =>
  new Set(tellingWords(spelledWords(text)).map(familyOf))
