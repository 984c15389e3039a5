/**
 * The parts of a context that grow, as short texts: the cached state has a limit (`limits.stateBytesMax`), and a run
 * may have 64 calls open. Numbers are written to base 36; whatever cannot be read back throws.
 */
import { limits } from '../limits.ts'
import { noCalls } from '../verdict/authorization/passport/rates.ts'
import type { OpenCall, OpenStatus, RunContext } from './context.ts'

const letters = {
  running: 'R',
  child: 'C',
  unknown: 'U',
  asked: 'A',
  judging: 'J',
  gated: 'G',
} as const
const statuses = new Map<string, OpenStatus>([
  ['R', 'running'],
  ['C', 'child'],
  ['U', 'unknown'],
  ['A', 'asked'],
  ['J', 'judging'],
  ['G', 'gated'],
])

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
      return `${place}${letters[status]}${ago}`
    })
    .join('')
}

/** Reads `packCalls` back. */
export function unpackCalls(text: string, effects: number): RunContext['open'] {
  const words = text.match(/[0-9a-z]+(?:[RCU][0-9a-z]{2}|[AJG])/g) ?? []
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

const counted = [
  'turn',
  'retry',
  'tries',
  'waitedMs',
  'model',
  'corrections',
  'empties',
  'continued',
  'effects',
  'source',
  'policy',
  'opened',
  'calls',
  'tokens',
  'cost',
  'activeMs',
  'depth',
  'children',
  'childTurns',
  'restedAt',
] as const

type Counts = Pick<RunContext, (typeof counted)[number] | 'modelOpen'>

/** The counters, in a fixed order, and last whether a model call is open. */
export const packCounts = (context: Counts): string =>
  [...counted.map((name) => context[name]), context.modelOpen ? 1 : 0].join(' ')

/** Reads `packCounts` back. */
export function unpackCounts(text: string): Counts {
  const numbers = wordsOf(text).map(Number)
  if (numbers.length !== counted.length + 1 || !numbers.every(Number.isFinite))
    return unreadable(text)
  const at = (name: (typeof counted)[number]): number => numbers[counted.indexOf(name)] ?? 0
  return {
    turn: at('turn'),
    retry: at('retry'),
    tries: at('tries'),
    waitedMs: at('waitedMs'),
    model: at('model'),
    corrections: at('corrections'),
    empties: at('empties'),
    continued: at('continued'),
    effects: at('effects'),
    source: at('source'),
    policy: at('policy'),
    opened: at('opened'),
    calls: at('calls'),
    tokens: at('tokens'),
    cost: at('cost'),
    activeMs: at('activeMs'),
    depth: at('depth'),
    children: at('children'),
    childTurns: at('childTurns'),
    restedAt: at('restedAt'),
    modelOpen: numbers.at(-1) === 1,
  }
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
const ratesText = /^[0-9a-z]+(?: [bfmsw]:[0-9a-z]+\.[0-9a-z]+\.[0-9a-z]+)*$/

/** The minute they stand for, then a word per capability; empty before the first call. */
export function packRates({ at, calls }: RunContext['rates']): string {
  const words = [...capabilities].flatMap(([letter, name]) => {
    const counts = Object.hasOwn(calls, name) ? calls[name] : undefined
    return counts ? [`${letter}:${counts.map((count) => count.toString(36)).join('.')}`] : []
  })
  return at === 0 ? '' : [at.toString(36), ...words].join(' ')
}

/** Reads `packRates` back. */
export function unpackRates(text: string): RunContext['rates'] {
  if (text === '') return noCalls
  if (!ratesText.test(text)) return unreadable(text)
  const [at = '', ...words] = wordsOf(text)
  const calls = words.map((word) => {
    const [minute = 0, hour = 0, day = 0] = word
      .slice(2)
      .split('.')
      .map((count) => Number.parseInt(count, 36))
    return [capabilities.get(word.charAt(0)) ?? '', [minute, hour, day] as const] as const
  })
  return { at: Number.parseInt(at, 36), calls: Object.fromEntries(calls) }
}

/** The words of a text, without empty ones. */
export const wordsOf = (text: string): readonly string[] => text.split(' ').filter(Boolean)

function unreadable(what: string): never {
  throw new Error(`the cached state is unreadable: ${what}`)
}
