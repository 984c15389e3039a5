/**
 * The projection from events to a prompt: the conversation of a thread as one request to a model. Pure, and the same
 * for the same events. What it builds passes `pairing.ts` (I24) whatever happened before.
 *
 * P1 A message is said once: a retry of a turn replaces what the failed attempt had said, and the request that retries
 *    it does not show it.
 * P2 An answer that did not close positively has no calls here either (I23).
 * P3 Every run begins with the words of a user, so no request begins or ends with an answer.
 */
import { decisionSchemas } from '../event/decision.ts'
import { type EventType, type FoldableEvent, readFact, upcast } from '../event/upcast.ts'
import type { JsonObject } from '../json.ts'
import type { AssistantPart, ToolOutput, UserMessage } from '../message.ts'
import type { Prompt } from '../prompt.ts'
import type { ModelTurn } from '../turn.ts'
import { loopWarning } from '../verdict/loop.ts'
import { explain } from '../verdict/safety.ts'
import { isBlank } from './pairing.ts'
import { deniedResult, resultOf } from './result.ts'
import { type Answer, type Entry, writePrompt } from './write.ts'

interface Conversation {
  readonly entries: Entry[]
  readonly results: Map<string, ToolOutput>
  /** A loop warning that no answer has followed yet; every attempt of the turn after it reads it. */
  warning: string | null
}

/** Types of events that carry conversation: all that `project` reads. Whoever stores or caches a conversation keeps these. */
export const conversationTypes: readonly EventType[] = [
  'run.created',
  'model.completed',
  'tool.completed',
  'tool.failed',
  'tool.aborted',
  'tool.unknown',
  'tool.resolved',
  'input.answered',
  'call.denied',
  'loop.warned',
]

/** Builds the prompt from the events of a thread's runs, oldest run first, each in order. */
export function project(instructions: string, events: Iterable<FoldableEvent>): Prompt {
  const conversation: Conversation = { entries: [], results: new Map(), warning: null }
  for (const event of events) take(conversation, event)
  const { entries, results, warning } = conversation
  const last = entries.at(-1)
  const said = last?.type === 'answered' && !last.closed ? entries.slice(0, -1) : entries
  return writePrompt({ instructions, entries: said, results, warning })
}

const current = (event: FoldableEvent): JsonObject =>
  upcast(event.type, event.version, event.payload)

function take(conversation: Conversation, event: FoldableEvent): void {
  if (event.type === 'call.denied') {
    const denial = decisionSchemas['call.denied'].parse(current(event))
    conversation.results.set(denial.callId, deniedResult(denial.code, denial.message))
    return
  }
  if (event.type === 'loop.warned') {
    const warned = decisionSchemas['loop.warned'].parse(current(event))
    conversation.warning = loopWarning(warned.tools, warned.count)
    return
  }
  const fact = readFact(event)
  if (!fact) return
  if (fact.type === 'run.created') {
    conversation.entries.push(...words(fact.payload.input))
    conversation.warning = null
    return
  }
  if (fact.type === 'model.completed') return answer(conversation, fact.payload.turn)
  const result = resultOf(fact)
  if (result) conversation.results.set(result.callId, result.output)
}

const noInput: Entry = { type: 'said', parts: [{ type: 'text', text: '(no input)' }] }

function words(input: readonly UserMessage[]): readonly Entry[] {
  const said = input.map((message) => message.parts.filter((part) => !isBlank(part)))
  const entries = said.flatMap((parts): Entry[] => (parts.length ? [{ type: 'said', parts }] : []))
  return entries.length > 0 ? entries : [noInput]
}

function answer(conversation: Conversation, turn: ModelTurn): void {
  const { entries } = conversation
  const closed = turn.verdict === 'complete'
  const at = entries.findLastIndex((entry) => isAnswer(entry) && entry.id === turn.message.id)
  const before = entries[at]
  if (before && isAnswer(before) && before.closed) return
  if (before) entries.splice(at, 1)
  entries.push({ type: 'answered', id: turn.message.id, parts: shown(turn), closed })
  if (closed) conversation.warning = null
}

const isAnswer = (entry: Entry): entry is Answer => entry.type === 'answered'

/** An answer that did not close positively says so, under its own id. */
function shown(turn: ModelTurn): readonly AssistantPart[] {
  const { parts } = turn.message
  const text = explain(turn)
  const kept =
    turn.verdict === 'complete'
      ? parts
      : parts.filter((part) => part.type !== 'tool_call' && part.type !== 'provider_tool')
  return text ? [...kept, { type: 'text', text }] : kept
}
