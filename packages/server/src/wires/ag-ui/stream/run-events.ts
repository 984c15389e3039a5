/**
 * A run of ours as one run of AG-UI's: from its beginning, or from the answer that let it go on, up to where it waits for a
 * human again or ends. The same log gives the same events, whenever somebody follows.
 *
 * E1 What the protocol's verifier asks: everything that is opened is closed, and nothing follows the end.
 * E2 Calls, with their arguments, stand in the stream only after all verdicts of their step were seen (I23).
 * E3 What cannot be said by going on is said by a snapshot: text that is withdrawn, a message that is another now.
 */
import { decisionSchemas, JsonObjectSchema, type Outcome, type Todos } from '@signalbox/core'
import type { LiveText, RunHead, StoredEvent, ToolProgress } from '@signalbox/engine'
import type { ChatMessage } from '../../langgraph/messages.ts'
import { planValues } from '../../langgraph/plan.ts'
import { sameLengths } from '../../langgraph/stream/position.ts'
import { Projection } from '../../langgraph/stream/projection.ts'
import type { AgUiEvent, SentMessage } from '../event.ts'
import { agUiInterrupt } from '../interrupts.ts'
import { Questions } from '../questions.ts'
import { ending } from './ending.ts'
import { continued, messagesSnapshot } from './messages.ts'
import { noticeOf } from './notices.ts'
import { ShownText } from './shown-text.ts'
import { Subagents } from './subagents.ts'
import { UsedTokens } from './usage.ts'

/** What a client has asked for, and what it has already. */
export interface AskedStream {
  /** The client's own names. */
  readonly threadId: string
  readonly runId: string
  /** What it sent, by id. */
  readonly sent: ReadonlyMap<string, SentMessage>
  readonly state: unknown
  /** Calls and effects whose answers let the run go on; empty for a run from its beginning. */
  readonly about: ReadonlySet<string>
  /** Did the client ask for this before? Then it may have some of it. */
  readonly isRepeat: boolean
}

const answers = new Set([
  'approval.answered',
  'approval.expired',
  'input.answered',
  'input.expired',
  'tool.resolved',
])
const steps = new Set(['context', 'model', 'guardrail', 'tools'])

const isWords = ({ type }: ChatMessage): boolean => type === 'human' || type === 'system'

export class RunEvents {
  readonly #asked: AskedStream
  readonly #projection: Projection
  readonly #questions = new Questions()
  readonly #text = new ShownText()
  readonly #children = new Subagents()
  readonly #used = new UsedTokens()
  /** What the client has of the thread, by id; null before anything is shown. */
  #had: ReadonlyMap<string, ChatMessage> | null = null
  /** What was said on the thread before the run; null until that is known. */
  #history: ReadonlySet<string> | null = null
  #isPast: boolean
  #hasDecided = false
  #state = 'queued'
  /** The plan that the client was shown last. */
  #todos: Todos | null = null
  #step: string | null = null
  #outcome: Outcome | null = null
  #isOver = false

  constructor(head: RunHead, asked: AskedStream) {
    this.#asked = asked
    this.#isPast = asked.about.size === 0
    this.#projection = new Projection(head)
  }

  /** Nothing follows any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Must the thread's history be brought before this event is seen? */
  needsHistory(event: StoredEvent): boolean {
    return this.#projection.needsHistory(event)
  }

  /** Takes what was said on the thread before the run. */
  begin(history: readonly StoredEvent[]): void {
    this.#projection.begin(history)
    this.#history = new Set(this.#projection.state.messages.map(({ id }) => id))
  }

  /** Sees an event of the register. What its decision did comes with `flush`. */
  *see(event: StoredEvent): Generator<AgUiEvent, void, undefined> {
    this.#isPast ||= this.#answers(event)
    if (this.#isPast && this.#had === null && this.#asked.about.size > 0) yield* this.#show()
    this.#projection.see(event)
    this.#questions.see(event)
    const ofChildren = this.#children.see(event)
    const notice = noticeOf(event)
    if (this.#isPast) {
      yield* ofChildren
      if (notice) yield notice
      this.#used.see(event)
    }
    if (event.type !== 'run.transitioned' || event.salt === '') return
    this.#hasDecided = true
    const { outcome, path } = decisionSchemas['run.transitioned'].parse(event.payload)
    this.#state = path.at(-1) ?? this.#state
    this.#outcome = outcome
  }

  /** What the last decision did, once its verdicts were seen; and the end, if it was the last one to show. */
  *flush(): Generator<AgUiEvent, void, undefined> {
    if (!this.#hasDecided || this.#isOver) return
    this.#hasDecided = false
    const { shown } = this.#text
    const lengths = shown && { ...shown, lengths: sameLengths(shown.text.length) }
    const { settled } = this.#projection.flush(lengths)
    if (!this.#history || !this.#isPast) return
    if (this.#had === null) yield* this.#show()
    yield* this.#change(settled)
    yield* this.#plan()
    yield* this.#enter()
    if (this.#outcome === null && this.#isWaiting()) yield* this.#interrupt()
  }

  *say(piece: LiveText): Generator<AgUiEvent, void, undefined> {
    if (this.#had === null) return
    if (this.#text.isAnother(piece)) yield* this.#withdraw()
    yield* this.#text.show(piece)
  }

  *note({ callId, attempt, note }: ToolProgress): Generator<AgUiEvent, void, undefined> {
    if (this.#had === null) return
    const value = { toolCallId: callId, attempt, note }
    yield { type: 'CUSTOM', name: 'signalbox.tool.progress', value }
  }

  /** The run has ended, and all of it was seen. */
  *end(outcome: Outcome): Generator<AgUiEvent, void, undefined> {
    if (this.#isOver) return
    if (this.#text.shown) yield* this.#withdraw()
    yield* this.#close('cancelled')
    const { threadId, runId } = this.#asked
    const { failure, artifacts } = this.#projection.state
    const usage = this.#used.list(this.#children.tokens)
    yield ending({ threadId, runId, outcome, error: failure?.cause ?? null, usage, artifacts })
    this.#isOver = true
  }

  #answers({ type, payload }: StoredEvent): boolean {
    if (!answers.has(type)) return false
    const { about } = this.#asked
    return [payload['callId'], payload['effectId']].some(
      (id) => typeof id === 'string' && about.has(id),
    )
  }

  /** Another answer of the same request may follow; it does not wait for that. */
  #isWaiting(): boolean {
    const { about } = this.#asked
    const isAnswered = this.#questions.open.some((asked) =>
      about.has(asked.for === 'resolution' ? asked.effect_id : asked.call_id),
    )
    return this.#questions.isWaiting && !isAnswered
  }

  /** From here on the client is shown what happens. It is told first of what it does not have, if anything. */
  *#show(): Generator<AgUiEvent, void, undefined> {
    const { about, sent, isRepeat } = this.#asked
    const isOld = (message: ChatMessage): boolean =>
      about.size > 0 || this.#history?.has(message.id) === true || isWords(message)
    const old = this.#projection.state.messages.filter(isOld)
    const snapshot = messagesSnapshot(old, sent)
    const isMissing = 'messages' in snapshot && snapshot.messages.some(({ id }) => !sent.has(id))
    if (isRepeat || isMissing) yield snapshot
    this.#had = new Map(old.map((message) => [message.id, message]))
    yield* this.#children.again()
  }

  /** The state is the client's own; the plan of the model stands in it as `todos`, wherever there is one. */
  #stateNow(): unknown {
    const { state } = this.#asked
    const { todos } = this.#projection.state
    if (!todos) return state ?? {}
    const own = JsonObjectSchema.safeParse(state)
    return { ...(own.success ? own.data : {}), ...planValues(todos) }
  }

  /** A plan that the client was not shown yet. */
  *#plan(): Generator<AgUiEvent, void, undefined> {
    const { todos } = this.#projection.state
    if (todos === this.#todos) return
    this.#todos = todos
    yield { type: 'STATE_SNAPSHOT', snapshot: this.#stateNow() }
  }

  /** What was said and done in the step. `isSettled`: the text in flight has become a message, or nothing. */
  *#change(isSettled: boolean): Generator<AgUiEvent, void, undefined> {
    const { messages } = this.#projection.state
    const had = new Map(this.#had)
    const { shown } = this.#text
    let isOther = false
    if (shown && isSettled) {
      const now = messages.find(({ id }) => id === shown.messageId)
      const goesOn = now?.type === 'ai' && now.content.startsWith(shown.text)
      isOther = !goesOn && shown.text !== ''
      yield* this.#text.end(goesOn ? now.content.slice(shown.text.length) : '')
      // What it says now was shown: all else of it is still to come.
      if (goesOn && shown.text !== '') had.set(now.id, { ...now, tool_calls: [] })
    }
    const ids = new Set(messages.map(({ id }) => id))
    isOther ||= [...had.keys()].some((id) => !ids.has(id))
    const changed = messages.filter((now) => had.get(now.id) !== now)
    const news = changed.map((now) => continued(had.get(now.id), now))
    if (isOther || news.includes(null)) {
      const old = messages.filter(({ id }) => had.has(id))
      yield messagesSnapshot(old, this.#asked.sent)
      for (const now of changed) if (!had.has(now.id)) yield* continued(undefined, now) ?? []
    } else for (const events of news) yield* events ?? []
    // Somebody spoke to the run: the client may be another, and has the words or not.
    if (changed.some((now) => isWords(now) && !had.has(now.id)))
      yield messagesSnapshot(messages, this.#asked.sent)
    this.#had = new Map(messages.map((message) => [message.id, message]))
  }

  *#withdraw(): Generator<AgUiEvent, void, undefined> {
    const isShown = this.#text.shown?.text !== ''
    yield* this.#text.end()
    if (isShown) yield messagesSnapshot(this.#projection.state.messages, this.#asked.sent)
  }

  *#enter(): Generator<AgUiEvent, void, undefined> {
    const next = this.#outcome === null && steps.has(this.#state) ? this.#state : null
    if (next === this.#step) return
    if (this.#step !== null) yield { type: 'STEP_FINISHED', stepName: this.#step }
    if (next !== null) yield { type: 'STEP_STARTED', stepName: next }
    this.#step = next
  }

  *#close(how: 'suspended' | 'cancelled'): Generator<AgUiEvent, void, undefined> {
    yield* this.#children.close(how)
    if (this.#step !== null) yield { type: 'STEP_FINISHED', stepName: this.#step }
    this.#step = null
  }

  *#interrupt(): Generator<AgUiEvent, void, undefined> {
    yield* this.#close('suspended')
    const { threadId, runId, sent } = this.#asked
    yield { type: 'STATE_SNAPSHOT', snapshot: this.#stateNow() }
    yield messagesSnapshot(this.#projection.state.messages, sent)
    const interrupts = this.#questions.open.map(agUiInterrupt)
    const usage = this.#used.list(this.#children.tokens)
    const used = usage.length === 0 ? {} : { usage }
    yield {
      type: 'RUN_FINISHED',
      threadId,
      runId,
      outcome: { type: 'interrupt', interrupts },
      ...used,
    }
    this.#isOver = true
  }
}
