/** Checks the limits that are comparisons of fields, as the table of a capability says. */
import { type Json, type PolicyReason, reason, quoted } from '@signalbox/core'
import { isAssured } from '../assurance.ts'
import { canonicalPath, isPathAllowed } from '../files/canonical-path.ts'
import { badContext, checkRate, type LimitedCall } from '../limit-check.ts'
import { endingsOf } from '../limit-shape.ts'
import { millisecondsOf } from '../timestamp.ts'
import { checkDailySum, checkMoney } from './money.ts'
import { checkClasses, checkCriteria } from './nested.ts'
import type { Arguments, FieldRule, FieldTable } from './rules.ts'
import { isAmount, textsIn, valuesUnder, wordsUnder } from './values.ts'

/** A call, and the level of the passport that allows it. */
interface FieldCall extends LimitedCall {
  readonly assurance: string
}

/** One limit of the passport: its name, its value, and what the table says about it. */
interface FieldLimit {
  readonly key: string
  readonly value: Json
  readonly rule: FieldRule
}

/** The first refusal in the order of the table. The limits have the shapes they must have. */
export function checkFields(table: FieldTable, call: FieldCall): PolicyReason | null {
  for (const [key, rule] of Object.entries(table)) {
    const value = Object.hasOwn(call.limits, key) ? call.limits[key] : undefined
    if (value === undefined) continue
    const refused = checkField(call, { key, value, rule })
    if (refused) return refused
  }
  return null
}

const refusal = (
  { capability }: LimitedCall,
  { key, rule }: FieldLimit,
  why: string,
): PolicyReason =>
  reason(
    `oap.${'code' in rule ? rule.code : 'limit_exceeded'}`,
    `limits.${capability}.${key} forbids this call: ${why}.`,
  )

const lacks = ({ capability }: LimitedCall, { key, rule }: FieldLimit): PolicyReason => {
  const names = 'args' in rule ? rule.args.map((name) => `"${name}"`).join(' or ') : ''
  return badContext(`limits.${capability}.${key} is compared with ${names}: the call must have it.`)
}

function checkField(call: FieldCall, limit: FieldLimit): PolicyReason | null {
  const { key, rule, value } = limit
  const bound = typeof value === 'number' ? value : 0
  switch (rule.is) {
    case 'allow':
    case 'block':
    case 'all':
    case 'paths':
    case 'endings':
    case 'pair':
      return checkWords(call, limit, rule.args)
    case 'texts':
      return checkTexts(call, limit, rule.args)
    case 'most':
    case 'least':
      return checkSizes(call, limit, { ...rule, bound })
    case 'age':
      return checkAge(call, limit, rule.args)
    case 'given':
    case 'yes':
    case 'other':
    case 'no':
      return checkFlag(call, limit, rule)
    case 'rate':
      return checkRate(call, { key, most: bound, window: rule.window })
    case 'sum':
      return checkDailySum(call, { args: rule.args, most: bound })
    case 'money':
      return checkMoney(call, value)
    case 'classes':
      return checkClasses(call, value)
    case 'criteria':
      return checkCriteria(call, value)
    case 'level':
      return isAssured(call.assurance, typeof value === 'string' ? value : '')
        ? null
        : reason('oap.assurance_insufficient', `The passport has ${quoted(call.assurance)}.`)
    case 'approval':
    case 'elsewhere':
      return null
  }
}

const listed = (value: Json): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

function checkWords(call: FieldCall, limit: FieldLimit, args: Arguments): PolicyReason | null {
  const words = wordsUnder(call.request.args, args)
  if (words === null) return lacks(call, limit)
  const list = listed(limit.value)
  if (limit.rule.is === 'all') {
    const missing = list.find((each) => !words.includes(each))
    return missing === undefined ? null : refusal(call, limit, `${quoted(missing)} is missing`)
  }
  const stranger = words.find((word) => !passes(limit.rule.is, word, { list, root: call.root }))
  return stranger === undefined ? null : refusal(call, limit, `it has ${quoted(stranger)}`)
}

interface Compared {
  readonly list: readonly string[]
  readonly root: string | null
}

function passes(is: FieldRule['is'], word: string, { list, root }: Compared): boolean {
  if (is === 'block') return !list.some((each) => each === '*' || each === word)
  if (list.includes('*')) return true
  if (is === 'paths') return list.some((entry) => isBelow(entry, word, root))
  if (is === 'endings') {
    const lower = word.toLowerCase()
    return endingsOf(list).some((ending) => ending.length > 1 && lower.endsWith(ending))
  }
  if (is === 'pair') {
    const tokens = word.split(/[/_:-]/)
    return tokens.length === 2 && tokens.every((token) => list.includes(token))
  }
  return list.includes(word)
}

function isBelow(entry: string, text: string, root: string | null): boolean {
  const read = canonicalPath(text, root)
  return read.ok && isPathAllowed(entry, { path: read.path, root })
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ')

/** Letter case and spaces make no difference. */
function checkTexts(call: FieldCall, limit: FieldLimit, args: Arguments): PolicyReason | null {
  const texts = valuesUnder(call.request.args, args).flatMap(textsIn).map(plain)
  const hit = listed(limit.value).find(
    (pattern) => pattern !== '' && texts.some((text) => text.includes(plain(pattern))),
  )
  return hit === undefined ? null : refusal(call, limit, `it has ${quoted(hit)}`)
}

type SizeRule = Extract<FieldRule, { readonly is: 'most' | 'least' }> & { readonly bound: number }

function checkSizes(call: FieldCall, limit: FieldLimit, rule: SizeRule): PolicyReason | null {
  const values = valuesUnder(call.request.args, rule.args)
  const sizes = values.flatMap((value) => sizeOf(value, rule.of) ?? [])
  if (values.length === 0 || sizes.length < values.length) return lacks(call, limit)
  const { bound } = rule
  const over = sizes.find((size) => (rule.is === 'most' ? size > bound : size < bound))
  return over === undefined ? null : refusal(call, limit, `${over} where the limit is ${bound}`)
}

function sizeOf(value: Json, of: SizeRule['of']): number | null {
  if (of === 'number') return Array.isArray(value) ? value.length : isAmount(value) ? value : null
  if (typeof value !== 'string') return null
  return of === 'chars' ? value.length : value.split(/\s+/).filter((word) => word !== '').length
}

/** A time in the future is no younger than one of now, and is refused: it would never become too old. */
function checkAge(call: FieldCall, limit: FieldLimit, args: Arguments): PolicyReason | null {
  const words = wordsUnder(call.request.args, args)
  const times = words?.map(millisecondsOf)
  if (times === undefined || times.includes(null)) return lacks(call, limit)
  const most = (typeof limit.value === 'number' ? limit.value : 0) * 1000
  const ages = times.map((time) => call.request.at - (time ?? 0))
  // Two clocks may differ by a minute.
  const wrong = ages.find((age) => age > most || age < -60_000)
  return wrong === undefined
    ? null
    : refusal(call, limit, `it is ${Math.round(wrong / 1000)} s old`)
}

type FlagRule = Extract<FieldRule, { readonly is: 'given' | 'yes' | 'other' | 'no' }>

function checkFlag(call: FieldCall, limit: FieldLimit, rule: FlagRule): PolicyReason | null {
  const values = valuesUnder(call.request.args, rule.args)
  if (rule.is === 'no') {
    const isOff = limit.value !== false || values.every((value) => value === false)
    return isOff ? null : refusal(call, limit, `"${rule.args[0]}" must be absent or false`)
  }
  if (limit.value !== true) return null
  if (rule.is === 'yes') {
    const holds = values.length > 0 && values.every((value) => value === true)
    return holds ? null : refusal(call, limit, `"${rule.args[0]}" must be true`)
  }
  const words = values.filter((value) => !isBlank(value))
  if (words.length === 0) return refusal(call, limit, `"${rule.args[0]}" must be there`)
  if (rule.is === 'given') return null
  const authors = ['author_id', 'agent_id'].map((name) => call.request.args[name])
  const isOther = words.every(
    (word) => typeof word === 'string' && word !== call.request.agent && !authors.includes(word),
  )
  return isOther ? null : refusal(call, limit, 'somebody else must have reviewed it')
}

const isBlank = (value: Json): boolean =>
  value === null || (typeof value === 'string' && value.trim() === '')
