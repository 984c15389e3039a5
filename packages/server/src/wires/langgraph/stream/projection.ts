/**
 * A run as LangGraph's clients see it, folded from its events: what each step did, in every mode, in one order.
 *
 * P1 The same events give the same places in the same order, whoever follows, and whatever came live before.
 * P2 Nothing of a step is shown before all of its verdicts were seen: calls stand in a message only after the verdict (I23).
 */
import { decisionSchemas, eventClass, isEventType, isFactType, type Todos } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { Artifacts } from '../../../files/artifacts.ts'
import { Failures } from '../failure.ts'
import { stepHeads } from '../state-steps.ts'
import { plansOf } from '../plan.ts'
import { type ChatMessage, ChatMessages } from '../messages.ts'
import { type Change, messageFrames, type FramePlace } from './message-frames.ts'
import { type ShownMoment, type State, stateFrames } from './state-frames.ts'
import { type StreamStep, Steps } from './step.ts'
import type { Shown } from './text-in-flight.ts'

/** Is it a verdict, so that it belongs to the decision before it? */
export const isVerdict = ({ type }: StoredEvent): boolean =>
  type !== 'run.transitioned' && isEventType(type) && eventClass(type) === 'decision'

const isEnd = ({ type, payload }: StoredEvent): boolean =>
  type === 'run.transitioned' && payload['outcome'] !== null

export class Projection {
  readonly #chat = new ChatMessages()
  readonly #withdrawn = new WeakSet<ChatMessage>()
  readonly #failures = new Failures()
  readonly #artifacts = new Artifacts()
  /** The plan of the model; null if none was written. */
  #todos: Todos | null = null
  readonly steps: Steps
  /** Facts that no decision has folded yet. */
  #facts: StoredEvent[] = []
  #head: RunHead
  /** The messages that were shown after the step before, by id. */
  #before: ReadonlyMap<string, ChatMessage> = new Map()
  #hasHistory = false

  constructor(head: RunHead) {
    this.#head = head
    this.steps = new Steps(head.runId)
  }

  /** Has the run taken its place in the thread with this event? Then what was said before is known, and needed. */
  needsHistory(event: StoredEvent): boolean {
    return !this.#hasHistory && (event.type === 'run.admitted' || isEnd(event))
  }

  /** What was said on the thread before this run. */
  begin(history: readonly StoredEvent[]): void {
    this.#hasHistory = true
    for (const event of history) this.#chat.take(event)
    this.#before = this.#list()
    const heads = stepHeads(history)
    const last = heads.at(-1)?.id ?? null
    this.#todos ??= (last === null ? null : plansOf(history, heads).get(last)) ?? null
    this.steps.follow(heads.length, last)
  }

  see(event: StoredEvent): void {
    const { type, seq, at } = event
    // What was erased says nothing.
    if (event.salt === '') return
    this.#head = { ...this.#head, seq, updatedAt: at }
    if (type === 'cancel.requested') this.#head = { ...this.#head, cancelRequested: true }
    if (isFactType(type)) this.#facts.push(event)
    const folded = type === 'run.transitioned' ? this.#fold(event) : []
    this.steps.see(event, folded)
    if (isVerdict(event)) this.#chat.take(event)
    if (type === 'todo.written')
      this.#todos = decisionSchemas['todo.written'].parse(event.payload).todos
    this.#failures.see(event)
  }

  /** The state as it was after the last event that was seen. */
  get state(): State {
    const failure = this.#failures.at(this.#head.outcome)
    const messages = [...this.#list().values()]
    const [artifacts, todos] = [this.#artifacts.values, this.#todos]
    return { head: this.#head, messages, artifacts, todos, failure }
  }

  /** The places of the step that is over; `shown` is the text that a client was shown live. */
  flush(shown: Shown | null): {
    readonly places: readonly FramePlace[]
    readonly settled: boolean
  } {
    const moment = this.next(shown)
    if (!moment) return { places: [], settled: false }
    const { step, state, changes } = moment
    const about = { head: state.head, step: step.number }
    const ofMessages = changes.flatMap((change) => messageFrames(change, about))
    const settled = shown !== null && changes.some(({ id }) => id === shown.messageId)
    return { places: [...ofMessages, ...stateFrames(moment)], settled }
  }

  /** The step that is over, and what it did; null if there is none. A run that waits for its thread has said nothing yet. */
  next(shown: Shown | null): ShownMoment | null {
    const step = this.steps.take()
    if (!step || !this.#hasHistory) return null
    this.#withdraw(step)
    const changes = this.#changes(step, shown)
    this.#before = this.#list()
    return { step, state: this.state, changes }
  }

  /** The arguments of a call as they stand; null if nobody asked for it. */
  argsOf(callId: string): Record<string, unknown> | null {
    return this.#chat.argsOf(callId)
  }

  #fold({ payload }: StoredEvent): readonly StoredEvent[] {
    const { through, path, outcome } = decisionSchemas['run.transitioned'].parse(payload)
    const stateName = path.at(-1) ?? 'queued'
    const status = outcome === null ? (stateName === 'queued' ? 'queued' : 'running') : 'ended'
    this.#head = { ...this.#head, outcome, stateName, status }
    if (!this.#hasHistory) return []
    const folded = this.#facts.filter((fact) => fact.seq <= through)
    this.#facts = this.#facts.filter((fact) => fact.seq > through)
    for (const fact of folded) {
      this.#chat.take(fact)
      this.#artifacts.take(fact)
    }
    return folded
  }

  #withdraw({ withdrawn }: StreamStep): void {
    for (const message of this.#chat.list())
      if (withdrawn.includes(message.id)) this.#withdrawn.add(message)
  }

  #list(): ReadonlyMap<string, ChatMessage> {
    const visible = this.#chat.list().filter((message) => !this.#withdrawn.has(message))
    return new Map(visible.map((message) => [message.id, message]))
  }

  #changes(step: StreamStep, shown: Shown | null): readonly Change[] {
    const list = this.#list()
    const changed = [...list.values()].filter((now) => this.#before.get(now.id) !== now)
    const gone = [...step.withdrawn, ...step.aborted, ...this.#before.keys()]
    const ids = new Set([...changed.map(({ id }) => id), ...gone.filter((id) => !list.has(id))])
    return [...ids].map((id) => {
      const written = step.written.find(({ messageId }) => messageId === id)
      const lengths = shown?.messageId === id ? shown.lengths : null
      const counts = written?.attempt === shown?.attempt && written?.isCut === false
      const [live, stale] = counts ? [lengths, null] : [null, lengths]
      return { id, before: this.#before.get(id), now: list.get(id), live, stale }
    })
  }
}
