/**
 * The prompt of a model call as a list of steps, each of which brings the conversation nearer to what the provider is sent. Whatever is
 * to happen before a model turn is one more entry of the list.
 *
 * P1 A step that throws fails the turn under its name: the provider is not asked, and nothing executes.
 * P2 The steps read, and record nothing: a call that is made again makes its prompt again.
 */
import { NewerError, type Prompt, type PromptMessage } from '@signalbox/core'
import { AbortError, messageOf, TerminalError } from '../errors.ts'
import type { StoredEvent } from '../ports.ts'
import type { Content } from './content.ts'
import { holdsBlob, type Measured, measured } from './measure.ts'
import type { ModelTask } from './model-call.ts'
import type { Transcripts } from './transcript.ts'

export interface PromptDeps {
  readonly transcripts: Transcripts
  readonly content: Content
}

/** The prompt as the steps so far have made it, and the events that it was made of. */
export interface PromptDraft {
  /** The conversation, as the register has it. */
  readonly events: readonly StoredEvent[]
  /** The first event of the run. */
  readonly created: StoredEvent | null
  readonly prompt: Prompt
  /** Of this prompt. A step that makes another one need not measure it. */
  readonly measured: Measured
}

/** One step. */
export interface PromptStep {
  /** Stands in the error of a turn that fails by it. */
  readonly name: string
  apply(deps: PromptDeps, task: ModelTask, draft: PromptDraft): PromptDraft | Promise<PromptDraft>
}

/** In the order in which they are taken. */
export const promptSteps: readonly PromptStep[] = [
  {
    name: 'project',
    apply: ({ transcripts }, task) => transcripts.prompt(task, task.seq, task.agent.instructions),
  },
  {
    name: 'hydrate',
    async apply({ content }, task, draft) {
      if (!draft.measured.hasBlob) return draft
      const prompt = await hydrate(content, task, draft.prompt)
      return { ...draft, prompt }
    },
  },
  {
    name: 'pairing',
    apply(_deps, _task, draft) {
      const violations = draft.measured.violations()
      if (violations.length > 0) throw new TerminalError('unpaired', JSON.stringify(violations))
      return draft
    },
  },
]

/**
 * Takes all steps.
 * @throws NewerError where the conversation is newer than this build; AbortError where the call is to end; else an error with the name of
 * the step
 */
export async function promptOf(
  deps: PromptDeps,
  task: ModelTask,
  steps: readonly PromptStep[] = promptSteps,
): Promise<PromptDraft> {
  let draft: PromptDraft = { events: [], created: null, prompt: [], measured: measured([]) }
  for (const step of steps) {
    try {
      draft = measuredAnew(draft, await step.apply(deps, task, draft))
    } catch (error) {
      if (error instanceof NewerError || error instanceof AbortError) throw error
      throw new TerminalError(
        'prompt_failed',
        `the step "${step.name}" of the prompt failed: ${messageOf(error)}`,
      )
    }
  }
  return draft
}

const measuredAnew = (before: PromptDraft, after: PromptDraft): PromptDraft =>
  after.prompt === before.prompt || after.measured !== before.measured
    ? after
    : { ...after, measured: measured(after.prompt) }

/** Long texts of users and of the model are read back whole; long tool results stay previews. */
async function hydrate(content: Content, task: ModelTask, prompt: Prompt): Promise<Prompt> {
  const whole: PromptMessage[] = []
  for (const message of prompt) {
    if (!holdsBlob(message)) whole.push(message)
    else if (message.role === 'user')
      whole.push({ ...message, parts: await content.hydrate(task, message.parts) })
    else if (message.role === 'assistant') {
      const parts = []
      for (const part of message.parts)
        parts.push(...(part.type === 'blob' ? await content.hydrate(task, [part]) : [part]))
      whole.push({ ...message, parts })
    }
  }
  return whole
}
