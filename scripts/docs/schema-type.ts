/** Zod schemas as words: what a field takes, for a table that people read. */
import * as core from '@signalbox/core'
import { z } from 'zod'

/** The schema as zod itself tells its kinds apart. */
export type Schema = z.core.$ZodTypes

/** Which kind of schema it is. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod hands out the base type of this union; `def.type` tells
export const schemaOf = (schema: z.core.$ZodType): Schema => schema as Schema

const jsonNames = new Map<unknown, string>([
  [core.JsonObjectSchema, 'JSON object'],
  [core.JsonSchema, 'JSON value'],
])

/** Schemas that core exports under a name, and that a page can therefore describe once. */
export const namedSchemas: ReadonlyMap<unknown, string> = new Map(
  Object.entries(core).flatMap(([name, value]): readonly (readonly [unknown, string])[] =>
    value instanceof z.ZodType && !jsonNames.has(value) ? [[value, name]] : [],
  ),
)

/** A schema without what makes it optional, nullable or defaulted. */
export function unwrap(schema: z.core.$ZodType): Schema {
  const known = schemaOf(schema)
  const { def } = known._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrap(def.innerType)
    default:
      return known
  }
}

/** The type of a schema in words. `link` writes the name of a schema that is described elsewhere. */
export function typeText(schema: z.core.$ZodType, link: (name: string) => string): string {
  const json = jsonNames.get(schema)
  if (json !== undefined) return json
  const name = namedSchemas.get(schema)
  if (name !== undefined) return link(name)
  const known = schemaOf(schema)
  const { def } = known._zod
  switch (def.type) {
    case 'string':
      return 'text'
    case 'number':
      return isWhole(known) ? 'whole number' : 'number'
    case 'boolean':
      return 'true or false'
    case 'literal':
      return def.values.map((value) => `\`${String(value)}\``).join(' or ')
    case 'enum':
      return Object.values(def.entries)
        .map((value) => `\`${String(value)}\``)
        .join(', ')
    case 'array':
      return `list of ${typeText(def.element, link)}`
    case 'object':
      return `{ ${Object.keys(def.shape).join(', ')} }`
    case 'record':
      return `object of ${typeText(def.valueType, link)}`
    case 'null':
      return 'null'
    case 'union':
      return def.options.map((option) => typeText(option, link)).join(' or ')
    case 'optional':
    case 'default':
    case 'prefault':
      return typeText(def.innerType, link)
    case 'nullable':
      return `${typeText(def.innerType, link)} or null`
    default:
      throw new Error(`no words for a schema of the type ${def.type}`)
  }
}

const isWhole = (schema: z.core.$ZodType): boolean => z.toJSONSchema(schema).type === 'integer'

/** Schemas below this one, itself left out. */
export function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = schemaOf(schema)._zod
  switch (def.type) {
    case 'object':
      return Object.values(def.shape)
    case 'array':
      return [def.element]
    case 'record':
      return [def.valueType]
    case 'union':
      return def.options
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return [def.innerType]
    default:
      return []
  }
}
