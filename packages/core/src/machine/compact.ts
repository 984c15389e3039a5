/**
 * The parts of a context that grow, as short texts: the cached state has a limit (`limits.stateBytesMax`), and a run
 * may have 64 calls open. Numbers are written to base 36; whatever cannot be read back throws.
 */
import { type JsonObject, JsonObjectSchema } from '../json.ts'
import { limits } from '../limits.ts'
import { noCalls } from '../verdict/authorization/rates.ts'
import {
  emptyContext,
  type OpenCall,
  callStatuses,
  type OpenStatus,
  type RunContext,
} from './context.ts'

const statusLetters = {
  running: 'R',
  child: 'C',
  unknown: 'U',
  asked: 'A',
  question: 'Q',
  judging: 'J',
  gated: 'G',
} as const
const statuses = new Map<string, OpenStatus>(callStatuses.map((one) => [statusLetters[one], one]))

const width = limits.callsPerTurnMax

/**
 * `<tool and index><status>`, then in two digits how many effects ago its own was asked for, if it has one: a turn asks for
 * one per call and one of the policies.
 */
export function packCalls({ open, effects }: Pick<RunContext, 'open' | 'effects'>): string {
  return Object.entries(open)
    .map(([index, { tool, status, effect }]) => {
      const place = (tool * width + Number(index)).toString(36)
      const ago = effect === 0 ? '' : (effects - effect).toString(36).padStart(2, '0')
      return `${place}${statusLetters[status]}${ago}`
    })
    .join('')
}

/** Reads `packCalls` back. */
export function unpackCalls(text: string, effects: number): RunContext['open'] {
  const words = text.match(/[0-9a-z]+(?:[RCU][0-9a-z]{2}|[AQJG])/g) ?? []
  if (words.join('') !== text) return unreadable(text)
  return Object.fromEntries(words.map((word) => unpackCall(word, effects)))
}

function unpackCall(word: string, effects: number): readonly [string, OpenCall] {
  const at = word.search(/[A-Z]/)
  const status = statuses.get(word.charAt(at)) ?? unreadable(word)
  const n = Number.parseInt(word.slice(0, at), 36)
  const ago = word.slice(at + 1)
  const effect = ago ? effects - Number.parseInt(ago, 36) : 0
  return [String(n % width), { effect, status, tool: Math.floor(n / width) }]
}

/** The counters, each with its letter, in the order of the first form. A counter without a letter is called by its name. */
const letterOf = {
  turn: 'T',
  retry: 'R',
  tries: 'Y',
  waitedMs: 'W',
  model: 'M',
  corrections: 'C',
  empties: 'E',
  continued: 'G',
  effects: 'F',
  source: 'S',
  policy: 'P',
  opened: 'O',
  calls: 'L',
  tokens: 'K',
  cost: 'B',
  activeMs: 'A',
  depth: 'D',
  children: 'H',
  childTurns: 'I',
  restedAt: 'Q',
  injected: 'J',
  relieved: 'V',
  title: 'N',
  todosOpen: 'U',
  todosReminded: 'X',
  unattended: 'Z',
} as const

/** Counters without a place in the first form. */
const unplaced: ReadonlySet<string> = new Set([
  'injected',
  'relieved',
  'title',
  'todosOpen',
  'todosReminded',
  'unattended',
])

const letters = new Map<string, string>(Object.entries(letterOf))
const countersByLetter = new Map<string, string>(
  Object.entries(letterOf).map(([name, letter]) => [letter, name]),
)

/** Every number of a context but the moment `since`, whichever version of the machine counts it; what is 0 is left out. */
export function packCounts({ since: _since, ...context }: RunContext): string {
  const words = Object.entries<unknown>(context).flatMap(([name, value]) =>
    typeof value === 'number' && value !== 0
      ? [`${letters.get(name) ?? `${name}:`}${packNumber(value)}`]
      : [],
  )
  return words.join(' ')
}

const packNumber = (n: number): string =>
  Number.isSafeInteger(n) && n > 0 ? n.toString(36) : `=${n}`

/** Reads `packCounts` back; what the machine does not count is unreadable. */
export function unpackCounts(text: string, known: RunContext): Partial<RunContext> {
  const kinds = new Map(
    Object.entries<unknown>({ ...known }).map(([name, at]) => [name, typeof at]),
  )
  const counts = wordsOf(text).map((word) => {
    const [, letter = '', long, digits = '', plain] =
      /^(?:([A-Z])|(\w+):)(?:([0-9a-z]+)|=(.+))$/.exec(word) ?? []
    const name = long ?? countersByLetter.get(letter) ?? ''
    const value = plain === undefined ? Number.parseInt(digits, 36) : Number(plain)
    return kinds.get(name) === 'number' && Number.isFinite(value) ? [name, value] : unreadable(word)
  })
  return Object.fromEntries(counts)
}

/** Lifts the first form of a cached state, whose counters were known by their places, to the second. */
export function nameCounters(state: JsonObject): JsonObject {
  // `injected` had a place of its own.
  const { injected = 0, ...context } = JsonObjectSchema.parse(state['context'])
  const { counts: text } = context
  if (typeof text !== 'string') return unreadable('counts')
  const numbers = wordsOf(text).map(Number)
  const names = Object.keys(letterOf).filter((name) => !unplaced.has(name))
  if (numbers.length !== names.length + 1 || !numbers.every(Number.isFinite))
    return unreadable(text)
  const named = [...names.map((name, n) => [name, numbers[n]]), ['injected', injected]]
  const counts = packCounts({ ...emptyContext, ...Object.fromEntries(named) })
  return { ...state, v: 2, context: { ...context, counts, modelOpen: numbers.at(-1) === 1 } }
}

const budgets = { c: 'calls', i: 'time', k: 'tokens', m: 'money', t: 'turns' } as const

/** Budgets the model was told about, a letter each, in the order of the telling. */
export const packTold = (told: RunContext['told']): string =>
  told
    .map((budget) => Object.entries(budgets).find(([, each]) => each === budget)?.[0] ?? '')
    .join('')

/** Reads `packTold` back. */
export const unpackTold = (text: string): RunContext['told'] =>
  Array.from(text, (letter) => {
    const found = Object.entries(budgets).find(([each]) => each === letter)
    return found ? found[1] : unreadable(text)
  })

const capabilities = new Map([
  ['b', 'web.browser'],
  ['f', 'web.fetch'],
  ['m', 'mcp.tool.execute'],
  ['s', 'messaging.send'],
  ['w', 'data.file.write'],
])
const ratesText =
  /^[0-9a-z]+(?: (?:[bfmsw]:|[a-z0-9.]+(?::[A-Za-z0-9]*)?=)[0-9a-z]+\.[0-9a-z]+\.[0-9a-z]+)*$/

/**
 * The minute they stand for, then a word per capability; empty before the first call. The five that always count have a
 * letter, and what else a passport counts has its name.
 */
export function packRates({ at, calls }: RunContext['rates']): string {
  const lettered = [...capabilities].map(([letter, name]) => [`${letter}:`, name] as const)
  const known = new Set(capabilities.values())
  const others = Object.keys(calls).filter((name) => !known.has(name))
  const named = others.toSorted().map((name) => [`${name}=`, name] as const)
  const words = [...lettered, ...named].flatMap(([head, name]) => {
    const counts = Object.hasOwn(calls, name) ? calls[name] : undefined
    return counts ? [`${head}${counts.map((count) => count.toString(36)).join('.')}`] : []
  })
  return at === 0 ? '' : [at.toString(36), ...words].join(' ')
}

/** Reads `packRates` back. */
export function unpackRates(text: string): RunContext['rates'] {
  if (text === '') return noCalls
  if (!ratesText.test(text)) return unreadable(text)
  const [at = '', ...words] = wordsOf(text)
  const calls = words.map((word) => {
    const equals = word.indexOf('=')
    const [minute = 0, hour = 0, day = 0] = word
      .slice(equals < 0 ? 2 : equals + 1)
      .split('.')
      .map((count) => Number.parseInt(count, 36))
    const name = equals < 0 ? capabilities.get(word.charAt(0)) : word.slice(0, equals)
    return [name ?? '', [minute, hour, day] as const] as const
  })
  return { at: Number.parseInt(at, 36), calls: Object.fromEntries(calls) }
}

/** Positions below `limits.skillsMax`, a bit each. Empty where there is none. */
export function packSkills(skills: RunContext['skills']): string {
  const bits = skills.reduce((all, at) => all | (1n << BigInt(at)), 0n)
  return bits === 0n ? '' : bits.toString(36)
}

/** Reads `packSkills` back. */
export function unpackSkills(text: string): RunContext['skills'] {
  if (!/^[0-9a-z]{0,40}$/.test(text)) return unreadable(text)
  const bits = Array.from(text, (digit) => BigInt(Number.parseInt(digit, 36))).reduce(
    (all, digit) => all * 36n + digit,
    0n,
  )
  const all = Array.from({ length: limits.skillsMax }, (_, at) => at)
  const skills = all.filter((at) => (bits & (1n << BigInt(at))) !== 0n)
  return packSkills(skills) === text ? skills : unreadable(text)
}

/** The words of a text, without empty ones. */
export const wordsOf = (text: string): readonly string[] => text.split(' ').filter(Boolean)

/** Throws: the cached state is not what it should be. */
export function unreadable(what: string): never {
  throw new Error(`the cached state is unreadable: ${what}`)
}
