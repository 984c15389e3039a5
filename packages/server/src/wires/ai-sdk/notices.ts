/** What a message says beside its text, as data parts: why it was stopped, and which runs work for it. Never arguments. */
import { decisionSchemas, type Fact } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { Chunk } from './chunk.ts'

/** A stop for safety, or a turn that was cut for another reason, by the verdict that says so; nothing for other events. */
export function noticeOf({ type, payload }: StoredEvent): readonly Chunk[] {
  switch (type) {
    case 'safety.suppressed': {
      const { turn, evidence, calls } = decisionSchemas[type].parse(payload)
      const detectors = [...new Set(evidence.map(({ detector }) => detector))]
      return [safety(turn, { verdict: 'safety', detectors, tools: namesOf(calls) })]
    }
    case 'turn.cut': {
      const { turn, verdict, calls } = decisionSchemas[type].parse(payload)
      return [{ type: 'data-cut', id: `cut-${turn}`, data: { verdict, tools: namesOf(calls) } }]
    }
    case 'guardrail.stopped': {
      const { turn, trip, calls } = decisionSchemas[type].parse(payload)
      const about = { detectors: [trip.guardrail.id], tools: namesOf(calls) }
      return [safety(turn, { verdict: 'guardrail', ...about })]
    }
    default:
      return []
  }
}

/** The run that does the work of a call, while it goes on and when it has ended: the same part. */
export function childNotice(fact: Fact): readonly Chunk[] {
  if (fact.type !== 'child.started' && fact.type !== 'child.ended') return []
  const { callId: toolCallId, childRunId: runId } = fact.payload
  const about = { toolCallId, runId }
  const data =
    fact.type === 'child.started'
      ? { ...about, status: 'running' }
      : { ...about, status: 'ended', outcome: fact.payload.outcome }
  return [{ type: 'data-child-run', id: toolCallId, data }]
}

interface Notice {
  readonly verdict: 'safety' | 'guardrail'
  /** Which detectors or guardrails saw something. */
  readonly detectors: readonly string[]
  /** The tools whose calls were taken out. */
  readonly tools: readonly string[]
}

const safety = (turn: number, data: Notice): Chunk => ({
  type: 'data-safety',
  id: `safety-${turn}`,
  data,
})

const namesOf = (calls: readonly { readonly name: string }[]): readonly string[] =>
  calls.map(({ name }) => name)
