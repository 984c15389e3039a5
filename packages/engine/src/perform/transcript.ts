/**
 * Transcripts: the conversation events of runs whose next prompt this process may have to build, and the prompt as it grows, so that a
 * turn neither reads nor folds the whole conversation again. A cache: contiguous up to `seq`, filled from the register where it is short.
 *
 * T1 What was read for a run that has ended is kept for the next one of its thread, which goes on from it: a run late in a long thread
 *    reads what was said since, and no more. Only the register can say that it does.
 * T2 The events that are read for a decision go into the transcript of their run, where there is one: the next prompt then reads nothing.
 *    Events that this process wrote are read back with the next decision: the register has their keys in another order.
 */
import { createProjection, isConversational, type PromptProjection } from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import type { Register, RunHead, StoredEvent } from '../ports.ts'
import type { KeptConversations } from '../record/view.ts'
import { createMeasure, type Measure } from './measure.ts'
import { createPast, type Past } from './past.ts'
import type { PromptDraft } from './prompt-steps.ts'
import { mayTeach } from './room.ts'

interface Transcript {
  readonly runId: string
  readonly threadId: string
  readonly created: StoredEvent | null
  readonly events: readonly StoredEvent[]
  /** Everything of the run up to here is in `events`, as far as it is conversation. */
  readonly seq: number
  readonly folded: Folded | null
}

/** The words of an agent before every conversation. */
export interface PromptFrame {
  readonly instructions: string
  /** Of its skills; empty for none. */
  readonly catalogue: string
}

/** A conversation that grows with its transcript, in the frame with which its prompt was asked for last. */
interface Folded {
  readonly frame: PromptFrame
  readonly projection: PromptProjection
  readonly measure: Measure
  /** So many events of the transcript are in it. */
  events: number
  /** Those of them that may have taught a window (`room.ts`). */
  readonly overflows: StoredEvent[]
  /** The words of the log about these events. */
  readonly past: Past
}

type Place = Pick<RunHead, 'runId' | 'threadId'> & {
  /** May the conversation be read from its newest summary on? What a process has read of a run once serves all its questions about it. */
  readonly isCut?: boolean
}

export interface Transcripts extends KeptConversations {
  /**
   * The conversation of a thread up to `seq` of this run. Not beyond: a performer that was overtaken must not build a
   * prompt of what came after its claim.
   */
  read(run: Place, seq: number): Promise<readonly StoredEvent[]>
  /** The same, as the prompt of an agent with this frame. */
  prompt(run: Place, seq: number, frame: PromptFrame): Promise<PromptDraft>
  /** The run has ended: what was read of it is kept for the next one of its thread alone. */
  forget(runId: string): void
}

/** Events that are kept of threads without a run that is under way. Long texts are elsewhere, so it bounds the memory too. */
const endedEventsMax = 20_000

export function createTranscripts(register: Register, cachedRuns: number): Transcripts {
  const cache = new LRUCache<string, Transcript>({ max: cachedRuns })
  /** By thread: the newest that has ended. */
  const ended = new LRUCache<string, Transcript>({
    maxSize: endedEventsMax,
    sizeCalculation: ({ events }) => 1 + events.length,
  })

  const extend = async (known: Transcript): Promise<Transcript> =>
    goneOn(known, await register.events(known.runId, { after: known.seq }))

  const begin = async ({ runId, threadId, isCut }: Place): Promise<Transcript> => {
    const known = await goOn(register, { runId, threadId }, ended.get(threadId))
    if (known) {
      // The fold goes on with this run, and with no other.
      ended.delete(threadId)
      return known
    }
    const events = await (isCut
      ? register.sinceCut(threadId, runId)
      : register.conversation(threadId, runId))
    const created = createdIn(events, runId)
    return { runId, threadId, created, events, seq: lastOf(events, runId), folded: null }
  }

  const reach = async (run: Place, seq: number): Promise<Transcript> => {
    const known = cache.get(run.runId)
    if (known && known.seq >= seq) return known
    const next = known ? await extend(known) : await begin(run)
    cache.set(run.runId, next)
    return next
  }

  const promptOf: Transcripts['prompt'] = async (run, seq, frame) => {
    const transcript = await reach(run, seq)
    const { events, folded: known } = transcript
    // Events after the claim may be in it already.
    if (lastOf(events, run.runId) > seq) return afresh(frame, transcript, seq)
    const goesOn = known && isSame(known.frame, frame) && known.events <= events.length
    const folded = goesOn ? known : foldedOf(frame)
    // Counted one by one: where one of them is newer than this build, those before it are not taken again.
    for (const event of events.slice(folded.events)) take(folded, event)
    if (!goesOn) cache.set(run.runId, { ...transcript, folded })
    return draftOf(transcript, folded)
  }

  return {
    keptTo: (runId) => cache.get(runId)?.seq ?? null,
    take(runId, events) {
      const known = cache.get(runId)
      const since = known ? events.filter(({ seq }) => seq > known.seq) : []
      if (known && since[0]?.seq === known.seq + 1) cache.set(runId, goneOn(known, since))
    },
    nothingSaid(runId, { from, to }) {
      const known = cache.get(runId)
      if (known && known.seq >= from && known.seq < to) cache.set(runId, { ...known, seq: to })
    },
    read: async (run, seq) => upTo((await reach(run, seq)).events, run.runId, seq),
    prompt: promptOf,
    forget(runId) {
      const known = cache.get(runId)
      if (!known) return
      cache.delete(runId)
      ended.set(known.threadId, known)
    },
  }
}

/** A transcript, with what came right behind it. */
function goneOn(known: Transcript, since: readonly StoredEvent[]): Transcript {
  const said = since.filter(({ type }) => isConversational(type))
  const events = said.length === 0 ? known.events : known.events.concat(said)
  return { ...known, events, seq: since.at(-1)?.seq ?? known.seq }
}

/** The transcript of the run before, with what was said since; null if this run does not go on from there. */
async function goOn(
  register: Pick<Register, 'continuation'>,
  run: Place,
  before: Transcript | undefined,
): Promise<Transcript | null> {
  const seq = before && lastOf(before.events, before.runId)
  if (!before || !seq) return null
  const known = { runId: before.runId, seq }
  const since = await register.continuation(run.threadId, run.runId, known)
  if (since === null) return null
  const events = before.events.concat(since)
  const created = createdIn(since, run.runId)
  return { ...run, created, events, seq: lastOf(events, run.runId), folded: before.folded }
}

const isSame = (a: PromptFrame, b: PromptFrame): boolean =>
  a.instructions === b.instructions && a.catalogue === b.catalogue

const foldedOf = (frame: PromptFrame): Folded => ({
  frame,
  projection: createProjection(frame.instructions, frame.catalogue),
  measure: createMeasure(),
  events: 0,
  overflows: [],
  past: createPast(),
})

function take(folded: Folded, event: StoredEvent): void {
  folded.projection.take(event)
  folded.events += 1
  if (mayTeach(event)) folded.overflows.push(event)
}

function afresh(frame: PromptFrame, transcript: Transcript, seq: number): PromptDraft {
  const { runId, created } = transcript
  const events = upTo(transcript.events, runId, seq)
  const folded = foldedOf(frame)
  for (const event of events) take(folded, event)
  return draftOf({ events, created }, folded)
}

function draftOf(transcript: Pick<Transcript, 'events' | 'created'>, folded: Folded): PromptDraft {
  const { events, created } = transcript
  const { projection, measure, overflows, past } = folded
  const prompt = projection.prompt()
  return {
    events,
    created,
    overflows,
    prompt,
    measured: measure(prompt, projection.kept),
    images: () => projection.images(),
    cuts: (rule, turns) => projection.cuts(rule, turns),
    part: (through, texts) => projection.part(through, texts),
    past: (through) => past(events, through),
    notes: {
      isThere: projection.hasNotes,
      pinned: projection.pinned,
      shown: () => projection.notes(),
      pin(pinned) {
        projection.pin(pinned)
        return draftOf(transcript, folded)
      },
    },
  }
}

/** The first event of a run in a conversation. */
export const createdIn = (events: readonly StoredEvent[], runId: string): StoredEvent | null =>
  events.find((event) => event.runId === runId && event.type === 'run.created') ?? null

const upTo = (events: readonly StoredEvent[], runId: string, seq: number): readonly StoredEvent[] =>
  events.filter((event) => event.runId !== runId || event.seq <= seq)

const lastOf = (events: readonly StoredEvent[], runId: string): number =>
  events.findLast((event) => event.runId === runId)?.seq ?? 0
