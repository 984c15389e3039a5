/** The keys that a configuration may have at a place, for whoever misspelt one. */
import { z } from 'zod'
import { Config } from './schema.ts'

/** The keys that the schema knows at a path of `value`, looked up in its JSON Schema. */
export function keysAt(path: readonly PropertyKey[], value: unknown): readonly string[] {
  let nodes: readonly unknown[] = [z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' })]
  let at = value
  for (const key of path) {
    nodes = nodes.flatMap((node) => step(node, key))
    at = typeof at === 'object' && at ? Reflect.get(at, key) : undefined
  }
  const found = nodes.flatMap(choices)
  const use: unknown = typeof at === 'object' && at ? Reflect.get(at, 'use') : undefined
  const meant = found.filter((node) => constOf(node) === use)
  const keys = (meant.length > 0 ? meant : found).flatMap((node) =>
    Object.keys(member(node, 'properties') ?? {}),
  )
  return [...new Set(keys)]
}

/** The word that `use` must be for a choice to be meant. */
function constOf(node: unknown): unknown {
  const use = member(member(node, 'properties'), 'use')
  return use === null ? undefined : Reflect.get(use, 'const')
}

/** A member of a node, if it is an object. */
function member(node: unknown, key: string): object | null {
  const value: unknown = typeof node === 'object' && node ? Reflect.get(node, key) : null
  return typeof value === 'object' ? value : null
}

function choices(node: unknown): readonly unknown[] {
  const ways = member(node, 'anyOf') ?? member(node, 'oneOf')
  return Array.isArray(ways) ? ways.flatMap(choices) : [node]
}

function step(node: unknown, key: PropertyKey): readonly unknown[] {
  return choices(node).flatMap((choice) => {
    const named = member(member(choice, 'properties'), String(key))
    return named ?? member(choice, typeof key === 'number' ? 'items' : 'additionalProperties') ?? []
  })
}
