/** The timeline of a run in words. A failed assertion shows it, so that its reader needs no other log. */
import { isNotable, linePartsOf } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { at, duration, listAt, oneLine, textAt } from '@signalbox/core/text'

/** More lines than this are left out in the middle. */
const linesMax = 120
const lineCharsMax = 180

/** The lines, with the time since the first event. */
export function timelineOf(events: readonly StoredEvent[]): string {
  const [first] = events
  const lines = events.flatMap((event) =>
    sentencesOf(event, events).map((sentence) => {
      const ms = first ? event.at - first.at : 0
      const time = ms < 10_000 ? `${Math.max(0, ms)} ms` : duration(ms)
      return `${time.padStart(9)}  ${oneLine(sentence, lineCharsMax)}`
    }),
  )
  if (lines.length <= linesMax) return lines.join('\n')
  const half = linesMax / 2
  const left = `           … ${lines.length - linesMax} more …`
  return [...lines.slice(0, half), left, ...lines.slice(-half)].join('\n')
}

type Say = (
  payload: unknown,
  event: StoredEvent,
  events: readonly StoredEvent[],
) => readonly string[]

const tool = (payload: unknown): string => textAt(payload, 'tool')

/** The tool of an event that names only the call. */
function toolOf(payload: unknown, events: readonly StoredEvent[]): string {
  const callId = textAt(payload, 'callId')
  for (const event of events)
    for (const part of listAt(event.payload, 'turn', 'message', 'parts'))
      if (textAt(part, 'id') === callId) return textAt(part, 'name')
  return 'a call'
}

const texts = (parts: readonly unknown[]): string =>
  parts.map((part) => textAt(part, 'text') || textAt(part, 'preview')).join(' ')

const quoted = (text: string): string => JSON.stringify(oneLine(text, lineCharsMax))

const said = (messages: readonly unknown[]): string =>
  quoted(messages.map((each) => texts(listAt(each, 'parts'))).join(' '))

const by = (payload: unknown): string => textAt(payload, 'policyId') || 'Signalbox'

const names = (calls: readonly unknown[]): string =>
  calls.map((each) => textAt(each, 'name')).join(', ')

const taken = (payload: unknown): string => {
  const calls = names(listAt(payload, 'calls'))
  return calls === '' ? '' : `; not executed: ${calls}`
}

/** Sentences for the reader of a failed test. Of other types, verdicts are told as the catalogue tells them; the rest say what these say already. */
const sentences: Readonly<Record<string, Say>> = {
  'run.created': (payload) => [
    `the user says ${said(listAt(payload, 'input'))} to the agent ${textAt(payload, 'agent')}`,
  ],
  'run.transitioned': (payload) => {
    const outcome = textAt(payload, 'outcome')
    return outcome === '' ? [] : [`the run ends: ${outcome}`]
  },
  'run.faulted': (payload) => [
    `the run cannot go on: ${textAt(payload, 'code')}, ${textAt(payload, 'message')}`,
  ],
  'model.completed': (payload) => {
    const parts = listAt(payload, 'turn', 'message', 'parts')
    const text = texts(parts.filter((part) => at(part, 'type') === 'text'))
    const calls = parts.filter((part) => at(part, 'type') === 'tool_call')
    const error = textAt(payload, 'turn', 'error', 'message')
    return [
      ...(text === '' ? [] : [`the model says ${quoted(text)}`]),
      ...calls.map(
        (each) => `the model asks for ${textAt(each, 'name')} ${json(at(each, 'args'))}`,
      ),
      ...(error === '' ? [] : [`the model gives no answer: ${error}`]),
    ]
  },
  'model.retried': (payload) => [`the model is asked again (${textAt(payload, 'class')})`],
  'model.replaced': (payload) => [
    `the model ${textAt(payload, 'to')} is asked instead (${textAt(payload, 'class')})`,
  ],
  'effect.started': (payload, event) =>
    event.tool === null ? [] : [`${event.tool} begins, attempt ${textAt(payload, 'attempt')}`],
  'tool.completed': (payload, _, events) => [
    `${toolOf(payload, events)} answers${at(payload, 'output', 'isError') === true ? ' with an error' : ''} ${quoted(texts(listAt(payload, 'output', 'content')))}`,
  ],
  'tool.failed': (payload, _, events) => [
    `${toolOf(payload, events)} fails: ${textAt(payload, 'error', 'code')}, ${textAt(payload, 'error', 'message')}`,
  ],
  'tool.denied': (payload) => [
    `${textAt(payload, 'answer', 'policyId')} denies ${tool(payload)} right before its execution: ${textAt(listAt(payload, 'answer', 'reasons')[0], 'code')}`,
  ],
  'tool.aborted': (payload, _, events) => [
    `${toolOf(payload, events)} is aborted (${textAt(payload, 'reason')})`,
  ],
  'tool.unknown': (payload, _, events) => [
    `the outcome of ${toolOf(payload, events)} is unknown (${textAt(payload, 'reason')})`,
  ],
  'tool.resolved': (payload, _, events) => [
    `an operator says of ${toolOf(payload, events)}: ${textAt(payload, 'resolution')}`,
  ],
  'child.started': (payload, _, events) => [
    `${toolOf(payload, events)} is done by the run ${textAt(payload, 'childRunId')}`,
  ],
  'child.ended': (payload, _, events) => [
    `the run for ${toolOf(payload, events)} ends: ${textAt(payload, 'outcome')}`,
  ],
  'call.denied': (payload) => [
    `${by(payload)} denies ${tool(payload)}: ${textAt(payload, 'code')}, ${textAt(payload, 'message')}`,
  ],
  'policy.warned': (payload) => [
    `${by(payload)} warns of ${tool(payload)}: ${textAt(payload, 'code')}`,
  ],
  'call.flagged': (payload) => [
    `the audit flags ${tool(payload)}: ${textAt(payload, 'rule')}, ${textAt(payload, 'message')}`,
  ],
  'policy.faulted': (payload) => [
    `the policy ${by(payload)} cannot answer about ${tool(payload)}: ${textAt(payload, 'message')}`,
  ],
  'approval.requested': (payload) => [`${tool(payload)} waits for a person to approve it`],
  'approval.answered': (payload) => {
    const note = textAt(payload, 'note')
    const decision = textAt(payload, 'decision')
    const edited = at(payload, 'edited', 'args')
    const what =
      decision === 'edit' ? `approves with other arguments, ${json(edited)},` : `${decision}s`
    return [`a person ${what} ${tool(payload)}${note === '' ? '' : `, saying ${quoted(note)}`}`]
  },
  'approval.reused': (payload) => [`an earlier approval of ${tool(payload)} stands`],
  'approval.expired': (payload) => [`the request to approve ${tool(payload)} expires: rejected`],
  'guardrail.redacted': (payload) => [
    `the guardrail ${textAt(payload, 'guardrail', 'id')} takes ${textAt(payload, 'count')} × ${textAt(payload, 'kind')} out of the ${textAt(payload, 'place')}`,
  ],
  'guardrail.tripped': (payload) => [
    `the guardrail ${textAt(payload, 'trip', 'guardrail', 'id')} objects, and the model may correct itself${taken(payload)}`,
  ],
  'guardrail.stopped': (payload) => [
    `the guardrail ${textAt(payload, 'trip', 'guardrail', 'id')} stops the run${taken(payload)}`,
  ],
  'safety.suppressed': (payload) => [`the provider stops for safety${taken(payload)}`],
  'turn.cut': (payload) => [
    `the answer does not close positively (${textAt(payload, 'verdict')})${taken(payload)}`,
  ],
  'turn.continued': () => ['the model goes on with the answer that was cut off'],
  'answer.missing': () => ['the model says nothing, twice'],
  'loop.warned': (payload) => [
    `the loop check warns: ${textAt(payload, 'layer')}, ${textAt(payload, 'count')} times`,
  ],
  'loop.stopped': (payload) => [
    `the loop check stops the run: ${textAt(payload, 'layer')}, ${textAt(payload, 'count')} times`,
  ],
  'budget.warned': (payload) => [`most of the budget is used: ${budget(payload)}`],
  'budget.exhausted': (payload) => [`a budget is used up: ${budget(payload)}`],
  'budget.refused': (payload) => [`a budget is used up: ${budget(payload)}`],
  'context.pruned': (payload) => [
    `old results give way to a line each: ${textAt(payload, 'tokens', 'before')} → ${textAt(payload, 'tokens', 'after')} tokens`,
  ],
  'context.compacted': (payload) => [
    `a summary takes the place of what was said: ${textAt(payload, 'tokens', 'before')} → ${textAt(payload, 'tokens', 'after')} tokens`,
  ],
  'context.unchanged': (payload) => [`no summary is made: ${textAt(payload, 'reason')}`],
  'context.exhausted': () => ['the request does not fit the model, and nothing makes it lighter'],
  'input.injected': (payload) => [`the user adds ${said(listAt(payload, 'messages'))}`],
  'cancel.requested': (payload) => {
    const reason = textAt(payload, 'reason')
    return [`the end of the run is asked for${reason === '' ? '' : `, ${quoted(reason)}`}`]
  },
}

const budget = (payload: unknown): string =>
  `${textAt(payload, 'budget')}, ${textAt(payload, 'used')} of ${textAt(payload, 'limit')}`

const json = (value: unknown): string => oneLine(JSON.stringify(value ?? {}), lineCharsMax)

const sentencesOf = (event: StoredEvent, events: readonly StoredEvent[]): readonly string[] =>
  sentences[event.type]?.(event.payload, event, events) ??
  (isNotable(event.type)
    ? [[event.type, ...linePartsOf(event, true)].filter(Boolean).join(' ')]
    : [])
