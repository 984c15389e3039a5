/**
 * What makes two calls the same call: a key per call, and one per set of calls. The key leaves out what a model varies
 * without doing anything else, and keeps what makes a difference.
 *
 * K1 The order of keys in an object and of calls in a set says nothing.
 * K2 What reads is told apart by what it asks for: another `limit` or `reason` is the same call, and so are other blanks and
 *    capitals. What writes is told apart by all
 *    of its arguments: another draft, another row, another request body is another call.
 *    Of what starts a run of an agent that it names, the agent and the prompt.
 * K3 Total: whatever a model sends as arguments has a key.
 */
import type { EffectMode, ToolSpec } from '../../definition.ts'
import type { Json, JsonObject } from '../../json.ts'
import { limits } from '../../limits.ts'

/** Fields that say what a call does, for tools that are not told apart below: those of them that it names. */
const salient = ['path', 'url', 'query', 'command', 'pattern', 'glob', 'cmd'] as const

/** Fields that select besides: with these a call of the same tool for the same thing asks for something else. */
const selecting = [
  'params',
  'parameters',
  'variables',
  'bindings',
  'values',
  'args',
  'arguments',
  'method',
  'body',
  'data',
  'filter',
  'filters',
  'where',
  'operation',
  'action',
  'repo',
  'repository',
  'owner',
  'branch',
  'ref',
  'id',
  'name',
  'database',
  'table',
] as const

/** Tools whose every argument is content: other content is another call. */
const contentTools: readonly string[] = ['write_file', 'str_replace']

/** Lines of a file that count as one place. */
const bucketLines = 200

/**
 * The key of one call. Arguments that came as JSON text have the key of what the text says; text that is no JSON
 * object stands for itself. `effect`: of the tool; a tool that nobody knows counts as one that reads.
 */
export function callKey(name: string, args: Json, effect: EffectMode = 'read'): string {
  const fields = valueOf(args)
  if (!isObject(fields)) return canonical(fields)
  if (effect !== 'read' || contentTools.includes(name)) return canonical(fields)
  if (name === 'read_file' && has(fields, 'path')) return placeKey(fields)
  const named = salient.filter((field) => has(fields, field))
  if (named.length === 0) return canonical(fields)
  const asked = named.map((field) => [field, worded(fields[field] ?? null)])
  const selected = selecting.filter((field) => has(fields, field))
  const wanted = [...asked, ...selected.map((field) => [field, fields[field] ?? null])]
  return canonical(Object.fromEntries(wanted))
}

/** Words without what makes no other question of them: blanks and capitals. Where they matter, the results are others. */
const worded = (value: Json): Json =>
  typeof value === 'string' ? value.trim().replaceAll(/\s+/g, ' ').toLowerCase() : value

/** The key of a set of calls: each `tool:key`, sorted, one per line. The shell makes the digest of it. */
export const setKey = (
  calls: readonly { readonly name: string; readonly args: Json }[],
  toolOf: (name: string) => CalledTool | undefined = () => undefined,
): string =>
  calls
    .map(({ name, args }) => `${JSON.stringify(name)}:${keyBy(toolOf(name), name, args)}`)
    .toSorted()
    .join('\n')

/** The tool of a call, as far as its key depends on it. */
type CalledTool = Pick<ToolSpec, 'effect' | 'runs'>

/** A call that names the agent of the run it starts asks for that, whatever it calls it. */
function keyBy(tool: CalledTool | undefined, name: string, args: Json): string {
  const isTask = typeof tool?.runs === 'object' && isObject(args)
  return isTask
    ? canonical({ agent: args['agent'] ?? null, prompt: args['prompt'] ?? null })
    : callKey(name, args, tool?.effect)
}

const has = (fields: JsonObject, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name] !== null

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of the arguments: text is read as JSON where it is some, null is no arguments. */
function valueOf(args: Json): Json {
  if (args === null) return {}
  if (typeof args !== 'string') return args
  try {
    const value: Json = JSON.parse(args)
    return value
  } catch {
    return args
  }
}

/** Path and the first and last bucket of lines, for the names of ours and of others. A whole file is its beginning. */
function placeKey(fields: JsonObject): string {
  const start = lineOf(fields['start_line'] ?? fields['startLine']) ?? 1
  const lines = lineOf(fields['lineCount'])
  const counted = lines === null ? start : start + lines - 1
  const end = lineOf(fields['end_line'] ?? fields['endLine']) ?? counted
  const [from, to] = [bucketOf(Math.min(start, end)), bucketOf(Math.max(start, end))]
  return canonical({ path: fields['path'] ?? null, lines: `${from}-${to}` })
}

const bucketOf = (line: number): number => Math.floor((Math.max(line, 1) - 1) / bucketLines)

/** A whole number, or a text that is one; null for anything else. */
function lineOf(value: Json | undefined): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : null
  if (typeof value !== 'string') return null
  const digits = value.trim()
  return /^[+-]?\d{1,15}$/.test(digits) ? Number(digits) : null
}

/** JSON with sorted keys. Deeper than any arguments may be, it no longer looks: text nested without end has a key too. */
function canonical(value: Json, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth > limits.jsonDepthMax) return '"…"'
  if (!isObject(value)) return `[${value.map((each) => canonical(each, depth + 1)).join(',')}]`
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const written = fields.map(
    ([key, each]) => `${JSON.stringify(key)}:${canonical(each, depth + 1)}`,
  )
  return `{${written.join(',')}}`
}
