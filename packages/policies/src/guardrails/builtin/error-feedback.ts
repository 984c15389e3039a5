/** What the model reads as its own words when a provider refused what it did. */
import type { GuardrailContext } from '../part.ts'

type Tools = Pick<GuardrailContext, 'availableTools'>

const listed = ({ availableTools }: Tools): string =>
  `The tools I have are: ${availableTools.join(', ')}.`
const plain = 'I have no tools here, so I will answer in plain text.'

/** A tool was called where none may be. */
export const noTools = (context: Tools): string =>
  context.availableTools.length > 0
    ? `I tried to call a tool that does not exist. ${listed(context)} I will use one of them or answer directly.`
    : `I tried to call a tool. ${plain}`

/** A tool was called that is not there; it may be a skill, which is read and not called. */
export function unknownTool(name: string, context: GuardrailContext): string {
  const skill = context.availableSkills.find((each) => each.name === name)
  if (skill)
    return (
      `I tried to call "${name}" as a tool, but it is a skill. A skill has no action to invoke: ` +
      `I will read the file at ${skill.path} and follow what it says.`
    )
  return context.availableTools.length > 0
    ? `I tried to call the tool "${name}", which does not exist. ${listed(context)} I will use one of them.`
    : `I tried to call the tool "${name}", which does not exist. ${plain}`
}

/** Arguments that no parser takes. */
export const badJson = (): string =>
  'The arguments of my tool call were not valid JSON. I will make the call again with valid JSON arguments.'

/** Arguments that do not fit the tool's schema. */
export const badSchema = (tool: string, errors: string): string =>
  `The parameters of my call of the tool "${tool}" did not match its schema` +
  `${errors === '' ? '' : `: ${errors}`}. I will make the call again with parameters that match.`

/** An answer that the provider could not read. */
export const badFormat = (): string =>
  'The format of my response was invalid. I will answer again in a valid format.'

/** A call that the provider could not make out. */
export const badCall = (context: Tools): string =>
  context.availableTools.length > 0
    ? `My tool call failed, because I did not form it properly. ${listed(context)} I will try again.`
    : `My tool call failed. ${plain}`
