/** Logs in short: events of one run after the other, as `project` and `replay` read them. */
import {
  type AssistantPart,
  type EventType,
  type FoldableEvent,
  type ModelTurn,
  type ToolOutput,
} from '../../src/index.ts'
import { nothingKnown, turnOf } from './facts.ts'

export const event = (type: EventType, payload: object): FoldableEvent => ({
  seq: 1,
  type,
  version: 1,
  at: 1,
  actor: 't',
  payload: JSON.parse(JSON.stringify(payload)),
})

export const text = (words: string) => ({ type: 'text' as const, text: words })

export const said = (...messages: readonly (readonly string[])[]): FoldableEvent =>
  event('run.created', {
    agent: 'a',
    definitionHash: 'h',
    machine: 'run',
    machineVersion: 1,
    input: messages.map((parts, n) => ({ id: `u${n}`, role: 'user', parts: parts.map(text) })),
    metadata: {},
  })

export const asked = (id: string, name = 'search'): AssistantPart => ({
  type: 'tool_call',
  id,
  name,
  args: { secret: 'stolen' },
  argsHash: 'h',
})

export function answered(
  id: string,
  parts: readonly AssistantPart[],
  patch: Partial<ModelTurn> = {},
): FoldableEvent {
  const turn = turnOf(nothingKnown('r'), patch)
  const message = { id, role: 'assistant', parts }
  return event('model.completed', {
    effectId: 'e',
    attempt: 1,
    turn: { ...turn, message },
    callSet: '',
    durationMs: 1,
  })
}

export const completed = (
  callId: string,
  content: ToolOutput['content'] = [text(`result of ${callId}`)],
): FoldableEvent =>
  event('tool.completed', {
    effectId: 'e',
    attempt: 1,
    callId,
    output: { content, isError: false },
    durationMs: 1,
  })
