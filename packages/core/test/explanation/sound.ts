/** What holds of every explanation, whatever the log. */
import { expect } from 'vitest'
import {
  Effect,
  factSchemas,
  type Explainable,
  type RunExplanation,
  RunExplanation as Schema,
} from '../../src/index.ts'
import { z } from 'zod'

/** Which types of events may prove which check. Kept by hand: from the meaning of the events, not from the code. */
const provenBy: Readonly<Record<string, readonly string[]>> = {
  close: ['model.completed'],
  guardrails: ['model.completed', 'guardrail.redacted'],
  loop: ['run.transitioned', 'loop.warned', 'loop.stopped'],
  budget: ['run.transitioned', 'budget.exhausted', 'budget.refused'],
  policy: [
    'run.transitioned',
    'policy.answered',
    'policy.faulted',
    'call.flagged',
    'call.denied',
    'approval.requested',
    'approval.reused',
    'approval.skipped',
  ],
  denial: ['call.denied'],
  approval: [
    'approval.requested',
    'approval.answered',
    'approval.reused',
    'approval.skipped',
    'approval.expired',
  ],
  dispatch: ['run.transitioned'],
  attempt: ['effect.started'],
  recheck: ['tool.denied'],
  outcome: [
    'tool.completed',
    'tool.failed',
    // Of a rerun: recalled.
    'tool.denied',
    'tool.aborted',
    'tool.unknown',
    'tool.resolved',
    'tool.late',
    'recall.missed',
    'rerun.stopped',
    'child.started',
    'child.ended',
    'input.answered',
    'input.expired',
    'input.requested',
    'todo.written',
    'event.ignored',
    'model.completed',
  ],
}

const Proof = z.object({ seq: z.number(), type: z.string(), at: z.string() })

/** Every proof in the document, wherever it stands. */
function proofsIn(value: unknown): readonly z.infer<typeof Proof>[] {
  const proof = Proof.safeParse(value)
  if (proof.success) return [proof.data]
  if (Array.isArray(value)) return value.flatMap(proofsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(proofsIn) : []
}

const Started = z.object({ effectId: z.string() })
const Steps = z.object({ effects: z.array(Effect) })

/** Attempts of calls: not of the model, of policies or of webhooks. */
function attemptsIn(events: readonly Explainable[]): readonly number[] {
  const ofCalls = new Set(
    events.flatMap(({ type, payload }) =>
      type === 'run.transitioned'
        ? Steps.parse(payload).effects.flatMap((each) => ('callId' in each ? [each.id] : []))
        : [],
    ),
  )
  return events.flatMap(({ type, payload, seq }) =>
    type === 'effect.started' && ofCalls.has(Started.parse(payload).effectId) ? [seq] : [],
  )
}

const byText = (a: string, b: string) => (a < b ? -1 : 1)

export function expectSound(explained: RunExplanation, events: readonly Explainable[]): void {
  expect(Schema.parse(explained)).toEqual(explained)
  const types = new Map(events.map(({ seq, type }) => [seq, type]))
  // Every event that is cited is there, and is what it is said to be.
  for (const { seq, type } of proofsIn(explained))
    expect([seq, types.get(seq)]).toEqual([seq, type])
  for (const { checks } of explained.calls)
    for (const { check, proof } of checks) expect(provenBy[check]).toContain(proof.type)
  // Every call of every answer is there, once, those that the provider executed itself among them.
  const asked = events.flatMap(({ seq, type, payload }) =>
    type === 'model.completed'
      ? factSchemas[type]
          .parse(payload)
          .turn.message.parts.flatMap((part) =>
            part.type === 'tool_call' || part.type === 'provider_tool'
              ? [`${seq} ${part.id} ${part.name}`]
              : [],
          )
      : [],
  )
  const shown = explained.calls.map(
    ({ asked: by, call_id, tool }) => `${by?.seq} ${call_id} ${tool}`,
  )
  expect(shown.toSorted(byText)).toEqual(asked.toSorted(byText))
  // Every attempt of a call is cited, once, and a call without one did not run, but as a run or by a late word.
  const cited = explained.calls.flatMap(({ checks }) =>
    checks.flatMap(({ check, proof }) => (check === 'attempt' ? [proof.seq] : [])),
  )
  expect(cited.toSorted((a, b) => a - b)).toEqual(attemptsIn(events))
  for (const { why, ran } of explained.calls) {
    const lead = {
      ran: /^It ran/,
      did_not_run: /^It did not run\. \S/,
      unknown: /^It is not known/,
    }
    expect(why).toMatch(lead[ran])
    for (const [, seq] of why.matchAll(/#(\d+)/g)) expect(types.has(Number(seq))).toBe(true)
  }
}
