/** Values that fit a JSON Schema of an OpenAPI document: as many kinds of them as the schema allows, small ones. */
import fc from 'fast-check'
import { z } from 'zod'
import { isIdName, standIns } from './known-ids.ts'

/** Anything that JSON can say. */
export type Json = z.infer<ReturnType<typeof z.json>>

/** Values to try for what is named like this: ids that are there, mostly. */
export type Hints = Readonly<Record<string, readonly string[]>>

/** What schemas are read with. */
export interface Reading {
  /** The whole document: references point into it. */
  readonly document: unknown
  readonly hints: Hints
}

const Limit = z.number().optional()
const Kinds = z.enum(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])
type Kind = z.infer<typeof Kinds>
const Schema = z.object({
  $ref: z.string().optional(),
  type: z.union([Kinds, z.array(Kinds)]).optional(),
  enum: z.array(z.json()).optional(),
  const: z.json().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  minItems: Limit,
  maxItems: Limit,
  minLength: Limit,
  maxLength: Limit,
  pattern: z.string().optional(),
  format: z.string().optional(),
  minimum: Limit,
  maximum: Limit,
})
type Schema = z.infer<typeof Schema>

/** Below this only what must be there. */
const depthMax = 6
const itemsMax = 3
const charsMax = 30

/** Values that fit. `name` is that of the field or parameter. */
export function valuesOf(
  reading: Reading,
  schema: unknown,
  name = '',
  depth = 0,
): fc.Arbitrary<Json> {
  if (depth > 2 * depthMax) return fc.constant(null)
  // `true`, and what is missing: anything.
  const node = Schema.parse(typeof schema === 'object' ? schema : {})
  const hinted = reading.hints[name] ?? (isIdName(name) ? standIns(name) : undefined)
  const made = ofNode(reading, node, name, depth)
  return hinted && mayBeText(node)
    ? fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...hinted) }, { weight: 1, arbitrary: made })
    : made
}

const mayBeText = ({ type }: Schema): boolean =>
  type === undefined || [type].flat().includes('string')

function ofNode(reading: Reading, node: Schema, name: string, depth: number): fc.Arbitrary<Json> {
  if (node.$ref !== undefined)
    return valuesOf(reading, resolved(reading.document, node.$ref), name, depth + 1)
  if (node.const !== undefined) return fc.constant(node.const)
  if (node.enum) return fc.constantFrom(...node.enum)
  const ways = node.anyOf ?? node.oneOf
  if (ways) return fc.oneof(...ways.map((way) => valuesOf(reading, way, name, depth + 1)))
  if (node.allOf)
    return fc
      .tuple(...node.allOf.map((part) => valuesOf(reading, part, name, depth + 1)))
      .map((parts) => Object.assign({}, ...parts.filter((part) => typeof part === 'object')))
  if (node.type === undefined)
    return fc.jsonValue({ maxDepth: 2 }).map((value) => z.json().parse(value))
  const kinds = [node.type].flat()
  return fc.oneof(...kinds.map((kind) => ofKind(reading, node, kind, depth)))
}

function ofKind(reading: Reading, node: Schema, kind: Kind, depth: number): fc.Arbitrary<Json> {
  const { minimum: min, maximum: max } = node
  switch (kind) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: min ?? -5, max: Math.min(max ?? 1000, (min ?? 0) + 1000) })
    case 'number':
      return fc.double({ noNaN: true, min: min ?? -1e9, max: max ?? 1e9 })
    case 'string':
      return textOf(node)
    case 'array':
      return fc.array(valuesOf(reading, node.items, '', depth + 1), {
        minLength: node.minItems ?? 0,
        maxLength: Math.max(node.minItems ?? 0, Math.min(node.maxItems ?? itemsMax, itemsMax)),
      })
    case 'object':
      return objectOf(reading, node, depth)
  }
}

function textOf({ format, pattern, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  if (format === 'uuid') return fc.uuid()
  if (format === 'uri') return fc.webUrl()
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const most = Math.max(minLength, Math.min(maxLength ?? charsMax, charsMax))
  return fc.string({ unit: 'grapheme', minLength, maxLength: most })
}

function objectOf(reading: Reading, node: Schema, depth: number): fc.Arbitrary<Json> {
  const { properties, required, additionalProperties } = node
  const names = Object.keys(properties).filter(
    (name) => depth < depthMax || required.includes(name),
  )
  const values = names.map((name) => {
    const value = valuesOf(reading, properties[name], name, depth + 1)
    if (required.includes(name)) return value
    if (reading.hints[name] || isIdName(name)) return sometimes(value, 12)
    // What may be anything is mostly what is refused.
    return sometimes(value, isTyped(properties[name]) ? 4 : 1)
  })
  const further =
    names.length === 0 && typeof additionalProperties === 'object' && depth < depthMax
      ? fc.dictionary(
          fc.string({ maxLength: 8 }),
          valuesOf(reading, additionalProperties, '', depth + 1),
          { maxKeys: 3 },
        )
      : fc.constant({})
  return fc.tuple(further, ...values).map(([more, ...each]) => ({
    ...more,
    ...Object.fromEntries(
      names.flatMap((name, n) => (each[n] === undefined ? [] : [[name, each[n]]])),
    ),
  }))
}

/** Most fields of most requests are absent, but for those that there are hints for. `weight` is out of twenty. */
const sometimes = (value: fc.Arbitrary<Json>, weight: number): fc.Arbitrary<Json | undefined> =>
  fc.oneof({ weight: 20 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary: value })

const isTyped = (schema: unknown): boolean => {
  const { type, $ref, enum: values, anyOf, oneOf, allOf } = Schema.parse(schema)
  return [type, $ref, values, anyOf, oneOf, allOf].some((each) => each !== undefined)
}

/** What a reference within the document names. */
export function resolved(document: unknown, ref: string): unknown {
  const parts = ref.replace(/^#\//, '').split('/')
  return parts.reduce<unknown>((at, part) => {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    return z.record(z.string(), z.unknown()).parse(at)[name]
  }, document)
}
