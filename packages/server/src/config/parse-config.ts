import { issueWords } from '@signalbox/core'
import type { z } from 'zod'
import { checkLimitedAgents } from './check-limited-agents.ts'
import { checkToolNames } from './check-tool-names.ts'
import { ConfigError, type ConfigErrorCode, fieldPath } from './config-error.ts'
import { keysAt } from './known-keys.ts'
import { meant, suggestion } from './nearest.ts'
import { Config } from './schema.ts'

/**
 * Checks a configuration and fills in its defaults.
 *
 * @throws ConfigError for the first mistake; the message says how many more there are
 */
export function parseConfig(value: unknown): Config {
  const parsed = Config.safeParse(value, { error: words })
  if (parsed.success) {
    checkToolNames(parsed.data.tools)
    checkLimitedAgents(parsed.data)
    return parsed.data
  }
  const found = parsed.error.issues.flatMap((issue) => problems(issue, [], value))
  // A key that is misspelt is why another one is missing, so it is told first.
  const unknown = found.find(({ code }) => code === 'config_unknown_key')
  const first = unknown ?? found[0]
  if (!first) throw new ConfigError('config_invalid', 'the configuration cannot be used')
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : ''
  const where = first.field === '' ? 'configuration' : first.field
  throw new ConfigError(first.code, `${where}: ${first.message}${more}`, { field: first.field })
}

/** As everywhere, and for a misspelt word the one that was probably meant. */
function words(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string') return issueWords(issue)
  const known = issue.values.filter((value) => typeof value === 'string')
  if (known.length < 2) return issueWords(issue)
  return `takes one of ${known.join(', ')}; "${issue.input.slice(0, 40)}" is none of them.${meant(issue.input, known)}`
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
        message: `there is no key "${key}" here.${keyHint(key, path, value)}`,
      }))
    case 'invalid_union':
      return best(issue.errors, path, value) ?? [problem(issue, path)]
    case 'invalid_key':
      return [{ ...problem(issue, path), message: issue.issues[0]?.message ?? issue.message }]
    default:
      return [problem(issue, path)]
  }
}

const secretKey = /^(?:api|access|auth)?[-_]?(?:key|token|secret|password)$/i

/** Where a key of a provider stands as it is, nothing is misspelt: it belongs elsewhere. */
function keyHint(key: string, path: readonly PropertyKey[], value: unknown): string {
  const place = path.findLast((step) => typeof step === 'string')
  if (secretKey.test(key) && (place === 'model' || place === 'fallbackModels'))
    return ` A key does not stand in a configuration: put it into a variable of the environment, or into the file .env, and name the variable: apiKeyEnv: 'MY_API_KEY'.`
  return suggestion(key, keysAt(path, value))
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
