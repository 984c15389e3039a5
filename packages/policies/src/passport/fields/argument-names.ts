/** The names of arguments that limits of fields are compared with. */
import type { Arguments, FieldRule, FieldTable } from './rules.ts'

const namesOfRule = (rule: FieldRule): Arguments => {
  if ('args' in rule) return rule.args
  if (rule.is === 'money') return ['amount', 'currency']
  if (rule.is === 'classes') return ['data_classification', 'accessing_entity_type', 'action']
  return rule.is === 'criteria' ? ['criteria_attestations'] : []
}

/** The names that the limits of one table look at; some go into objects: `items.category`. */
export const argumentNamesOf = (table: FieldTable): readonly string[] =>
  Object.values(table).flatMap(namesOfRule)
