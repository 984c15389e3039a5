/** The prompt of a run that learns: made of the log at the time of the call, and of nothing that was said on the thread of the memory. */
import {
  type AgentDefinition,
  factSchemas,
  isConversational,
  isSameMoment,
  itemsOf,
  learnerName,
  learnPrompt,
  type LearnRange,
  type PinnedRange,
  payloadOf,
  type SaidItem,
} from '@signalbox/core'
import type { Register, StoredEvent } from '../ports.ts'
import { chooseTalk, talkAgain, type TalkDeps } from './learn-talk.ts'
import type { KnownMemory, Memories } from './memories.ts'
import { measured } from './measure.ts'
import type { PromptDraft, PromptTask } from './prompt-steps.ts'

export interface LearnStepDeps extends TalkDeps {
  readonly register: TalkDeps['register'] & Pick<Register, 'events'>
  readonly memories: Memories
}

/** Is it the built-in agent that learns? */
export const isLearner = ({ name }: Pick<AgentDefinition, 'name'>): boolean => name === learnerName

/** The draft of a run that learns, before anything is said: its own events, and no other run's. */
export async function ownDraft(
  { register }: Pick<LearnStepDeps, 'register'>,
  { runId, seq }: Pick<PromptTask, 'runId' | 'seq'>,
  nothing: PromptDraft,
): Promise<PromptDraft> {
  const events = (await register.events(runId, {})).filter(
    (event) => event.seq <= seq && isConversational(event.type),
  )
  return { ...nothing, events, created: events.find(isFirst) ?? null }
}

const isFirst = ({ type }: StoredEvent): boolean => type === 'run.created'

/** The range that a fact of the run has pinned; null: none so far. */
export function pinnedIn(events: readonly StoredEvent[]): PinnedRange | null {
  for (const event of events) {
    if (event.type !== 'model.completed' || event.salt === '') continue
    const { pinned } = payloadOf(factSchemas['model.completed'], event)
    if (pinned?.learned) return pinned.learned
  }
  return null
}

/** Says what is learned from, and what is known already. Without words there is nothing to ask a model. */
export async function learnDraft(
  deps: LearnStepDeps,
  task: PromptTask,
  { draft, range }: { readonly draft: PromptDraft; readonly range: LearnRange },
): Promise<PromptDraft> {
  const { agent, runId, tenantId, threadId } = task
  const memory = { tenantId, threadId }
  // As it was when the run began: nothing else changes it while it goes on.
  const known = await deps.memories.read(memory, { runId, seq: 1 })
  const { forgottenUntil } = known.memory
  const about = { memory, agent, forgottenUntil }
  const before = pinnedIn(draft.events) ?? task.pinned?.learned ?? null
  const { runs, pinned } = before
    ? await talkAgain(deps, about, before)
    : await chooseTalk(deps, { ...about, range })
  const prompt = learnPrompt(agent.instructions, {
    runs,
    items: saidItems(known),
    numberOf: (at) => {
      const found = pinned.words.findIndex((each) => isSameMoment(each, at))
      return found < 0 ? null : found + 1
    },
  })
  return {
    ...draft,
    prompt,
    measured: measured(prompt),
    ...(before ? {} : { pinning: { ...draft.pinning, learned: pinned } }),
    ...(runs.length === 0 ? { isSilent: true } : {}),
  }
}

const saidItems = ({ memory, texts }: KnownMemory): readonly SaidItem[] =>
  itemsOf(memory).flatMap((item): SaidItem[] => {
    const text = texts.get(item.id)
    return text === undefined ? [] : [{ item, text }]
  })
