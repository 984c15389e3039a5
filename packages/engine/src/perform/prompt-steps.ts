/**
 * The prompt of a model call as a list of steps, each of which brings the conversation nearer to what the provider is sent. Whatever is
 * to happen before a model turn is one more entry of the list.
 *
 * P1 A step that throws fails the turn under its name: the provider is not asked, and nothing executes.
 * P2 The steps read, and record nothing: a call that is made again makes its prompt again.
 */
import {
  type Moment,
  NewerError,
  type Prompt,
  type PromptMessage,
  type PromptProjection,
} from '@signalbox/core'
import { AbortError, messageOf, TerminalError } from '../errors.ts'
import type { StoredEvent } from '../ports.ts'
import type { Content } from './content.ts'
import { holdsBlob, type Measured, measured } from './measure.ts'
import type { ModelTask } from './model-call.ts'
import { createPast, type Told } from './past.ts'
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
  /** Those events, oldest first, that may have taught how large a window is. */
  readonly overflows: readonly StoredEvent[]
  readonly prompt: Prompt
  /** Of this prompt. A step that makes another one need not measure it. */
  readonly measured: Measured
  /** The images that it shows, oldest first, as it is when this is asked. */
  readonly images: PromptProjection['images']
  /** The places at which the conversation could be made lighter, as it is when this is asked. */
  readonly cuts: PromptProjection['cuts']
  /** The part of the conversation up to a moment, to be summed up. */
  readonly part: PromptProjection['part']
  /** The words of the log about the conversation up to a moment. */
  readonly past: (through: Moment) => Told
}

/** Whose prompt it is, and up to which event of the run. */
type PromptTask = Pick<ModelTask, 'agent' | 'runId' | 'seq' | 'tenantId' | 'threadId'>

/** One step. */
export interface PromptStep {
  /** Stands in the error of a turn that fails by it. */
  readonly name: string
  apply(deps: PromptDeps, task: PromptTask, draft: PromptDraft): PromptDraft | Promise<PromptDraft>
}

/** In the order in which they are taken. */
export const promptSteps: readonly PromptStep[] = [
  {
    name: 'project',
    apply({ transcripts }, task) {
      const { agent, runId, threadId, seq } = task
      // Where nobody asks for summaries, what is read is what was read before there were any.
      const place = { runId, threadId, isCut: agent.context !== undefined }
      return transcripts.prompt(place, seq, agent.instructions)
    },
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

const nothingSaid: PromptDraft = {
  events: [],
  created: null,
  overflows: [],
  prompt: [],
  measured: measured([]),
  images: () => [],
  cuts: () => [],
  part: () => ({
    bytes: 0,
    summaryBytes: 0,
    clean: null,
    words: null,
    earlierWords: [],
    blobs: [],
    instructions: { texts: [], leftOut: 0 },
    text: () => '',
    rest: () => '',
  }),
  past: (through) => createPast()([], through),
}

/**
 * Takes all steps.
 * @throws NewerError where the conversation is newer than this build; AbortError where the call is to end; else an error with the name of
 * the step
 */
export async function promptOf(
  deps: PromptDeps,
  task: PromptTask,
  steps: readonly PromptStep[] = promptSteps,
): Promise<PromptDraft> {
  let draft: PromptDraft = nothingSaid
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
async function hydrate(content: Content, task: PromptTask, prompt: Prompt): Promise<Prompt> {
  const whole: PromptMessage[] = []
  for (const message of prompt) {
    if (!holdsBlob(message)) whole.push(message)
    else if (message.role === 'user')
      whole.push({ ...message, parts: await content.hydrate(task, message.parts) })
    else if (message.role === 'assistant')
      whole.push({ ...message, parts: await content.hydrate(task, message.parts) })
  }
  return whole
}
