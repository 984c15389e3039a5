/** The JSON Schema of `signalbox.config.json`, for editors: made of the schema that checks it, with the words of the reference. */
import { z } from 'zod'
import { modulePath, ModulePath } from '../../packages/server/src/config/references.ts'
import { Config } from '../../packages/server/src/config/schema.ts'
import { keyMeanings } from './configuration.ts'

/** Where the file stands, from the root of the repository; the package ships it. */
export const configSchemaPath = 'packages/cli/config.schema.json'

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What JSON cannot hold: functions, and what is made of them. */
const nothing = { not: {} }
const isNothing = (node: unknown): boolean => isNode(node) && isNode(node['not'])
const onlyInPrograms = ['tools', 'scripts']

/** What the file must hold. */
export function configSchema(root: string): string {
  const meaningOf = keyMeanings(root)
  const { $schema, properties, ...schema } = z.toJSONSchema(Config, {
    io: 'input',
    unrepresentable: ({ zodSchema }) => {
      const { def } = zodSchema._zod
      if (def === ModulePath._zod.def) return { type: 'string', pattern: modulePath.source }
      return def.type === 'custom' ? nothing : 'any'
    },
  })
  const inJson = Object.entries(properties ?? {}).filter(([key]) => !onlyInPrograms.includes(key))
  const document = {
    $schema,
    title: 'Configuration of Signalbox',
    ...schema,
    properties: Object.fromEntries(inJson),
  }
  return `${JSON.stringify(described(document, '', meaningOf), null, 2)}\n`
}

type MeaningOf = (path: string) => string | null

/** A node with the words of its key, and all below it likewise. */
function described(node: unknown, path: string, meaningOf: MeaningOf): unknown {
  if (!isNode(node)) return node
  const words = path === '' ? null : meaningOf(path)
  return {
    ...(words === null ? {} : { description: plain(words) }),
    ...withParts(node, path, meaningOf),
  }
}

function withParts(node: Node, path: string, meaningOf: MeaningOf): Node {
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const parts = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (key === 'properties' && isNode(value)) {
      const inner = Object.entries(value).map(([name, child]) => [
        name,
        described(child, below(name), meaningOf),
      ])
      return [key, Object.fromEntries(inner)]
    }
    if (key === 'additionalProperties') return [key, described(value, below('<name>'), meaningOf)]
    if (key === 'items') return [key, described(value, `${path}[]`, meaningOf)]
    if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value)) {
      const ways = value.filter((way) => !isNothing(way))
      return [key, ways.map((way) => (isNode(way) ? withParts(way, path, meaningOf) : way))]
    }
    return [key, value]
  })
  return Object.fromEntries(parts)
}

/** Links lead nowhere in an editor. */
const plain = (words: string): string => words.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
