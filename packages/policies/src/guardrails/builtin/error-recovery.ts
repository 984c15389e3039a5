/**
 * Error recovery: what a provider refuses because of the model's own mistake goes back to the model as a correction, in
 * the first person, since it is kept as the model's own text. The table is tried in its order; anything else stands as
 * the error it is. Must see the provider's own words, not the masked ones that clients get.
 */
import { fail, type Guardrail, type GuardrailContext, pass, stop } from '../part.ts'
import type { ErrorRecoverySpec } from '@signalbox/core'
import { badCall, badFormat, badJson, badSchema, noTools, unknownTool } from './error-feedback.ts'

interface Row {
  readonly matches: (message: string) => boolean
  readonly feedback: (message: string, context: GuardrailContext) => string
}

const has =
  (...words: readonly string[]) =>
  (message: string): boolean =>
    words.every((word) => message.includes(word))

const any =
  (...tests: readonly ((message: string) => boolean)[]) =>
  (message: string): boolean =>
    tests.some((test) => test(message))

/** Case-sensitive, first match wins. */
const table: readonly Row[] = [
  { matches: has('Tool choice is none'), feedback: (_, context) => noTools(context) },
  {
    matches: any(has('not in request.tools'), has('tool', 'not found')),
    feedback: (message, context) => unknownTool(quotedTool(message), context),
  },
  {
    matches: any(
      has('Failed to parse tool call arguments'),
      has('parse tool call'),
      has('invalid JSON'),
    ),
    feedback: () => badJson(),
  },
  {
    matches: has('validation failed', 'did not match schema'),
    feedback: (message) => badSchema(schemaTool(message), schemaErrors(message)),
  },
  { matches: has('Parsing failed'), feedback: () => badFormat() },
  {
    matches: any(has('Failed to call a function'), has('failed_generation')),
    feedback: (_, context) => badCall(context),
  },
]

/** Judges error parts alone: `fail` with feedback for a row of the table, `stop` for everything else. */
export const createErrorRecovery = (spec: ErrorRecoverySpec): Guardrail => ({
  id: spec.id ?? spec.use,
  name: 'Error recovery',
  parts: ['error'],
  handle(part, context) {
    if (part.type !== 'error') return pass(part)
    const row = table.find(({ matches }) => matches(part.message))
    return row ? fail(row.feedback(part.message, context)) : stop(part)
  },
})

const quotedTool = (message: string): string =>
  /tool '([^']{1,200})'/.exec(message)?.[1] ?? 'unknown'

const schemaTool = (message: string): string =>
  /parameters for tool (\w{1,200})/.exec(message)?.[1] ?? 'unknown'

/** What stands in `errors: [ … ]`, up to the first closing bracket. */
function schemaErrors(message: string): string {
  const opening = 'errors: ['
  const at = message.indexOf(opening)
  const end = message.indexOf(']', at)
  return at < 0 || end < 0
    ? ''
    : message
        .slice(at + opening.length, end)
        .trim()
        .slice(0, 1000)
}
