/**
 * A run as the events of Agent Protocol v2, folded from its log and from what is live.
 *
 * T1 The same log gives the same events with the same ids at the same places, whoever follows (I1).
 * T2 Nothing of a step is shown before all of its verdicts were seen: calls stand in a message only after the verdict (I23).
 */
import { factSchemas } from '@signalbox/core'
import type { RunHead, StoredEvent, ToolProgress } from '@signalbox/engine'
import type { Frame as Followed } from '../../../stream/follow-run.ts'
import { isVerdict, Projection } from '../../langgraph/stream/projection.ts'
import type { ShownMoment } from '../../langgraph/stream/state-frames.ts'
import { TapeMessage } from './live-message.ts'
import { slots, type TapePlace } from './position.ts'
import { Questions } from './questions.ts'
import { endEvent, idOf, lifecycle, type TapeSlot, stepEvents, toolEvent } from './step-events.ts'
import { childNamespace, type Placed, type TapeEvent } from './tape-event.ts'

export class RunTape {
  readonly #head: RunHead
  readonly #history: () => Promise<readonly StoredEvent[]>
  readonly #from: TapePlace | null
  readonly #projection: Projection
  readonly #live: TapeMessage
  readonly #questions = new Questions()
  /** The message that the model writes. */
  #writing: string | null = null
  #state: 'new' | 'running' | 'waiting' = 'new'
  /** The last event that was seen, and when it was written. */
  seq = 0
  at = 0

  constructor(
    head: RunHead,
    options: {
      /** What was said on the thread before the run: its events, oldest first. */
      readonly history: () => Promise<readonly StoredEvent[]>
      /** Where the client is in this run. */
      readonly from: TapePlace | null
    },
  ) {
    this.#head = head
    this.#history = options.history
    this.#from = options.from
    this.#projection = new Projection(head)
    this.#live = new TapeMessage(head.runId)
  }

  /** The events that a frame adds, in order. */
  async *see(frame: Followed): AsyncGenerator<Placed, void, undefined> {
    // What a decision did is shown once its last verdict was seen.
    if (frame.kind !== 'event' || !isVerdict(frame.event)) yield* this.#flush()
    if (frame.kind === 'event') yield* this.#see(frame.event)
    // A resumed stream that has not reached its place yet shows nothing live.
    if (this.seq < (this.#from?.seq ?? 0)) return
    if (frame.kind === 'text') yield* this.#live.say(frame.piece)
    if (frame.kind === 'progress') yield* this.#note(frame.progress)
  }

  async *#see(event: StoredEvent): AsyncGenerator<Placed, void, undefined> {
    this.seq = event.seq
    this.at = event.at
    if (this.#projection.needsHistory(event)) this.#projection.begin(await this.#history())
    this.#projection.see(event)
    // What was erased says nothing.
    if (event.salt === '') return
    const answered = this.#questions.see(event, (callId) => this.#projection.steps.toolOf(callId))
    if (event.type === 'approval.requested')
      this.#questions.ask(event, (callId) => this.#projection.argsOf(callId))
    if (event.type === 'input.requested') this.#questions.question(event)
    const child = childEvent(event)
    if (answered) yield { slot: slots.event, event: answered }
    if (child) yield { slot: slots.event + 1, event: child }
    if (event.seq === this.#from?.seq && this.#from.slot >= slots.live) {
      yield* this.#flush()
      if (this.#writing) this.#live.resume(this.#writing, this.#from.slot - slots.live + 1)
    }
  }

  *#flush(): Generator<Placed, void, undefined> {
    const moment = this.#projection.next(null)
    if (!moment) return
    const writing = moment.step.open.findLast(({ node }) => node === 'model')
    this.#writing = writing && 'messageId' in writing.about ? writing.about.messageId : null
    const places = [
      this.#begun(moment),
      ...this.#messages(moment),
      ...stepEvents(moment),
      ...this.#questions.take(),
      this.#waits(moment),
      endEvent(moment),
    ]
    for (const [n, event] of places.entries()) if (event) yield { slot: slots.step + n, event }
  }

  #begun(moment: ShownMoment): TapeSlot {
    if (this.#state !== 'new') return null
    this.#state = 'running'
    return this.#turn(moment, 'running')
  }

  /** Does the run begin to wait for a human, or go on after that? */
  #waits(moment: ShownMoment): TapeSlot {
    const { state, outcome } = moment.step
    if (outcome !== null) return null
    const now = state === 'approval' || state === 'input' ? 'waiting' : 'running'
    if (now === this.#state) return null
    this.#state = now
    return this.#turn(moment, now === 'waiting' ? 'interrupted' : 'running')
  }

  #turn(moment: ShownMoment, event: 'running' | 'interrupted'): TapeEvent {
    const { agent: graph_name, runId: run_id } = this.#head
    return lifecycle(idOf(moment, event), { event, graph_name, run_id })
  }

  /** Messages of the model that are new, and those that came to nothing. */
  #messages({ changes, step }: ShownMoment): readonly TapeSlot[] {
    const gone = [...step.withdrawn, ...step.aborted].map((id) => this.#live.withdraw(id))
    const said = changes.flatMap(({ id, now, before }) => {
      if (now?.type !== 'ai' || before) return []
      return this.#live.finish(
        now,
        step.written.find(({ messageId }) => messageId === id),
      )
    })
    return [...gone, ...said]
  }

  *#note({ callId, attempt, note }: ToolProgress): Generator<Placed, void, undefined> {
    const id = `${this.#head.runId}:${callId}:${attempt}:${note}`
    const about = { event: 'tool-output-delta', tool_call_id: callId, delta: `${note}\n` }
    yield { slot: slots.live, event: toolEvent(`${id}:tool`, about) }
    const tool = this.#projection.steps.toolOf(callId)
    const payload = { tool, call_id: callId, attempt, note }
    const data = () => ({ name: 'tool.progress', payload })
    const event = { id, method: 'custom', channel: 'custom', namespace: [], data } as const
    yield { slot: slots.live, event }
  }
}

/** A run that a call has started: where it begins and ends in the tree. Its own thread has what it says. */
function childEvent({ type, payload, runId, seq }: StoredEvent): TapeEvent | null {
  const id = `${runId}:${seq}:child`
  if (type === 'child.started') {
    const { callId, childRunId } = factSchemas['child.started'].parse(payload)
    const cause = { type: 'toolCall', tool_call_id: callId }
    const data = { event: 'started', run_id: childRunId, cause }
    return lifecycle(id, data, [childNamespace(callId)])
  }
  if (type !== 'child.ended') return null
  const { callId, childRunId, outcome } = factSchemas['child.ended'].parse(payload)
  const event = broken.has(outcome) ? 'failed' : 'completed'
  return lifecycle(id, { event, run_id: childRunId, outcome }, [childNamespace(callId)])
}

const broken: ReadonlySet<string> = new Set(['failed', 'interrupted', 'timed_out', 'cancelled'])
