import { z } from 'zod'
import { ConfigError, type ConfigErrorCode, fieldPath } from './config-error.ts'
import { keysAt } from './known-keys.ts'
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
  const found = parsed.error.issues.flatMap((issue) => problems(issue, [], value))
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

function problems(issue: Issue, base: readonly PropertyKey[], value: unknown): readonly Problem[] {
  const path = [...base, ...issue.path]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        code: 'config_unknown_key',
        field: fieldPath([...path, key]),
        message: `there is no key "${key}" here.${suggestion(key, keysAt(path, value))}`,
      }))
    case 'invalid_union':
      return best(issue.errors, path, value) ?? [problem(issue, path)]
    case 'invalid_key':
      return [{ ...problem(issue, path), message: issue.issues[0]?.message ?? issue.message }]
    default:
      return [problem(issue, path)]
  }
}

/**
 * Of the ways in which a union was not met, the one that came nearest: not one that is of another kind altogether, nor
 * one whose `use` is another word. Null if there is none: then the union says what it takes.
 */
function best(
  ways: readonly (readonly Issue[])[],
  path: readonly PropertyKey[],
  value: unknown,
): readonly Problem[] | null {
  const here = fieldPath(path)
  const used = fieldPath([...path, 'use'])
  const ranked = ways
    .map((way) => way.flatMap((issue) => problems(issue, path, value)))
    .filter((found) => found.length > 0 && found.every(({ field }) => field !== here))
    .map((found) => ({ found, other: found.some(({ field }) => field === used) ? 1 : 0 }))
    .sort((a, b) => a.other - b.other || a.found.length - b.found.length)
  return ranked[0]?.found ?? null
}

const problem = (issue: Issue, path: readonly PropertyKey[]): Problem => ({
  code: 'config_invalid',
  field: fieldPath(path),
  message: issue.message,
})
