/**
 * Requests for an operation: right ones, and ones of which a part is wrong. What is right is taken from the document, so an
 * operation that is new there is fuzzed without a change here.
 */
import fc from 'fast-check'
import { type Draft, encoded, written } from './draft.ts'
import type { FuzzedOperation, Parameter } from './operations.ts'
import type { FuzzRequest } from './request.ts'
import { type Hints, type Json, type Reading, valuesOf } from './schema-values.ts'
import { fault, spoilt } from './strange.ts'
import { wrongParts } from './wrong-parts.ts'

/** What requests are made from. */
export interface Material extends Reading {
  readonly operations: readonly FuzzedOperation[]
  readonly hints: Hints
  /** Path parameters that belong together, by name. */
  readonly places: readonly Readonly<Record<string, string>>[]
  /** The key of the server. */
  readonly apiKey: string
}

/** Any request to any operation. */
export function requests(material: Material): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...material.operations.map((operation) =>
      fc
        .tuple(right(material, operation), wrongParts(operation))
        .map(([draft, changes]) => written(changes.reduce((made, change) => change(made), draft))),
    ),
  )
}

/** A request that the document allows. */
function right(material: Material, operation: FuzzedOperation): fc.Arbitrary<Draft> {
  const { method, path, parameters, body } = operation
  const values = parameters.map((parameter) => parameterValue(material, parameter))
  const json = body ? valuesOf(material, body.schema) : fc.constant(undefined)
  const parts = {
    json,
    wrong: sometimes(fault),
    given: fc.tuple(...values),
    place: placeOf(material),
  }
  return fc.record(parts).map(({ json: value, wrong, given, place }) => {
    const made = value === undefined || wrong === null ? value : spoilt(value, wrong)
    const named = parameters.flatMap((parameter, n) => {
      const text = (parameter.in === 'path' ? place[parameter.name] : undefined) ?? given[n]
      return text === null || text === undefined ? [] : [{ parameter, text }]
    })
    const of = (where: Parameter['in']): (readonly [string, string])[] =>
      named
        .filter(({ parameter }) => parameter.in === where)
        .map(({ parameter, text }) => [parameter.name, text])
    const params = new Map(of('path'))
    return {
      method,
      path: path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
        encoded(params.get(name) ?? 'missing'),
      ),
      query: of('query').map(([name, text]) => [encoded(name), encoded(text)]),
      headers: [
        ['authorization', `Bearer ${material.apiKey}`],
        ...of('header'),
        ...(made === undefined ? [] : [['content-type', 'application/json'] as const]),
      ],
      body: made === undefined ? null : { text: JSON.stringify(made), encoding: 'utf8' },
    }
  })
}

const sometimes = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })

/** Mostly one that is there, so that the other checks behind it are reached. */
const placeOf = ({ places }: Material): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...places) },
    { weight: 2, arbitrary: fc.constant({}) },
  )

/** The text of a parameter; null to leave it out. */
function parameterValue(material: Material, parameter: Parameter): fc.Arbitrary<string | null> {
  const value = valuesOf(material, parameter.schema, parameter.name).map(asText)
  if (parameter.in === 'path') return value.filter((text) => text !== '')
  return parameter.required ? value : fc.option(value, { freq: 3, nil: null })
}

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
