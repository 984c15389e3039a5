/** Values of the fields that an agent declares. */
import type { RunField } from '@signalbox/core'

const textCharsMax = 1000

export type FieldValue = string | number | boolean

/** Does the field take it? */
export function takes({ type, values }: RunField, value: unknown): value is FieldValue {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return false
  if (typeof value !== type || (typeof value === 'string' && value.length > textCharsMax))
    return false
  return values === undefined || values.includes(value)
}

/** What a field takes, ready to follow its name. */
export function takesWhat({ type, values }: RunField): string {
  if (values) return `takes one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  return {
    string: `takes a text of at most ${textCharsMax} characters`,
    number: 'takes a number',
    boolean: 'takes true or false',
  }[type]
}
