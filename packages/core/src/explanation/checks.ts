/** The checks of a call, in the order in which they were made. Each is proven by an event; a pass, by the decision. */
import { effectTraits } from '../effect.ts'
import type { Check } from './check.ts'
import { approvalChecks } from './approvals.ts'
import type { Known } from './place.ts'
import {
  allowed,
  answeredBy,
  deniedCheck,
  faultedCheck,
  flaggedCheck,
  passedOn,
  rechecked,
  warnedCheck,
} from './policies.ts'
import { nothingMore, settlementOf } from './settlements.ts'
import {
  type AnsweredTurn,
  type CallEvent,
  type CallStory,
  type Gone,
  proofOf,
  type TransitionEvent,
  type Story,
} from './story.ts'

/** The state of reading a call's events one after the other. */
export interface Reading {
  readonly story: Story
  readonly call: CallStory
  readonly checks: Check[]
}

/** All checks of a call. */
export function checksOf(story: Story, call: CallStory): readonly Check[] {
  const reading: Reading = { story, call, checks: closeOf(call) }
  for (const event of call.events) reading.checks.push(...read(reading, event))
  return reading.checks
}

function closeOf(call: CallStory): Check[] {
  const { part, answer } = call
  if (answer?.answer.type !== 'model.completed') return []
  const { turn } = answer.answer.payload
  const proof = proofOf(answer.answer)
  const close: Check = {
    check: 'close',
    verdict: turn.verdict,
    finish: turn.finish?.raw ?? turn.finish?.unified ?? null,
    provider: turn.provider,
    model: turn.model,
    proof,
    says:
      turn.verdict === 'complete'
        ? `The stream of the answer closed positively${turn.finish ? ` (${turn.finish.raw ?? turn.finish.unified})` : ''}.`
        : `The stream of the answer did not close positively (${turn.verdict}).`,
  }
  if (part?.type !== 'provider_tool') return [close, ...argumentsOf(call, answer.answer)]
  const says =
    'The provider executed this tool itself, before its answer came: no check of this system stands between.'
  const done = { verdict: 'by_provider', attempt: null, code: null } as const
  return [
    close,
    { check: 'outcome', ...nothingMore, ...done, actor: answer.answer.actor, proof, says },
  ]
}

function read(reading: Reading, event: CallEvent): readonly Check[] {
  switch (event.type) {
    case 'judged':
      return judged(reading, event.step)
    case 'passed_on':
      return passedOn(reading.call, event.step)
    case 'dispatched':
      return dispatched(reading, event)
    case 'again':
      return [again(event)]
    case 'effect.started':
      return [began(event)]
    case 'guardrail.redacted':
      return event.payload.place === 'arguments' ? [] : [redacted(event)]
    case 'policy.answered':
      return answeredBy(reading.call, event)
    case 'policy.faulted':
      return [faultedCheck(event)]
    case 'policy.warned':
      return [warnedCheck(event)]
    case 'call.flagged':
      return [flaggedCheck(event)]
    case 'call.denied':
      return [deniedCheck(event)]
    case 'tool.denied':
      return [event.payload.recalled ? settlementOf(event) : rechecked(event)]
    case 'budget.refused':
      return [usedUp(event)]
    case 'approval.requested':
    case 'approval.answered':
    case 'approval.reused':
    case 'approval.skipped':
    case 'approval.expired':
      return approvalChecks(reading, event)
    // The expiry that it brings is an event of its own.
    case 'timer.fired':
      return []
    case 'input.requested':
    case 'todo.written':
      return settledHere(reading, event)
    case 'erased':
      return [gone(event)]
    default:
      return [settlementOf(event)]
  }
}

/** Loop and budget come before the calls are judged one by one. */
function judged({ call }: Reading, step: TransitionEvent): readonly Check[] {
  if (!step.payload.path.includes('guardrail') || call.part?.type === 'provider_tool') return []
  const { verdicts = [], answer } = call.answer ?? {}
  const stop = verdicts.find((each) => each.type === 'loop.stopped' || each.type === 'loop.warned')
  const spent = verdicts.find((each) => each.type === 'budget.exhausted')
  const messageId = answer?.type === 'model.completed' ? answer.payload.turn.message.id : null
  const proof = proofOf(step)
  return [
    stop
      ? looped(stop)
      : {
          ...passes,
          check: 'loop',
          verdict: 'no_objection',
          proof,
          says: 'The loop check had no objection.',
        },
    ...(stop?.type === 'loop.stopped'
      ? []
      : [spent?.payload.messageId === messageId && spent ? usedUp(spent) : inBudget(step)]),
  ]
}

const passes = { layer: null, count: null, threshold: null } as const

/** The work of stream guardrails on the arguments, while the answer came. */
function argumentsOf({ part, events }: CallStory, answered: AnsweredTurn): readonly Check[] {
  const { turn } = answered.payload
  const isOf = (each: { readonly place: string; readonly callId?: string | undefined }) =>
    each.place === 'arguments' && each.callId === part?.id
  if (turn.verdict !== 'complete') return []
  if (turn.redactions?.some(isOf))
    return events.flatMap((each) =>
      each.type === 'guardrail.redacted' && isOf(each.payload) ? [redacted(each)] : [],
    )
  return [
    {
      check: 'guardrails',
      verdict: 'no_objection',
      guardrail: null,
      kind: null,
      place: 'arguments',
      count: 0,
      proof: proofOf(answered),
      says: 'No stream guardrail objected to the answer, or took anything out of the arguments.',
    },
  ]
}

function redacted(event: Known<'guardrail.redacted'>): Check {
  const { guardrail, kind, place, count } = event.payload
  const where = place === 'result' ? 'result' : 'arguments'
  const says = `The guardrail ${guardrail.name} took ${count} × ${kind} out of the ${where} before they were recorded.`
  return {
    check: 'guardrails',
    verdict: 'redacted',
    guardrail: guardrail.id,
    kind,
    place: where,
    count,
    proof: proofOf(event),
    says,
  }
}

function looped(event: Known<'loop.stopped' | 'loop.warned'>): Check {
  const { layer, count, threshold } = event.payload
  const stopped = event.type === 'loop.stopped'
  const says = stopped
    ? `The loop check refused the set of calls (${layer}, ${count} times, limit ${threshold}), and the run ended.`
    : `The loop check warned the model (${layer}, ${count} times), and let the calls go on.`
  return {
    check: 'loop',
    verdict: stopped ? 'stopped' : 'warned',
    layer,
    count,
    threshold,
    proof: proofOf(event),
    says,
  }
}

const inBudget = (step: TransitionEvent): Check => ({
  check: 'budget',
  verdict: 'no_objection',
  budget: null,
  used: null,
  limit: null,
  proof: proofOf(step),
  says: 'The calls of the answer were within the budget of calls of the run.',
})

function usedUp(event: Known<'budget.exhausted' | 'budget.refused'>): Check {
  const { budget, used, limit } = event.payload
  const verdict = event.type === 'budget.exhausted' ? 'exhausted' : 'refused'
  const says =
    verdict === 'exhausted'
      ? `The budget of ${budget} was used up (${used} of ${limit}): no call of the answer was executed.`
      : `The runs of the tree together had used up the budget of ${budget} (${used} of ${limit}): the call was not made.`
  return { check: 'budget', verdict, budget, used, limit, proof: proofOf(event), says }
}

function dispatched(
  { call, checks }: Reading,
  { step, effect }: Extract<CallEvent, { type: 'dispatched' }>,
): readonly Check[] {
  const { verdict, says } = effectTraits[effect.kind].dispatch
  const dispatch: Check = {
    check: 'dispatch',
    verdict,
    effect_id: effect.id,
    mode: effect.mode,
    queue: effect.queue,
    tool_version: effect.kind === 'tool.call' ? effect.toolVersion : null,
    args_hash: effect.argsHash,
    approval_seq: effect.approval ?? null,
    proof: proofOf(step),
    says,
  }
  // After an edit the policies judge the new arguments; otherwise what was judged is there already.
  const known = checks.some((each) => each.check === 'policy' && each.verdict !== 'faulted')
  const isJudged = call.answer !== null || checks.length > 0
  return (effect.edited === true || !known) && isJudged ? [allowed(step), dispatch] : [dispatch]
}

/** The decision that judges the call settles it: no policy objected, and nothing is dispatched. */
function settledHere(
  { call, checks }: Reading,
  event: Known<'input.requested' | 'todo.written'>,
): readonly Check[] {
  const isKnown = checks.some((each) => each.check === 'policy' && each.verdict !== 'faulted')
  const [step] = call.events.flatMap((each) => (each.type === 'judged' ? [each.step] : []))
  return [...(step && !isKnown ? [allowed(step)] : []), settlementOf(event)]
}

const again = ({ step, effectId }: Extract<CallEvent, { type: 'again' }>): Check => ({
  check: 'dispatch',
  verdict: 'again',
  effect_id: effectId,
  mode: null,
  queue: null,
  tool_version: null,
  args_hash: null,
  approval_seq: null,
  proof: proofOf(step),
  says: 'The decision allowed one more attempt, under the same idempotency key.',
})

function began(event: Known<'effect.started'>): Check {
  const { effectId, attempt, owner } = event.payload
  const says = `Attempt ${attempt} was claimed by ${owner}, before anything executed.`
  return {
    check: 'attempt',
    verdict: 'began',
    effect_id: effectId,
    attempt,
    worker: owner,
    proof: proofOf(event),
    says,
  }
}

function gone({ event, record }: Gone): Check {
  const by = record ? `by the record #${record.seq}` : 'without a record in this log'
  const says = `The content of #${event.seq} was erased, ${by}. Its columns still prove ${event.type}${event.verdict ? ` (${event.verdict})` : ''} by ${event.actor}.`
  return {
    check: 'erased',
    verdict: event.verdict ?? null,
    erased_by: record ? proofOf(record) : null,
    proof: proofOf(event),
    says,
  }
}
