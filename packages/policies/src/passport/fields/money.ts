/** Amounts per currency, and sums over the calls of a run. */
import {
  type Json,
  type JsonObject,
  type PolicyReason,
  rateOf,
  reason,
  quoted,
  type CallTally,
} from '@signalbox/core'
import { badContext, type LimitedCall } from '../limit-check.ts'
import type { FieldTable } from './rules.ts'
import { isAmount, isObject, valuesUnder } from './values.ts'

/** A sum stands in the state of a run under this key; `currency` is empty for sums without one. */
const sumKey = (capability: string, currency: string): string => `${capability}:${currency}`

/** `{ EUR: { max_per_tx, daily_cap } }` and nothing else, with names of currencies that a state can hold. */
export const isCurrencyLimits = (value: Json): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([currency, each]) =>
      /^[A-Za-z0-9]{2,12}$/.test(currency) &&
      isObject(each) &&
      Object.entries(each).every(
        ([key, most]) => (key === 'max_per_tx' || key === 'daily_cap') && isAmount(most),
      ),
  )

/** Amount and currency of a payment; null if they are not exactly one each. */
function paymentOf(
  args: JsonObject,
): { readonly amount: number; readonly currency: string } | null {
  const amount = args['amount']
  const currency = args['currency']
  const isWhole = isAmount(amount) && Number.isSafeInteger(amount) && amount > 0
  return isWhole && typeof currency === 'string' ? { amount, currency } : null
}

/** Refuses an amount beyond the limit of its currency. Amounts are integers in minor units. */
export function checkMoney(call: LimitedCall, limits: Json): PolicyReason | null {
  const payment = paymentOf(call.request.args)
  if (payment === null)
    return badContext(
      'The call must have an "amount" above 0, an integer in minor units of its "currency".',
    )
  const { amount, currency } = payment
  const own = isObject(limits) && Object.hasOwn(limits, currency) ? limits[currency] : undefined
  if (!isObject(own)) {
    const text = `${quoted(currency)} is not in limits.${call.capability}.currency_limits.`
    return reason('oap.currency_unsupported', text)
  }
  const most = own['max_per_tx']
  if (typeof most === 'number' && amount > most) {
    const text = `limits.${call.capability}.currency_limits.${currency}.max_per_tx is ${most}.`
    return reason('oap.limit_exceeded', text)
  }
  const cap = own['daily_cap']
  return typeof cap === 'number' ? checkSum(call, { currency, amount, most: cap }) : null
}

interface Added {
  readonly currency: string
  readonly amount: number
  readonly most: number
}

function checkSum(call: LimitedCall, { currency, amount, most }: Added): PolicyReason | null {
  const { capability, recent, request } = call
  const key = sumKey(capability, currency)
  const before = rateOf(recent, key, { window: 'day', at: request.at })
  if (before + amount <= most) return null
  const text = `The calls of this run may come to ${most} a day (limits.${capability}); they are at ${before}.`
  return reason('oap.limit_exceeded', text)
}

/** Refuses a call whose amount would bring the day's sum of its run above the limit. */
export function checkDailySum(
  call: LimitedCall,
  { args, most }: { readonly args: readonly string[]; readonly most: number },
): PolicyReason | null {
  const amount = amountOf(call.request.args, args)
  if (amount === null)
    return badContext(`The call must have a number of 0 or more in "${args[0]}".`)
  return checkSum(call, { currency: '', amount, most })
}

/** The sum of all values under the names, rounded up; null if there is none, or one that is no amount. */
function amountOf(args: JsonObject, names: readonly string[]): number | null {
  const values = valuesUnder(args, names)
  if (values.length === 0 || !values.every((value) => isAmount(value))) return null
  return Math.ceil(values.reduce((sum: number, value) => sum + value, 0))
}

/** The amounts that an allowed call adds to the counts and sums that the limits of its capability look at. */
export function talliesOf(
  capability: string,
  { table, limits }: { readonly table: FieldTable; readonly limits: JsonObject },
  args: JsonObject,
): readonly CallTally[] {
  const rules = Object.keys(table).flatMap((key) => {
    const rule = Object.hasOwn(limits, key) ? table[key] : undefined
    return rule === undefined ? [] : [rule]
  })
  const counts = rules.some(({ is }) => is === 'rate') ? [{ key: capability, by: 1 }] : []
  const sums = rules.flatMap((rule): readonly CallTally[] => {
    const amount = rule.is === 'sum' ? amountOf(args, rule.args) : null
    return amount === null ? [] : [{ key: sumKey(capability, ''), by: amount }]
  })
  const payment = rules.some(({ is }) => is === 'money') ? paymentOf(args) : null
  const paid =
    payment === null ? [] : [{ key: sumKey(capability, payment.currency), by: payment.amount }]
  return [...counts, ...sums, ...paid]
}
