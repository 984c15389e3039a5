/**
 * A run as one message of the AI SDK, folded from its events.
 *
 * P1 The same events give the same message, whoever follows, and whatever came live before: only the pieces of text differ.
 * P2 Facts are shown when a decision has folded them, and after all of its verdicts were seen: what a verdict takes back was
 *    never shown.
 */
import {
  decisionSchemas,
  type Fact,
  eventClass,
  isEventType,
  isFactType,
  type ModelTurn,
  type Outcome,
  readFact,
  decidedResult,
  resultOf,
  type ToolCallPart,
} from '@signalbox/core'
import type { LiveText, RunHead, StoredEvent, ToolProgress } from '@signalbox/engine'
import { sentenceOf } from '@signalbox/core'
import { Artifacts } from '../../files/artifacts.ts'
import { LastError } from '../../http/wire/run-error.ts'
import { askedModelCalls, StepResets } from '../../stream/step-resets.ts'
import { Calls } from './calls.ts'
import type { Chunk } from './chunk.ts'
import { ending } from './ending.ts'
import { childNotice, noticeOf } from './notices.ts'
import { Steering } from './steering.ts'
import { MessageStep } from './step.ts'

/** Is it a verdict, so that it belongs to the decision before it? */
export const isVerdict = ({ type }: StoredEvent): boolean =>
  type !== 'run.transitioned' && isEventType(type) && eventClass(type) === 'decision'

/** A decision that was seen, and not yet shown. */
interface Decided {
  readonly facts: readonly Fact[]
  readonly verdicts: StoredEvent[]
  /** The messages whose text it withdraws. */
  readonly withdrawn: Set<string>
  /** The turn it begins. */
  readonly next: string | null
}

export class Projection {
  readonly #step = new MessageStep()
  readonly #calls = new Calls()
  readonly #steering = new Steering()
  readonly #resets = new StepResets()
  readonly #error = new LastError()
  readonly #artifacts = new Artifacts()
  /** Facts that no decision has folded yet. */
  #facts: Fact[] = []
  #decided: Decided | null = null
  /** Whose blobs the images of its results are. */
  #threadId = ''

  /** Takes an event in. Before any but a verdict, `flush`. */
  see(event: StoredEvent): void {
    // What was erased says nothing.
    if (event.salt === '') return
    this.#threadId = event.threadId
    this.#error.see(event)
    this.#artifacts.take(event)
    const reset = this.#resets.see(event)
    if (reset) this.#decided?.withdrawn.add(reset.messageId)
    const fact = isFactType(event.type) ? readFact(event) : null
    if (fact) this.#facts.push(fact)
    else if (event.type === 'run.transitioned') this.#decide(event)
    else if (isVerdict(event)) this.#decided?.verdicts.push(event)
  }

  /** What the last decision did. */
  flush(): readonly Chunk[] {
    const decided = this.#decided
    this.#decided = null
    if (!decided) return []
    const { facts, verdicts, withdrawn, next } = decided
    const ignored = new Set(verdicts.filter(({ type }) => type === 'event.ignored').map(ignoredSeq))
    const chunks: Chunk[] = []
    let asked: readonly ToolCallPart[] = []
    for (const fact of facts) {
      if (ignored.has(fact.seq)) continue
      if (fact.type === 'model.completed') {
        const { turn } = fact.payload
        if (withdrawn.has(turn.message.id)) continue
        asked = callsOf(turn)
        chunks.push(...this.#step.complete(turn.message.id, turn.message.parts))
      } else chunks.push(...this.#happened(fact))
    }
    if (withdrawn.size > 0) chunks.push(...this.#step.withdraw())
    for (const verdict of verdicts) {
      // What was said for an attempt that does not count is withdrawn with it.
      if (isAbout(verdict, withdrawn)) continue
      const speech = sentenceOf(verdict)
      // A verdict speaks for the message in the place of its calls.
      if (speech) asked = []
      if (speech) chunks.push(...this.#step.speak(speech.messageId, speech.text))
      chunks.push(...noticeOf(verdict))
    }
    chunks.push(...asked.map((call) => this.#calls.show(call)))
    for (const verdict of verdicts) chunks.push(...this.#judged(verdict))
    const steering = this.#steering.taken(verdicts)
    // Between two steps: what a step withdraws are only its own parts.
    if (steering.length > 0) chunks.push(...this.#step.end(), ...steering)
    if (next !== null) chunks.push(...this.#step.begin(next))
    return chunks
  }

  /** Text while it is written. */
  say(piece: LiveText): readonly Chunk[] {
    return this.#step.say(piece)
  }

  /** What a running tool says of itself. Never part of the message. */
  note({ callId, note }: ToolProgress): readonly Chunk[] {
    return [{ type: 'data-progress', data: { toolCallId: callId, note }, transient: true }]
  }

  /** The run waits for a human. A client that answers by itself must have something to answer. */
  pause(): readonly Chunk[] {
    const finishReason = this.#calls.isAsking ? 'tool-calls' : 'interrupted'
    const messageMetadata = { status: 'waiting' }
    return [...this.#step.end(), { type: 'finish', finishReason, messageMetadata }]
  }

  /** Text of a turn that was broken off is nowhere in the register, and so not in the message. */
  end(head: RunHead): readonly Chunk[] {
    const open = [...this.#step.withdraw(), ...this.#calls.end()]
    const outcome = outcomeOf(head)
    const ended = { outcome, error: this.#error.of(outcome), artifacts: this.#artifacts.values }
    return [...open, ...this.#step.end(), ...ending(ended)]
  }

  #decide(event: StoredEvent): void {
    const { through } = decisionSchemas['run.transitioned'].parse(event.payload)
    const facts = this.#facts.filter(({ seq }) => seq <= through)
    this.#facts = this.#facts.filter(({ seq }) => seq > through)
    const next = askedModelCalls(event).at(-1)?.messageId ?? null
    this.#decided = { facts, verdicts: [], withdrawn: new Set(), next }
  }

  #happened(fact: Fact): readonly Chunk[] {
    if (fact.type === 'approval.answered') return this.#calls.answer(fact.payload)
    if (fact.type === 'input.injected') {
      this.#steering.hear(fact.seq, fact.payload)
      return []
    }
    if (fact.type === 'tool.denied') {
      const [reason] = fact.payload.answer.reasons
      return this.#calls.deny(fact.payload.callId, reason?.message ?? 'Denied by a policy.')
    }
    const result = resultOf(fact)
    return [
      ...childNotice(fact),
      ...(result ? this.#calls.settle(result.callId, result.output, this.#threadId) : []),
    ]
  }

  #judged(event: StoredEvent): readonly Chunk[] {
    const { type, payload } = event
    const settled = decidedResult(event)
    if (settled) return this.#calls.settle(settled.callId, settled.output, event.threadId)
    switch (type) {
      case 'approval.requested':
        return this.#calls.ask(decisionSchemas[type].parse(payload))
      case 'approval.expired': {
        const { callId } = decisionSchemas[type].parse(payload)
        return this.#calls.deny(callId, 'Nobody answered in time.')
      }
      case 'call.denied': {
        const { callId, message } = decisionSchemas[type].parse(payload)
        return this.#calls.deny(callId, message)
      }
      default:
        return []
    }
  }
}

const isAbout = ({ payload }: StoredEvent, messageIds: ReadonlySet<string>): boolean =>
  typeof payload['messageId'] === 'string' && messageIds.has(payload['messageId'])

const ignoredSeq = ({ payload }: StoredEvent): number =>
  decisionSchemas['event.ignored'].parse(payload).seq

/** Only a turn that closed positively has calls. */
const callsOf = ({ verdict, message }: ModelTurn): readonly ToolCallPart[] =>
  verdict === 'complete' ? message.parts.filter((part) => part.type === 'tool_call') : []

const outcomeOf = ({ outcome }: RunHead): Outcome => {
  if (outcome === null) throw new Error('unreachable: the run has ended')
  return outcome
}
