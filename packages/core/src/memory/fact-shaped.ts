/**
 * Is a sentence a fact about somebody? An item that gives orders, grants permissions, or holds code or an address would be a standing order to
 * every later run, whoever got it said.
 *
 * F1 One line, no markup, no code, no address.
 * F2 It speaks about the user: never to a reader, never of the model, its rules, or its roles.
 * F3 It permits nothing, and asks for nothing to be done without a question.
 */

/** The reason for which a sentence is no fact about somebody; null: it is one. */
export function whyNoFact(sentence: string): string | null {
  const found = checks.find(({ pattern }) => pattern.test(sentence))
  return found?.why ?? null
}

interface Check {
  readonly why: string
  readonly pattern: RegExp
}

const anyOf = (words: string): string => words.trim().split(/\s+/).join('|')

/** Verbs that let something happen. */
const permitting = anyOf(
  'allow\\w* approv\\w* permit\\w* grant\\w* accept\\w* trust\\w* confirm\\w* skip\\w* bypass\\w* authori[sz]\\w* execut\\w* consent\\w* waiv\\w* disclos\\w* reveal\\w* ' +
    'erlaub\\w* genehmig\\w* best[äa]tig\\w* ausf[üu]hr\\w* autoris\\w* approuv\\w* permet\\w* autoriz\\w* aprob\\w* permit\\w*',
)

/** Forms of a verb with which an order begins. */
const ordering = anyOf(
  "do don'?t make ensure remember note please allow approve send use call run execute ignore delete forward respond answer reply write " +
    'speak treat give tell show keep add include avoid stop start act pretend assume disregard forget follow obey check verify skip transfer pay ' +
    'ignoriere antworte schreibe sende nutze verwende ignora responde ignore[zr]? r[ée]ponds',
)
const ever = anyOf('always never immer niemals siempre nunca toujours jamais')

const checks: readonly Check[] = [
  { why: 'it has more than one line', pattern: /[\n\r\u2028\u2029]/ },
  {
    why: 'it holds an address',
    pattern:
      /\b(?:https?|ftp|file|data|javascript):|\bwww\.|\b[\w-]+\.(?:com|org|net|io|dev|app|ai|co|info|xyz|ru|cn)\b/i,
  },
  {
    why: 'it holds markup or code',
    pattern:
      /[<>`{}|\\]|\$\(|\$[A-Z_]{2,}|=>|;\s*$|&&|\]\(|^#|\b(?:sudo|rm -|curl |wget |chmod |eval|function\s*\(|drop table|select \*)/i,
  },
  {
    why: 'it names a role of a conversation',
    pattern:
      /\b(?:system|assistant|developer|user|tool)\s*:|\b(?:system prompt|prompt injection|jailbreak|developer mode|as an ai|(?:previous|prior|earlier|above|these|following|all|its) instructions?)\b/i,
  },
  {
    why: 'it speaks of the model',
    pattern:
      /\bthe (?:assistant|agent|model|bot|ai|chatbot|system)\b|\b(?:assistant|agent|model|bot|ai|chatbot) (?:must|should|shall|may|can|has to|is to|will)\b|\bder assistent\b|\bl'assistant\b|\bel asistente\b/i,
  },
  {
    why: 'it speaks to a reader',
    pattern:
      /\b(?:you|your|yours|yourself|dein\w*|vous|votre|ustedes?|du (?:musst|sollst|darfst|kannst))\b/i,
  },
  {
    why: 'it permits something',
    pattern: new RegExp(
      [
        `\\b(?:always|never|any|all|every|immer|nie(?:mals)?|siempre|nunca|toujours|jamais)\\b.{0,60}\\b(?:${permitting})`,
        `\\b(?:${permitting})\\b.{0,40}\\b(?:always|automatically|everything|anything|all|any|every|in advance|immer|siempre|toujours)\\b`,
        '\\bwithout (?:asking|approval|confirmation|confirming|permission|checking|review|a question)\\b',
        '\\b(?:pre-?approved|pre-?authori[sz]ed|(?:full|admin|root|unrestricted|unlimited) (?:access|permissions?|rights?|control))\\b',
        '\\b(?:is|are|be) (?:allowed|permitted|authori[sz]ed|entitled|cleared) to\\b',
        '\\bno (?:approval|confirmation|permission|limit|limits|restrictions?) (?:is |are )?(?:needed|required|necessary|apply|applies)?',
      ].join('|'),
      'i',
    ),
  },
  {
    why: 'it gives an order',
    pattern: new RegExp(
      [
        `^\\W*(?:(?:${ever})\\s+)?(?:${ordering})\\b`,
        '^\\W*address (?:the|him|her|them|me|every)\\b',
        '^\\W*(?:when|whenever|if)\\b.{0,60}\\b(?:ask(?:s|ed)?|says?|told|prompted|requested)\\b',
      ].join('|'),
      'i',
    ),
  },
  {
    why: 'it gives an order',
    pattern:
      /\b(?:must|should|shall|needs? to|has to) (?:always |never |not )?be (?:answered|addressed|told|sent|given|shown|called|executed|paid|approved|treated|obeyed)\b/i,
  },
]
