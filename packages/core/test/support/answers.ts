/** Answers of a world that is driven by numbers: the same numbers give the same answer. */
import {
  type AssistantPart,
  callIdPrefix,
  type Effect,
  type ModelCallEffect,
  type ModelTurn,
  type StreamVerdict,
  type ToolCallPart,
  type ToolOutput,
} from '../../src/index.ts'
import { callSetOf, digest, type FactBody } from './facts.ts'

const names = ['search', 'write', 'pay', 'rm', 'fly', 'no name!', '']

function callPart(id: string, n: number): ToolCallPart {
  const args = { arg: String(n % 2) }
  const part = {
    type: 'tool_call' as const,
    id,
    name: names[n % names.length] ?? '',
    args,
    argsHash: digest(JSON.stringify(args)),
  }
  return n % 11 === 10 ? { ...part, invalid: { code: 'arguments_invalid', message: 'x' } } : part
}

/** Ids as a good adapter makes them, and now and then as a provider does: repeated, foreign, empty. */
function idOf(prefix: string, at: number, odd: number): string {
  if (odd % 13 === 1) return `${prefix}_0`
  if (odd % 13 === 2) return at === 0 ? 'call_0' : ''
  return `${prefix}_${at}`
}

function callParts(effect: ModelCallEffect, run: string, n: number): readonly ToolCallPart[] {
  const prefix = callIdPrefix(run, effect.turn)
  const many = n % 41 === 40 ? 65 : 1 + (n % 3)
  return Array.from({ length: many }, (_, at) => callPart(idOf(prefix, at, n >> 2), n + at * 3))
}

const fillers: readonly (readonly AssistantPart[])[] = [
  [],
  [{ type: 'text', text: ' ' }],
  [{ type: 'text', text: 'words' }],
  [{ type: 'reasoning', text: 'hm' }],
  [{ type: 'reasoning', text: '' }],
  [{ type: 'provider_tool', id: 'p1', name: 'web_search', call: {} }],
]

const cuts: readonly StreamVerdict[] = [
  'length',
  'safety',
  'refusal',
  'interrupted',
  'error',
  'unknown_terminal',
]

export function modelAnswer(effect: ModelCallEffect, run: string, n: number): FactBody {
  const about = { effectId: effect.id, attempt: 1 }
  const kind = n % 16
  if (kind === 15) return { type: 'model.aborted', payload: about }
  const calls = kind > 0 ? callParts(effect, run, n) : []
  const verdict = kind >= 12 ? (cuts[n % cuts.length] ?? 'error') : 'complete'
  // A cut turn should have no calls left in it. Now and then an adapter forgets.
  const left = verdict === 'complete' || n % 7 === 0 ? calls : []
  const parts = [...(fillers[(n >> 3) % fillers.length] ?? []), ...left]
  const turn: ModelTurn = {
    verdict,
    message: { id: effect.messageId, role: 'assistant', parts },
    suppressed:
      verdict === 'complete'
        ? []
        : calls.map(({ name }) => ({ name, argsBytes: 1, argsHmac: 'a' })),
    evidence: verdict === 'safety' ? [{ detector: 'd', field: 'f', value: 'v' }] : [],
    finish: null,
    usage: n % 5 === 0 ? {} : { inputTokens: n % 40, outputTokens: 3 },
    ...(verdict === 'error'
      ? { error: { class: 'overloaded', retryable: n % 4 !== 0, message: 'busy' } }
      : {}),
    provider: 'scripted',
    model: 'm',
  }
  const callSet = callSetOf(left.map((call) => `${call.name}:${call.argsHash}`))
  return { type: 'model.completed', payload: { ...about, turn, callSet, durationMs: 1 } }
}

const outputs: readonly ToolOutput[] = [
  { content: [{ type: 'text', text: 'fine' }], isError: false },
  { content: [], isError: false },
  { content: [{ type: 'text', text: '\n ' }], isError: false },
  {
    content: [
      { type: 'text', text: '' },
      { type: 'text', text: 'half' },
    ],
    isError: true,
  },
]

export function toolAnswer(effect: Extract<Effect, { kind: 'tool.call' }>, n: number): FactBody {
  const about = { effectId: effect.id, attempt: 1, callId: effect.callId }
  switch (n % 6) {
    case 0:
      return {
        type: 'tool.failed',
        payload: { ...about, error: { code: 'e', message: 'x'.repeat(n % 600) }, durationMs: 1 },
      }
    case 1:
      return { type: 'tool.aborted', payload: { ...about, reason: 'never_started' } }
    case 2:
      return { type: 'tool.unknown', payload: { ...about, reason: 'worker_lost' } }
    default: {
      const output = outputs[n % outputs.length] ?? { content: [], isError: false }
      return { type: 'tool.completed', payload: { ...about, output, durationMs: 1 } }
    }
  }
}
