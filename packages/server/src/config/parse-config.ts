import { z } from 'zod'
import { ConfigError, type ConfigErrorCode, fieldPath } from './config-error.ts'
import { suggestion } from './nearest.ts'
import { Config } from './schema.ts'

/**
 * Checks a configuration and fills in its defaults.
 *
 * @throws ConfigError for the first mistake; the message says how many more there are
 */
export function parseConfig(value: unknown): Config {
  const parsed = Config.safeParse(value)
  if (parsed.success) return parsed.data
  const found = parsed.error.issues.flatMap((issue) => problems(issue, []))
  // A key that is misspelt is why another one is missing, so it is told first.
  const unknown = found.find(({ code }) => code === 'config_unknown_key')
  const first = unknown ?? found[0]
  if (!first) throw new ConfigError('config_invalid', z.prettifyError(parsed.error))
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : ''
  const where = first.field === '' ? 'configuration' : first.field
  throw new ConfigError(first.code, `${where}: ${first.message}${more}`, { field: first.field })
}

interface Problem {
  readonly code: ConfigErrorCode
  readonly field: string
  readonly message: string
}

type Issue = z.core.$ZodIssue

function problems(issue: Issue, base: readonly PropertyKey[]): readonly Problem[] {
  const path = [...base, ...issue.path]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        code: 'config_unknown_key',
        field: fieldPath([...path, key]),
        message: `there is no key "${key}" here.${suggestion(key, keysAt(path))}`,
      }))
    case 'invalid_union':
      return best(issue.errors, path) ?? [problem(issue, path)]
    case 'invalid_key':
      return [{ ...problem(issue, path), message: issue.issues[0]?.message ?? issue.message }]
    default:
      return [problem(issue, path)]
  }
}

/** Of the ways in which a union was not met, the one that came nearest. */
function best(ways: readonly (readonly Issue[])[], path: readonly PropertyKey[]) {
  const found = ways.map((way) => way.flatMap((issue) => problems(issue, path)))
  return found.sort((a, b) => a.length - b.length)[0]
}

function problem(issue: Issue, path: readonly PropertyKey[]): Problem {
  const custom = issue.code === 'custom' && issue.params?.['code'] === 'config_not_available'
  const provider = fieldPath(path).endsWith('guardrails.provider.use')
  return {
    code: custom || provider ? 'config_not_available' : 'config_invalid',
    field: fieldPath(path),
    message: issue.message,
  }
}

/** The keys that the schema knows at a path, looked up in its JSON Schema. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const root: unknown = z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' })
  let nodes = [root]
  for (const key of path) nodes = nodes.flatMap((node) => step(node, key))
  const keys = nodes
    .flatMap(choices)
    .flatMap((node) => Object.keys(member(node, 'properties') ?? {}))
  return [...new Set(keys)]
}

/** A member of a node, if it is an object. */
function member(node: unknown, key: string): object | null {
  const value: unknown = typeof node === 'object' && node ? Reflect.get(node, key) : null
  return typeof value === 'object' ? value : null
}

function choices(node: unknown): readonly unknown[] {
  const ways = member(node, 'anyOf')
  return Array.isArray(ways) ? ways.flatMap(choices) : [node]
}

function step(node: unknown, key: PropertyKey): readonly unknown[] {
  return choices(node).flatMap((choice) => {
    const named = member(member(choice, 'properties'), String(key))
    return named ?? member(choice, typeof key === 'number' ? 'items' : 'additionalProperties') ?? []
  })
}
