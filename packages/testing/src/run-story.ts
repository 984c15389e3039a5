/** The calls, denials, approvals and redactions of a run, made of its events and of nothing else. */
import {
  decisionSchemas,
  type ExplainedCall,
  explainRun,
  factSchemas,
  type JsonObject,
  legible,
  type ToolOutput,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'

/** A call that the model asked for. */
export interface TestCall {
  readonly callId: string
  readonly tool: string
  /** As they were executed, or would have been: redacted, or edited by a person. */
  readonly args: JsonObject
  /** Did it execute? True from the moment a worker began, whatever came of it. */
  readonly executed: boolean
  /** Its end in one word: `completed`, `denied`, `waiting_for_approval`, … */
  readonly end: ExplainedCall['end']
  /** The reason for which it was executed, or not, as a sentence. */
  readonly why: string
  /** The result of the tool; null if there is none. */
  readonly result: ToolOutput | null
  /** The event with which its execution began; 0: it did not. */
  readonly beganAt: number
}

/** A call that was refused. */
export interface TestDenial {
  readonly callId: string
  readonly tool: string
  /** The policy by its id; null: none did, as with a tool that is not there, or a person's no. */
  readonly policy: string | null
  readonly codes: readonly string[]
  readonly message: string
}

/** A call that a person had to decide about. */
export interface TestApproval {
  readonly callId: string
  readonly tool: string
  /** `waiting`: there is no answer yet. */
  readonly answer: 'waiting' | 'approve' | 'edit' | 'reject' | 'expired'
  readonly note: string | null
}

/** Something that a stream guardrail took out before it was recorded. */
export interface TestRedaction {
  readonly guardrail: string
  /** As in the marker that stands in its place: `email`, `github-token`, … */
  readonly kind: string
  readonly place: 'text' | 'reasoning' | 'arguments' | 'result'
  readonly tool: string | null
  readonly count: number
}

/** Everything that assertions read of a run. */
export interface RunStory {
  readonly calls: readonly TestCall[]
  readonly denials: readonly TestDenial[]
  readonly approvals: readonly TestApproval[]
  readonly redactions: readonly TestRedaction[]
  /** The last words of the model. */
  readonly answer: string
}

/** Reads the events of a run, in order. */
export function storyOf(events: readonly StoredEvent[]): RunStory {
  const [first] = events
  const about = { runId: first?.runId ?? '', threadId: first?.threadId ?? '' }
  const { calls } = explainRun(about, events.map(legible))
  return {
    calls: calls.map((each) => callOf(each, events)),
    denials: events.flatMap(denialOf),
    approvals: events
      .filter(({ type }) => type === 'approval.requested')
      .map((asked) => approvalOf(asked, events)),
    redactions: events.flatMap(redactionOf),
    answer: answerOf(events),
  }
}

function callOf(explained: ExplainedCall, events: readonly StoredEvent[]): TestCall {
  const { call_id: callId, tool, ran, end, why, checks } = explained
  const attempt = checks.find(({ check }) => check === 'attempt')
  // A run that was started for a call executes it; no worker does.
  const started = checks.find(
    (each) => each.check === 'outcome' && each.verdict === 'child_started',
  )
  const began = attempt ?? started
  const executed = ran === 'ran' || (ran === 'unknown' && began !== undefined)
  return {
    callId,
    tool,
    args: argsOf(callId, events),
    executed,
    end,
    why,
    result: resultOf(callId, events),
    beganAt: executed ? (began?.proof.seq ?? 0) : 0,
  }
}

function argsOf(callId: string, events: readonly StoredEvent[]): JsonObject {
  for (const { type, payload } of events.toReversed()) {
    if (type !== 'approval.answered' || payload['callId'] !== callId) continue
    const { data } = factSchemas[type].safeParse(payload)
    if (data?.edited) return data.edited.args
  }
  for (const { type, payload } of events) {
    const { data } = factSchemas['model.completed'].safeParse(
      type === 'model.completed' ? payload : null,
    )
    for (const part of data?.turn.message.parts ?? [])
      if (part.type === 'tool_call' && part.id === callId) return part.args
  }
  return {}
}

function resultOf(callId: string, events: readonly StoredEvent[]): ToolOutput | null {
  for (const { type, payload } of events) {
    if (payload['callId'] !== callId) continue
    if (type === 'tool.completed' || type === 'child.ended') {
      const { data } = factSchemas[type].safeParse(payload)
      if (data) return data.output
    }
    if (type === 'tool.failed') {
      const { data } = factSchemas[type].safeParse(payload)
      if (data) return { content: [{ type: 'text', text: data.error.message }], isError: true }
    }
  }
  return null
}

function denialOf({ type, payload }: StoredEvent): readonly TestDenial[] {
  if (type === 'call.denied') {
    const { data } = decisionSchemas[type].safeParse(payload)
    if (!data) return []
    const { callId, tool, message, policyId, code, reasons = [] } = data
    const codes = [...new Set([code, ...reasons.map((reason) => reason.code)])]
    return [{ callId, tool, message, codes, policy: policyId ?? null }]
  }
  if (type !== 'tool.denied') return []
  const { data } = factSchemas[type].safeParse(payload)
  if (!data) return []
  const { callId, tool, answer } = data
  const [first] = answer.reasons
  const codes = answer.reasons.map(({ code }) => code)
  return [{ callId, tool, message: first?.message ?? '', codes, policy: answer.policyId || null }]
}

function approvalOf({ payload }: StoredEvent, events: readonly StoredEvent[]): TestApproval {
  const { callId, tool } = decisionSchemas['approval.requested'].parse(payload)
  const about = events.filter((event) => event.payload['callId'] === callId)
  const answered = about.find(({ type }) => type === 'approval.answered')
  const expired = about.some(({ type }) => type === 'approval.expired')
  if (expired) return { callId, tool, answer: 'expired', note: null }
  if (!answered) return { callId, tool, answer: 'waiting', note: null }
  const { decision, note = null } = factSchemas['approval.answered'].parse(answered.payload)
  return { callId, tool, answer: decision, note }
}

function redactionOf({ type, payload }: StoredEvent): readonly TestRedaction[] {
  if (type !== 'guardrail.redacted') return []
  const { data } = decisionSchemas[type].safeParse(payload)
  if (!data) return []
  const { guardrail, kind, place, tool = null, count } = data
  return [{ guardrail: guardrail.id, kind, place, tool, count }]
}

function answerOf(events: readonly StoredEvent[]): string {
  const last = events.findLast(({ type }) => type === 'model.completed')
  const { data } = factSchemas['model.completed'].safeParse(last?.payload)
  const parts = data?.turn.message.parts ?? []
  return parts
    .map((part) => (part.type === 'text' ? part.text : part.type === 'blob' ? part.preview : ''))
    .join('')
}
