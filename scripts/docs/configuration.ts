/** The table of configuration keys, made of the schema that checks them. */
import { join } from 'node:path'
import { z } from 'zod'
import { ModulePath } from '../../packages/server/src/config/references.ts'
import { Config } from '../../packages/server/src/config/schema.ts'
import { configurationNotes } from './configuration-notes.ts'
import { type DocComments, readDocComments } from './doc-comments.ts'
import { table } from './markdown.ts'
import { schemaOf, typeText, unwrap } from './schema-type.ts'

/** Where comments of a key are looked for: the constant that declares it, by the path of the key. */
const declarations: readonly (readonly [string, string])[] = [
  ['agents.<name>.model', 'ModelConfig'],
  ['agents.<name>.safety.detectors[]', 'DetectorConfig'],
  ...['Allowlist', 'Passport', 'Cedar', 'Http', 'Module'].map(
    (constant) => ['agents.<name>.guardrails.provider', constant] as const,
  ),
  ...['PiiSpec', 'SecretsSpec', 'BannedTermsSpec', 'PatternsSpec'].map(
    (constant) => ['agents.<name>.guardrails.stream[]', constant] as const,
  ),
  ['agents.<name>.guardrails', 'GuardrailsConfig'],
  ['agents.<name>.loop', 'LoopConfig'],
  ['agents.<name>.context', 'ContextConfig'],
  ['agents.<name>', 'AgentConfig'],
  ['mcpServers.<name>', 'McpStdioConfig'],
  ['mcpServers.<name>', 'McpHttpConfig'],
  ['mcpServers.<name>', 'common'],
  ['webhooks.endpoints.<name>', 'Endpoint'],
  ['webhooks', 'WebhooksSection'],
  ['sandbox.limits', 'Limits'],
  ['sandbox.network', 'Allowed'],
  ['sandbox', 'SandboxConfig'],
  ['runLimits[]', 'LaneRule'],
  ['server.identity', 'Identity'],
  ['server', 'ServerSection'],
  ['', 'Config'],
  ['agents.<name>', 'AgentDefinition'],
]

const sources = [
  'packages/core/src/definition.ts',
  'packages/core/src/verdict/context/config.ts',
  'packages/core/src/verdict/loop/config.ts',
  'packages/core/src/verdict/stream/spec.ts',
  'packages/server/src/config/agent-schema.ts',
  'packages/server/src/config/guardrails-schema.ts',
  'packages/server/src/config/lanes-schema.ts',
  'packages/server/src/config/provider-schema.ts',
  'packages/server/src/config/schema.ts',
  'packages/server/src/config/server-schema.ts',
  'packages/server/src/config/webhooks-schema.ts',
  'packages/tools/src/mcp/config.ts',
  'packages/tools/src/sandbox/config.ts',
]

/** Keys whose own keys stand in the table already, under another path. */
const repeated = ['agents.<name>.fallbackModels[]']

interface Row {
  /** What it takes, in words: more than one where kinds of the object differ. */
  readonly takes: readonly string[]
  readonly standard: string
  readonly meaning: string
}

/** One row per key: what it takes, its default, what it does. Throws for a key that nothing describes. */
export function configurationTable(root: string): string {
  const meaningOf = keyMeanings(root)
  const describe = (path: string): string => {
    const words = meaningOf(path)
    if (words !== null) return words
    throw new Error(`nothing describes the key ${path}: write a doc comment, or a note`)
  }
  const rows = new Map<string, Row>()
  walk(Config, '', (path, schema) => {
    if (path === '' || path.endsWith('[]')) return
    const known = rows.get(path)
    const words = takes(schema)
    if (known) {
      if (!known.takes.includes(words)) rows.set(path, { ...known, takes: [...known.takes, words] })
      return
    }
    const standard = path.endsWith('<name>') ? '' : defaultOf(schema)
    rows.set(path, { takes: [words], standard, meaning: describe(path) })
  })
  return table(
    ['key', 'takes', 'default', 'meaning'],
    [...rows].map(([path, { takes: words, standard, meaning }]) => [
      `\`${path}\``,
      words.join(' or '),
      standard,
      meaning,
    ]),
  )
}

type Visit = (path: string, schema: z.core.$ZodType) => void

function walk(schema: z.core.$ZodType, path: string, visit: Visit): void {
  const inner = unwrap(schema)
  const { def } = inner._zod
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  if (repeated.includes(path)) return
  visit(path, schema)
  if (def.type === 'object')
    for (const [name, field] of Object.entries(def.shape)) walk(field, below(name), visit)
  if (def.type === 'record' && isObject(def.valueType)) walk(def.valueType, below('<name>'), visit)
  if (def.type === 'union')
    for (const option of def.options) if (isObject(option)) walk(option, path, visit)
  if (def.type === 'array' && isObject(def.element)) walk(def.element, `${path}[]`, visit)
}

function isObject(schema: z.core.$ZodType): boolean {
  const { def } = unwrap(schema)._zod
  return def.type === 'object' || (def.type === 'union' && def.options.some(isObject))
}

function takes(schema: z.core.$ZodType): string {
  const inner = unwrap(schema)
  const { def } = inner._zod
  if (def.type === 'object' || (def.type === 'union' && isObject(inner))) return 'object'
  if (def.type === 'record') return 'object, by name'
  if (def === ModulePath.def) return '`./file.ts#export`'
  if (def.type === 'custom') return 'function'
  if (def.type === 'array' && unwrap(def.element)._zod.def.type === 'custom') return 'list of tools'
  if (def.type === 'array' && isObject(def.element)) return 'list of objects'
  return `${typeText(inner, (name) => name)}${range(inner)}`
}

/** `, from 1 to 40`, as far as there are bounds that say something. The next whole number above 0 is 1, the next number is none. */
function range(schema: z.core.$ZodType): string {
  const bounds = Bounds.parse(z.toJSONSchema(schema, { unrepresentable: 'any' }))
  const { type, minimum, exclusiveMinimum: above, maximum } = bounds
  const from = minimum ?? (above !== undefined && type === 'integer' ? above + 1 : undefined)
  const words = [
    ...(from === undefined || from <= -1e9 ? [] : [`from ${from}`]),
    ...(from === undefined && above !== undefined ? [`above ${above}`] : []),
    ...(maximum === undefined || maximum >= 1e15 ? [] : [`to ${maximum}`]),
  ]
  return words.length === 0 ? '' : `, ${words.join(' ')}`
}

const Bounds = z.object({
  type: z.string().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
})

function defaultOf(schema: z.core.$ZodType): string {
  const { def } = schemaOf(schema)._zod
  if (def.type === 'optional') return 'absent'
  if (def.type === 'prefault') return '`{}`'
  if (def.type === 'default') return `\`${JSON.stringify(def.defaultValue)}\``
  return '**required**'
}

/** What a key does, in words, by its path such as `agents.<name>.model`; null if nothing says it. */
export function keyMeanings(root: string): (path: string) => string | null {
  const docs = readDocComments(sources.map((file) => join(root, file)))
  return (path) => configurationNotes[path] ?? commentOf(path, docs)
}

function commentOf(path: string, docs: DocComments): string | null {
  for (const [prefix, constant] of declarations) {
    if (prefix !== '' && !path.startsWith(`${prefix}.`)) continue
    const found = docs.get(`${constant}.${prefix === '' ? path : path.slice(prefix.length + 1)}`)
    if (found !== undefined) return found
  }
  return null
}
