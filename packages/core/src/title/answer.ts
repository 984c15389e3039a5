/**
 * The answer of a model that was asked for a title, judged. What models answer instead of one is, as a rule, a refusal or their own
 * thoughts: such an answer is no title, and nothing of it is kept.
 */
import { fitsTitle, linesOf, plainLine } from './line.ts'
import type { TitleRefusal } from './spec.ts'

/** Words behind which another begins: a space, a mark, the end. */
const ends = String.raw`(?=[\s,.:;!?…]|$)`
const word = (words: string): RegExp => new RegExp(`^(?:${words})${ends}`, 'iu')

/** Tags of thoughts as models write them: angle or square brackets, triangles, a name space before the name, escaped. */
const thoughts =
  /(?:<|\[|◁|&lt;)\/?\s*(?:\w+:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)\s*(?:>|\]|▷|&gt;)|<\/?\s*(?:\w+:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad)\b|<\|/iu

/** The model speaks of itself, or of the one who asks, in the languages that models answer in most. */
const firstPerson = [
  word(
    String.raw`i|i['’](?:m|ll|ve|d)|me|my|mine|we|we['’](?:re|ll|ve|d)|our|let me|let us|let['’]?s|as (?:an? |your )(?:[\p{L}-]+ ){0,2}(?:ai|assistant|language model|chatbot|llm)`,
  ),
  word(
    String.raw`ok(?:ay)?|sure|certainly|of course|here is|here['’]s|(?:the )?user (?:wants|asks|asked|is asking|requested|said)`,
  ),
  word(
    String.raw`ich|wir|mein|meine|als ki|nous|nosotros|no puedo|no podemos|non posso|n[ãa]o posso|nie mogę|como ia|como modelo|я|мы|не могу|как ии`,
  ),
  // As words of other languages these are abbreviations: "EU", "IO".
  /^(?:Je|J['’]\p{L}+|Yo|Eu|Io|Ik|Ja)(?=\s)/u,
  /^(?:我|作为|作為|私|僕|저는|나는)/u,
  // The same without the pronoun.
  word(
    String.raw`(?:can(?:no|['’])?t|unable to|not able to|won['’]t|will not|refus(?:e|ing) to|declin(?:e|ing) to)\s+(?:help|assist|comply|answer|respond|fulfil+|discuss|provide an? (?:title|heading)|(?:create|generate|give) an? (?:title|heading)|do (?:that|this)|continue|engage)`,
  ),
]

const apology = [
  word(
    String.raw`(?:i(?:['’]?m| am) )?(?:so |very )?sorry|apolog(?:y|ies|i[sz]e)|(?:my|our) apologies|i apologi[sz]e|unfortunately`,
  ),
  word(
    String.raw`entschuldig\p{L}*|(?:es )?tut mir (?:\p{L}+ )?leid|leider|(?:je suis )?d[ée]sol[ée]e?|malheureusement|lo siento|lo lamento|disculp\p{L}*|desculp\p{L}*|infelizmente|mi dispiace|scus[ai]|mi scuso|purtroppo|helaas|przepraszam|niestety|извин\p{L}*|к сожалению|простите`,
  ),
  /^(?:抱歉|对不起|對不起|很抱歉|非常抱歉|申し訳|すみません|ごめん|죄송)/u,
]

const quotes = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['„', '“'],
  ['‘', '’'],
  ['«', '»'],
  ['「', '」'],
] as const

/** Characters that may stand before the first word: marks, signs, tags. */
const before = /^(?:<[^<>]*>|[^\p{L}\p{N}])+/u

/** Begins like JSON: a title in curly brackets has no quotation mark behind the first one. */
const json = /^(?:\{\s*["}]|\[\s*["{])/

/** The text of an answer: the field `title`, if it is an object, as some models answer everything. Of half an object, nothing. */
function textIn(answer: string): string {
  if (!json.test(answer)) return answer
  try {
    const parsed: unknown = JSON.parse(answer)
    const title: unknown =
      typeof parsed === 'object' && parsed !== null && Reflect.get(parsed, 'title')
    return typeof title === 'string' ? title.trim() : ''
  } catch {
    return ''
  }
}

/** Without `Title:` before it, and the quotation marks around it. */
function bare(line: string): string {
  const said = line.replace(/^title\s*[:：]\s*/iu, '')
  const [open, close] =
    quotes.find(([begin, end]) => said.startsWith(begin) && said.endsWith(end)) ?? []
  const inner =
    open === undefined || close === undefined || said.length < 2 ? said : said.slice(1, -1)
  return plainLine(inner)
}

/** The title that an answer is, or why it is none. Of a text that is longer than titles are made of, nothing else is looked at. */
export function titleIn(
  answer: string,
): { readonly title: string } | { readonly refused: TitleRefusal } {
  const text = textIn(answer.trim())
  if (thoughts.test(text)) return { refused: 'thoughts' }
  const lines = linesOf(text).filter((line) => line.trim() !== '')
  if (lines.length > 1) return { refused: 'lines' }
  const title = bare(plainLine(lines[0] ?? ''))
  if (title === '') return { refused: 'empty' }
  const words = title.replace(before, '')
  if (apology.some((pattern) => pattern.test(words))) return { refused: 'apology' }
  if (firstPerson.some((pattern) => pattern.test(words))) return { refused: 'first_person' }
  return fitsTitle(title) ? { title } : { refused: 'too_long' }
}
