/**
 * What is learned from: the words of users in a part of a conversation, read from the log by reference when the model is asked, so that what was
 * erased, deleted or taken back meanwhile is not there.
 *
 * T1 Runs of the thread itself alone: what a copy has heard elsewhere is learned there.
 * T2 Behind what was learned before: a range that a learning which failed has left open is in the next one.
 * T3 Only runs that were created for the same memory: what others say on a thread is not somebody's own.
 * T4 Words are judged by the guardrails before a model is shown them.
 */
import {
  type AgentDefinition,
  factSchemas,
  fittingTalk,
  isSameMoment,
  type LearnedEvent,
  type LearnRange,
  mayBeLearned,
  type Moment,
  payloadOf,
  type PinnedRange,
  type RunTalk,
  talkOf,
  wordMoments,
} from '@signalbox/core'
import type { Register, RunStanding, StoredEvent, StreamGuardrails, ThreadRef } from '../ports.ts'

export interface TalkDeps {
  readonly register: Pick<Register, 'conversation' | 'standings' | 'learnedFrom' | 'isMemoryOff'>
  readonly guardrails: StreamGuardrails
}

/** Who learns what. */
export interface TalkTask {
  /** The thread of the memory. */
  readonly memory: ThreadRef
  /** The learner. */
  readonly agent: AgentDefinition
  readonly range: LearnRange
  /** What was said up to here is forgotten. Milliseconds since the epoch. */
  readonly forgottenUntil: number
}

/** The talk, and the range that it is. */
export interface Talk {
  readonly runs: readonly RunTalk[]
  readonly pinned: PinnedRange
}

/** Chooses what is learned from now. */
export async function chooseTalk(deps: TalkDeps, task: TalkTask): Promise<Talk> {
  const { memory, range } = task
  const learned = await deps.register.learnedFrom(memory, range.threadId)
  const { runs, from } = await readTalk(deps, task, [range.from, learned?.through ?? null])
  const chosen = fittingTalk(runs)
  const isAll = chosen.length === runs.length
  const through = isAll ? range.through : (chosen.at(-1)?.through ?? range.through)
  const pinned = { threadId: range.threadId, from, through, words: [...wordMoments(chosen)] }
  return { runs: chosen, pinned }
}

/** The same again, as far as it is left. */
export async function talkAgain(
  deps: TalkDeps,
  task: Omit<TalkTask, 'range'>,
  pinned: PinnedRange,
): Promise<Talk> {
  const { runs } = await readTalk(deps, { ...task, range: pinned }, [pinned.from])
  const isPinned = (at: Moment): boolean => pinned.words.some((each) => isSameMoment(each, at))
  const left = runs.flatMap((run) => {
    const words = run.talk.words.filter(({ at }) => isPinned(at))
    return words.length === 0 ? [] : [{ ...run, talk: { ...run.talk, words } }]
  })
  return { runs: left, pinned }
}

/** The runs of the range behind all these moments that may be learned from, and the latest of the moments. */
async function readTalk(
  deps: TalkDeps,
  { memory, agent, range, forgottenUntil }: TalkTask,
  behind: readonly (Moment | null)[],
): Promise<{ readonly runs: readonly RunTalk[]; readonly from: Moment | null }> {
  const { tenantId } = memory
  const { threadId, through } = range
  const known = behind.filter((moment) => moment !== null)
  const isOff =
    (await deps.register.isMemoryOff(memory)) ||
    (await deps.register.isMemoryOff({ tenantId, threadId }))
  const said = isOff ? [] : await deps.register.conversation(threadId, through.runId)
  const own = said.filter((event) => event.threadId === threadId && isThrough(event, through))
  const ids = [...new Set([...own, ...known].map(({ runId }) => runId))]
  const standings = new Map(
    (await deps.register.standings(tenantId, ids)).map((each) => [each.runId, each]),
  )
  const placeOf = (runId: string): number => standings.get(runId)?.place ?? 0
  const from = known.toSorted((a, b) => placeOf(a.runId) - placeOf(b.runId)).at(-1) ?? null
  const least = from ? placeOf(from.runId) : 0
  const runs: RunTalk[] = []
  for (const [runId, events] of byRun(own)) {
    const standing = standings.get(runId)
    if (!standing || placeOf(runId) <= least || !mayLearn(events, standing, memory)) continue
    const talk = talkOf(events.flatMap(learnedEvent))
    const fresh = talk.words.filter(({ said: at }) => at > forgottenUntil)
    const words = []
    for (const each of fresh) words.push({ ...each, text: await redacted(deps, agent, each.text) })
    if (words.length === 0) continue
    const answer = await redacted(deps, agent, talk.answer)
    const seq = events.at(-1)?.seq ?? 1
    runs.push({ runId, through: { runId, seq }, talk: { words, answer } })
  }
  return { runs, from }
}

const isThrough = ({ runId, seq }: StoredEvent, through: Moment): boolean =>
  runId !== through.runId || seq <= through.seq

function byRun(events: readonly StoredEvent[]): ReadonlyMap<string, StoredEvent[]> {
  const runs = new Map<string, StoredEvent[]>()
  for (const event of events) {
    const known = runs.get(event.runId)
    if (known) known.push(event)
    else runs.set(event.runId, [event])
  }
  return runs
}

/** A run whose first event was erased says nothing of what it was: nothing is learned from it. */
function mayLearn(
  [first]: readonly StoredEvent[],
  { outcome, isHidden }: RunStanding,
  memory: ThreadRef,
): boolean {
  if (first?.type !== 'run.created' || first.salt === '') return false
  const created = payloadOf(factSchemas['run.created'], first)
  return mayBeLearned({
    outcome,
    isHidden,
    learn: created.memory?.learn === true && created.memory.threadId === memory.threadId,
    isRerun: created.rerun !== undefined,
    isChild: created.parent !== undefined,
  })
}

function learnedEvent(event: StoredEvent): readonly LearnedEvent[] {
  const { runId, seq, type, at: said, salt } = event
  const at = { runId, seq }
  if (salt === '') return []
  if (type === 'run.created') {
    const { input } = payloadOf(factSchemas[type], event)
    return [{ type: 'words', at, said, messages: input }]
  }
  if (type === 'input.injected') {
    const { messages } = payloadOf(factSchemas[type], event)
    return [{ type: 'words', at, said, messages }]
  }
  if (type !== 'model.completed') return []
  return [{ type: 'turn', at, turn: payloadOf(factSchemas[type], event).turn }]
}

/** A text that no guardrail could judge is not shown. */
async function redacted(
  { guardrails }: Pick<TalkDeps, 'guardrails'>,
  agent: AgentDefinition,
  text: string,
): Promise<string> {
  // Wherever else they look: here they look at the words.
  const specs = agent.guardrails.stream.flatMap((spec) =>
    'toolResults' in spec ? [{ ...spec, toolResults: true }] : [],
  )
  if (specs.length === 0 || text === '') return text
  try {
    return (await guardrails.redact(text, specs)).value
  } catch {
    return ''
  }
}
