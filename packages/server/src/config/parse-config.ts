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
  const [word, choices] = choiceOf(issue)
  const known = choices.filter((value) => typeof value === 'string')
  if (typeof word !== 'string' || known.length < 2) return issueWords(issue)
  return `takes one of ${known.join(', ')}; "${word.slice(0, 40)}" is none of them.${meant(word, known)}`
}

/** What was written where one of several words may stand, and those words. */
function choiceOf(issue: z.core.$ZodRawIssue): readonly [unknown, readonly unknown[]] {
  if (issue.code === 'invalid_value') return [issue.input, issue.values]
  const { input, discriminator } = issue
  const isChoice = issue.code === 'invalid_union' && typeof discriminator === 'string'
  if (!isChoice || typeof input !== 'object' || input === null) return [null, []]
  const options: unknown = 'options' in issue ? issue.options : []
  return [Reflect.get(input, discriminator), Array.isArray(options) ? options : []]
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
        message: unknownKey(key, path, value),
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

function unknownKey(key: string, path: readonly PropertyKey[], value: unknown): string {
  const place = path.findLast((step) => typeof step === 'string')
  const isModel = place === 'model' || place === 'fallbackModels'
  // A key of a provider that stands as it is: nothing is misspelt, it belongs elsewhere.
  if (secretKey.test(key) && isModel)
    return `there is no key "${key}" here. A key does not stand in a configuration: put it into a variable of the environment, or into the file .env, and name the variable: apiKeyEnv: 'MY_API_KEY'.`
  const known = keysAt(path, value)
  return known.includes(key)
    ? `"${key}" cannot stand beside the other keys here; it belongs to another form of the object.`
    : `there is no key "${key}" here.${suggestion(key, known)}`
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
