/** The shape each limit of a table must have: one of another shape denies, it never counts as absent. */
import type { Json } from '@signalbox/core'
import { isAssured } from '../assurance.ts'
import { isCurrencyLimits } from './money.ts'
import { isClasses, isCriteria } from './nested.ts'
import type { FieldRule } from './rules.ts'
import { isAmount, isTexts } from './values.ts'

/** The shape that the value of a limit must have, in words; null if it has it. */
export function shapeProblem({ is }: FieldRule, value: Json): string | null {
  switch (is) {
    case 'allow':
    case 'block':
    case 'all':
    case 'paths':
    case 'endings':
    case 'pair':
    case 'texts':
      return isTexts(value) ? null : 'a list of texts'
    case 'most':
    case 'least':
    case 'age':
    case 'rate':
    case 'sum':
      return isAmount(value) ? null : 'a number of 0 or more'
    case 'given':
    case 'yes':
    case 'other':
    case 'no':
    case 'approval':
      return typeof value === 'boolean' ? null : 'true or false'
    case 'money':
      return isCurrencyLimits(value) ? null : 'an object of max_per_tx and daily_cap by currency'
    case 'classes':
      return isClasses(value)
        ? null
        : 'an object of allowed_entity_types and allowed_actions by class'
    case 'criteria':
      return isCriteria(value) ? null : 'a list of objects with an id'
    case 'level':
      return typeof value === 'string' && isAssured('L4FIN', value) ? null : 'a level, L0 to L4FIN'
    case 'elsewhere':
      return isAmount(value) || typeof value === 'boolean' ? null : 'a number or a flag'
  }
}
