/**
 * The steps of a thread, folded from its events: one per decision, with what had been said by then. A fact belongs to the
 * decision that folded it, whatever else was written in between, so no step ever shows half of one.
 */
import {
  conversationTypes,
  decisionSchemas,
  effectTraits,
  type FactPayload,
  isFactType,
  type Outcome,
  readFact,
  settles,
  type StateName,
} from '@signalbox/core'
import type { Moment, StoredEvent } from '@signalbox/engine'
import { Artifacts } from '../../files/artifacts.ts'
import type { AskedApproval } from '../../http/wire/approval-view.ts'
import { askedInput, type AskedInput } from '../../http/wire/input-view.ts'
import { iso } from '../../http/wire/iso.ts'
import { checkpointId } from './checkpoint.ts'
import { type RunFailure, Failures } from './failure.ts'
import { type ChatMessage, ChatMessages } from './messages.ts'
import { plansOf } from './plan.ts'
import type { RunLeft } from './run-values.ts'

/** Types of events that the steps of a thread are folded from. */
export const stepTypes: readonly string[] = [
  ...conversationTypes,
  'run.transitioned',
  'model.aborted',
  'context.unchanged',
  'policy.answered',
  'approval.requested',
  'approval.expired',
  'input.requested',
  'cancel.requested',
  'run.faulted',
]

/** Which decision a step is. */
export interface StepHead {
  readonly id: string
  /** The step before it in its conversation; null for the first. */
  readonly parentId: string | null
  readonly runId: string
  /** Position in its conversation, from -1, as LangGraph counts. */
  readonly n: number
  /** Is it the first of its run? */
  readonly isInput: boolean
  /** Is its run an edit of the conversation? */
  readonly isEdit: boolean
}

/** A call that waits for a human. */
type Asked = AskedApproval | AskedInput

/** A decision, and the thread as it left it. */
export interface StateStep extends StepHead, RunLeft {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly state: StateName
  readonly outcome: Outcome | null
  /** Effects that were asked for and have not settled, and the states that wait for them. */
  readonly open: ReadonlyMap<string, string>
  /** Calls that wait for a human: to be approved, or answered. */
  readonly asked: readonly Asked[]
  /** Is its run being cancelled, with nothing behind it that goes on? */
  readonly isCancelled: boolean
  /** Of the end of its run; null if it was none. */
  readonly failure: RunFailure | null
  readonly messages: readonly ChatMessage[]
}

/**
 * All steps, oldest first. The events may be those of one conversation, or of all that go on from each other: a run goes on
 * from what its first event names, or else from the run before it that was not rolled back.
 */
export function stepHeads(events: readonly StoredEvent[]): readonly StepHead[] {
  const heads: StepHead[] = []
  const gone = new Set(events.filter(isRollback).map(({ runId }) => runId))
  const bases = new Map<string, Moment>()
  const edits = new Set<string>()
  const known = new Map<string, StepHead>()
  for (const event of events) {
    const { runId, seq } = event
    const { base, edit } = beginningOf(event)
    if (base) bases.set(runId, base)
    if (edit) edits.add(runId)
    if (!isStep(event)) continue
    const own = known.get(runId)
    const before = own ?? parentOf(heads, { base: bases.get(runId), gone })
    const head = {
      id: checkpointId(runId, seq),
      parentId: before?.id ?? null,
      runId,
      n: (before?.n ?? -2) + 1,
      isInput: !own,
      isEdit: edits.has(runId),
    }
    known.set(runId, head)
    heads.push(head)
  }
  return heads
}

/** The step that a run begins behind. */
function parentOf(
  heads: readonly StepHead[],
  { base, gone }: { readonly base: Moment | undefined; readonly gone: ReadonlySet<string> },
): StepHead | undefined {
  if (!base) return heads.findLast(({ runId }) => !gone.has(runId))
  const last = checkpointId(base.runId, base.seq)
  return heads.findLast(({ id, runId }) => runId === base.runId && id <= last)
}

/** How the run of a `run.created` begins: what it goes on from, if it says so, and whether it is an edit. */
export function beginningOf(
  event: StoredEvent,
): Partial<Pick<FactPayload<'run.created'>, 'base' | 'edit'>> {
  if (event.type !== 'run.created' || event.salt === '') return {}
  const fact = readFact(event)
  return fact?.type === 'run.created' ? fact.payload : {}
}

const isRollback = (event: StoredEvent): boolean =>
  event.type === 'run.transitioned' && event.payload['outcome'] === 'rolled_back'

/** Erased events say nothing, not even of steps. */
const isStep = (event: StoredEvent): boolean =>
  event.type === 'run.transitioned' && event.salt !== ''

/** Folds the events of a thread, oldest first, and answers the steps that are wanted. */
export function foldSteps(
  events: readonly StoredEvent[],
  wanted: readonly StepHead[],
): readonly StateStep[] {
  const story = new Story()
  const steps: StateStep[] = []
  const heads = new Map(wanted.map((head) => [head.id, head]))
  const plans = plansOf(events, stepHeads(events))
  const keep = (next?: StoredEvent) => {
    const head = heads.get(story.id)
    if (head) steps.push({ ...head, ...story.now(next), todos: plans.get(head.id) ?? null })
  }
  for (const event of events) {
    // What follows a decision up to the next one is part of it.
    if (isStep(event)) keep(event)
    story.take(event)
  }
  keep()
  return steps
}

class Story {
  readonly #messages = new ChatMessages()
  readonly #open = new Map<string, string>()
  readonly #asked = new Map<string, Asked>()
  /** Facts that no decision has folded yet. */
  #facts: StoredEvent[] = []
  #runId = ''
  #failures = new Failures()
  readonly #artifacts = new Artifacts()
  #decided: Pick<StateStep, 'at' | 'state' | 'outcome'> = { at: 0, state: 'queued', outcome: null }
  /** The step that is being told; empty before the first. */
  id = ''

  take(event: StoredEvent): void {
    if (event.salt === '') return
    if (event.runId !== this.#runId) this.#begin(event.runId)
    this.#failures.see(event)
    if (event.type === 'run.transitioned') this.#decide(event)
    else if (isFactType(event.type)) this.#facts.push(event)
    else this.#verdict(event)
  }

  /** The step that is told, before the decision that comes next in the events, if one does. */
  now(next?: StoredEvent): Omit<StateStep, keyof StepHead | 'todos'> {
    const [open, asked] = [new Map(this.#open), [...this.#asked.values()]]
    // A decision that was made behind the cancel says itself what goes on.
    const isLast = next?.runId !== this.#runId
    const isCancelled =
      this.#decided.state === 'cancelling' ||
      (isLast && this.#facts.some(({ type }) => type === 'cancel.requested'))
    const failure = this.#failures.at(this.#decided.outcome)
    const [messages, artifacts] = [this.#messages.list(), this.#artifacts.values]
    return { ...this.#decided, open, asked, isCancelled, failure, messages, artifacts }
  }

  #begin(runId: string): void {
    this.#runId = runId
    this.#facts = []
    this.#open.clear()
    this.#asked.clear()
    this.#failures = new Failures()
    this.#artifacts.clear()
  }

  #decide(event: StoredEvent): void {
    const payload = decisionSchemas['run.transitioned'].parse(event.payload)
    const { through, path, outcome, effects } = payload
    for (const fact of this.#facts) if (fact.seq <= through) this.#fold(fact)
    this.#facts = this.#facts.filter((fact) => fact.seq > through)
    for (const { id, kind } of effects) {
      const { node } = effectTraits[kind]
      if (node !== null) this.#open.set(id, node)
    }
    for (const id of payload.retries) this.#open.set(id, 'tools')
    const state = path.at(-1) ?? 'queued'
    if (outcome !== null) this.#open.clear()
    if (outcome !== null || state === 'cancelling') this.#asked.clear()
    this.id = checkpointId(event.runId, event.seq)
    this.#decided = { at: event.at, state, outcome }
  }

  #fold(fact: StoredEvent): void {
    this.#messages.take(fact)
    this.#artifacts.take(fact)
    const { effectId, callId } = fact.payload
    if (typeof effectId === 'string' && settles(fact.type) !== null) this.#open.delete(effectId)
    if (typeof callId === 'string') this.#asked.delete(callId)
  }

  #verdict(event: StoredEvent): void {
    this.#messages.take(event)
    const { callId } = event.payload
    if (event.type === 'approval.requested') this.#ask(event)
    else if (event.type === 'input.requested') this.#question(event)
    else if (typeof callId === 'string') this.#asked.delete(callId)
  }

  #ask(event: StoredEvent): void {
    const asked = askedApproval(event, (callId) => this.#messages.argsOf(callId))
    this.#asked.set(asked.call_id, asked)
  }

  #question(event: StoredEvent): void {
    const asked = askedQuestion(event)
    this.#asked.set(asked.call_id, asked)
  }
}

/** What an `input.requested` asks. */
export const askedQuestion = ({ payload, at }: StoredEvent): AskedInput =>
  askedInput(decisionSchemas['input.requested'].parse(payload), at)

/** What an `approval.requested` asks; `argsOf` knows the arguments of calls. */
export function askedApproval(
  event: StoredEvent,
  argsOf: (callId: string) => Record<string, unknown> | null,
): AskedApproval {
  const request = decisionSchemas['approval.requested'].parse(event.payload)
  const { callId, expiresAt } = request
  return {
    for: 'approval',
    approval_id: request.approvalId,
    call_id: callId,
    tool: request.tool,
    args: argsOf(callId),
    args_hash: request.argsHash,
    policy_id: request.policyId ?? null,
    policy_digest: request.policyDigest ?? null,
    reason: request.reason,
    requested_at: iso(event.at),
    expires_at: expiresAt === null ? null : iso(expiresAt),
  }
}
