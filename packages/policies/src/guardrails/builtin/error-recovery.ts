/**
 * Error recovery: what a provider refuses because of the model's own mistake goes back to the model as a correction, in
 * the first person, since it is kept as the model's own text. The table is tried in its order; anything else stands as
 * the error it is. Must see the provider's own words, not the masked ones that clients get.
 */
import { fail, type Guardrail, type GuardrailContext, pass, stop } from '../part.ts'
import { type ErrorRecoverySpec, loadSkillToolName } from '@signalbox/core'

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

const listed = ({ availableTools }: GuardrailContext): string =>
  `The tools I have are: ${availableTools.join(', ')}.`
const plain = 'I have no tools here, so I will answer in plain text.'

/** Case-sensitive, first match wins. The model reads the feedback as its own words. */
const table: readonly Row[] = [
  { matches: has('Tool choice is none'), feedback: (_, context) => noTools(context) },
  {
    matches: any(has('not in request.tools'), has('tool', 'not found')),
    feedback: unknownTool,
  },
  // Arguments that no parser takes.
  {
    matches: any(
      has('Failed to parse tool call arguments'),
      has('parse tool call'),
      has('invalid JSON'),
    ),
    feedback: () =>
      'The arguments of my tool call were not valid JSON. I will make the call again with valid JSON arguments.',
  },
  { matches: has('validation failed', 'did not match schema'), feedback: badSchema },
  // An answer that the provider could not read.
  {
    matches: has('Parsing failed'),
    feedback: () => 'The format of my response was invalid. I will answer again in a valid format.',
  },
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

/** A tool was called where none may be. */
const noTools = (context: GuardrailContext): string =>
  context.availableTools.length > 0
    ? `I tried to call a tool that does not exist. ${listed(context)} I will use one of them or answer directly.`
    : `I tried to call a tool. ${plain}`

/** A call that the provider could not make out. */
const badCall = (context: GuardrailContext): string =>
  context.availableTools.length > 0
    ? `My tool call failed, because I did not form it properly. ${listed(context)} I will try again.`
    : `My tool call failed. ${plain}`

/** A tool was called that is not there; it may be a skill, which is read and not called. */
function unknownTool(message: string, context: GuardrailContext): string {
  const name = /tool '([^']{1,200})'/.exec(message)?.[1] ?? 'unknown'
  const skill = context.availableSkills.find((each) => each.name === name)
  if (skill) {
    const next = context.availableTools.includes(loadSkillToolName)
      ? `load it with ${loadSkillToolName}`
      : `read the file at ${skill.path}`
    return (
      `I tried to call "${name}" as a tool, but it is a skill. A skill has no action to invoke: ` +
      `I will ${next} and follow what it says.`
    )
  }
  const tried = `I tried to call the tool "${name}", which does not exist.`
  return context.availableTools.length > 0
    ? `${tried} ${listed(context)} I will use one of them.`
    : `${tried} ${plain}`
}

/** Arguments that do not fit the tool's schema. */
function badSchema(message: string): string {
  const tool = /parameters for tool (\w{1,200})/.exec(message)?.[1] ?? 'unknown'
  const errors = schemaErrors(message)
  return (
    `The parameters of my call of the tool "${tool}" did not match its schema` +
    `${errors === '' ? '' : `: ${errors}`}. I will make the call again with parameters that match.`
  )
}

/** The text in `errors: [ … ]`, up to the first closing bracket. */
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
