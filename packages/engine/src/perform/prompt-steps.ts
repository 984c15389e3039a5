/**
 * The prompt of a model call as a list of steps, each of which brings the conversation nearer to what the provider is sent. Whatever is
 * to happen before a model turn is one more entry of the list.
 *
 * P1 A step that throws fails the turn under its name: the provider is not asked, and nothing executes.
 * P2 The steps read, and record nothing: a call that is made again makes its prompt again.
 */
import {
  catalogueOf,
  type FactPayload,
  type Moment,
  NewerError,
  type PinnedMemory,
  type Prompt,
  type PromptMessage,
  type PromptProjection,
  type ShownNotes,
} from '@signalbox/core'
import { AbortError, messageOf, TerminalError } from '../errors.ts'
import type { StoredEvent } from '../ports.ts'
import type { Content } from './content.ts'
import { originOf } from './evidence.ts'
import { isLearner, learnDraft, type LearnStepDeps, ownDraft } from './learn-steps.ts'
import { holdsBlob, type Measured, measured } from './measure.ts'
import { pinOf, showsNotes, withNotes, wordsOf } from './memory-pin.ts'
import type { ModelTask } from './model-call.ts'
import { createPast, type Told } from './past.ts'
import type { Transcripts } from './transcript.ts'

export interface PromptDeps extends LearnStepDeps {
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
  /** The notes about the user as the conversation refers to them. */
  readonly notes: ConversationNotes
  /** What the fact of the call has to pin. Absent: nothing, it is pinned already. */
  readonly pinning?: Pinned
  /** Nothing is left to be asked: the model is not called. */
  readonly isSilent?: true
}

/** The notes about the user that requests of a conversation show. */
interface ConversationNotes {
  /** Are there references in the prompt? */
  readonly isThere: boolean
  /** Those that the run has pinned; null: none so far. */
  readonly pinned: PinnedMemory | null
  /** Those that were shown and hold; null: none were shown. */
  shown(): ShownNotes | null
  /** The draft of the same conversation with the notes that this run shows. */
  pin(pinned: PinnedMemory): PromptDraft
}

/** What the requests of a run show beside the conversation. */
export type Pinned = NonNullable<FactPayload<'model.completed'>['pinned']>

/** Whose prompt it is, and up to which event of the run. */
export interface PromptTask extends Pick<
  ModelTask,
  'agent' | 'runId' | 'seq' | 'tenantId' | 'threadId'
> {
  /** May it choose what the run shows, if nothing is pinned? Whoever does records it. */
  readonly mayPin?: true
  /** What a later fact of the run has pinned, for a prompt that is built again. */
  readonly pinned?: Pinned
}

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
    apply(deps, task) {
      const { agent, runId, threadId, seq } = task
      if (isLearner(agent)) return ownDraft(deps, task, nothingSaid)
      const { transcripts } = deps
      // Where nobody asks for summaries, what is read is what was read before there were any.
      const place = { runId, threadId, isCut: agent.context !== undefined }
      return transcripts.prompt(place, seq, {
        instructions: agent.instructions,
        catalogue: catalogueOf(agent),
      })
    },
  },
  {
    name: 'learn',
    apply(deps, task, draft) {
      const range = isLearner(task.agent) ? originOf(draft.created).learn : undefined
      return range ? learnDraft(deps, task, { draft, range }) : draft
    },
  },
  {
    name: 'memory',
    async apply(deps, task, draft) {
      // An agent without a memory costs no look.
      if (!task.agent.memory && !draft.notes.isThere) return draft
      const pinned = await pinnedFor(deps, task, draft)
      const next = pinned ? draft.notes.pin(pinned) : draft
      const told = pinned && task.mayPin ? { pinning: { ...draft.pinning, memory: pinned } } : {}
      return next.notes.isThere
        ? withNotes({ ...deps, ...task }, { ...next, ...told })
        : { ...next, ...told }
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

/** The notes that the run is to show, where nothing is pinned yet; null: there is nothing to pin. */
async function pinnedFor(
  { memories }: PromptDeps,
  { agent, tenantId, mayPin, pinned }: PromptTask,
  { created, notes }: PromptDraft,
): Promise<PinnedMemory | null> {
  const origin = originOf(created)
  if (!origin.memory || !showsNotes(agent) || notes.pinned) return null
  const given = pinned?.memory ?? origin.memory.pinned
  if (given || !mayPin) return given ?? null
  const { threadId } = origin.memory
  const about = { threadId, words: wordsOf(origin), before: notes.shown() }
  return pinOf({ memories, tenantId }, about)
}

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
    memory: null,
    words: null,
    earlierWords: [],
    blobs: [],
    instructions: { texts: [], leftOut: 0 },
    text: () => '',
    rest: () => '',
  }),
  past: (through) => createPast()([], through),
  notes: { isThere: false, pinned: null, shown: () => null, pin: () => nothingSaid },
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
