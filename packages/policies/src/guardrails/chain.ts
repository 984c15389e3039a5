/**
 * The chain: a fold of the guardrails over one part. The first that does not pass wins and is named.
 *
 * - A guardrail that throws, or answers what no guardrail may, stops the turn under its own name: fail-closed.
 * - What executes is never what a guardrail returned: calls and errors come back as they went in, or the turn stops.
 * - Reasons made here are codes. They never hold anything of the part.
 */
import { limits, unawaited } from '@signalbox/core'
import type { StreamPart } from '@signalbox/engine'
import {
  fail,
  type Guardrail,
  type GuardrailContext,
  type GuardrailResult,
  pass,
  stop,
} from './part.ts'

/** The outcome for the part, and the guardrail that decided it; null if all passed. */
export interface ChainResult {
  readonly result: GuardrailResult
  readonly by: { readonly id: string; readonly name: string } | null
  /** Everything that was taken out of a text on the way, and by which guardrail. */
  readonly redacted: readonly Redacted[]
}

/** One thing that a guardrail has taken out. */
export interface Redacted {
  readonly guardrail: { readonly id: string; readonly name: string }
  readonly kind: string
}

/** Feedback and reasons longer than this are cut: they become text of the conversation. */
const feedbackCharsMax = 4000

/** Judges one part. Never throws. An empty list passes it. */
export function runGuardrailChain(
  part: StreamPart,
  guardrails: readonly Guardrail[],
  context: GuardrailContext,
): ChainResult {
  let current = part
  const redacted: Redacted[] = []
  for (const guardrail of guardrails) {
    if (guardrail.parts?.includes(part.type) === false) continue
    const by = { id: guardrail.id, name: guardrail.name }
    const result = judge(guardrail, current, context)
    if (result.type !== 'pass') return { result, by, redacted }
    for (const kind of result.redacted ?? []) redacted.push({ guardrail: by, kind })
    current = result.part
  }
  return { result: pass(current), by: null, redacted }
}

/** The kinds that a guardrail says it took out; of one that says nothing, that it changed the text. */
function kindsOf(told: unknown): readonly string[] {
  if (told === undefined) return ['changed']
  if (!Array.isArray(told)) throw new TypeError('redacted is no list')
  const kinds: unknown[] = told
  return kinds.filter(
    (kind): kind is string => typeof kind === 'string' && /^[a-z0-9-]{1,64}$/.test(kind),
  )
}

/** Everything that an answer holds is read in here, once: a getter may throw, or say something else the next time. */
function judge(guardrail: Guardrail, part: StreamPart, context: GuardrailContext): GuardrailResult {
  try {
    return part.type === 'text' || part.type === 'reasoning'
      ? checkText(part, answerOf(guardrail, part, context))
      : judgeSealed(guardrail, part, context)
  } catch {
    return stop(part, 'guardrail_error')
  }
}

function answerOf(
  guardrail: Guardrail,
  part: StreamPart,
  context: GuardrailContext,
): GuardrailResult {
  const answer = guardrail.handle(part, context)
  unawaited(answer)
  return answer
}

/** Each guardrail gets a copy of its own, so that changing it in place has no effect but to be found out. */
function judgeSealed(
  guardrail: Guardrail,
  part: StreamPart,
  context: GuardrailContext,
): GuardrailResult {
  const seal = JSON.stringify(part)
  const copy: StreamPart = JSON.parse(seal)
  const result = answerOf(guardrail, copy, context)
  if (result.type !== 'pass') return verdict(part, result)
  if (JSON.stringify(result.part) !== seal) return stop(part, 'guardrail_changed_part')
  return pass(part)
}

function checkText(
  part: Extract<StreamPart, { text: string }>,
  result: GuardrailResult,
): GuardrailResult {
  if (result.type !== 'pass') return verdict(part, result)
  const { part: changed, redacted } = result
  if (changed.type !== part.type) return stop(part, 'guardrail_changed_part')
  const { text } = changed
  if (typeof text !== 'string' || text.length > limits.turnBytesMax)
    return stop(part, 'guardrail_error')
  return text === part.text ? pass(part) : pass({ type: part.type, text }, kindsOf(redacted))
}

/** A handler written in JavaScript may answer anything: a promise, say. */
function verdict(part: StreamPart, result: GuardrailResult): GuardrailResult {
  if (result.type === 'fail') {
    const { feedback } = result
    if (typeof feedback === 'string') return fail(feedback.slice(0, feedbackCharsMax))
  }
  if (result.type === 'stop') {
    const { reason } = result
    if (typeof (reason ?? '') === 'string') return stop(part, reason?.slice(0, feedbackCharsMax))
  }
  return stop(part, 'guardrail_error')
}
