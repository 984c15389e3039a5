/** Weights of requests, and logs with places in them, for the tests of room. */
import {
  type AgentDefinition,
  type CompactEffect,
  ContextConfig,
  type FactPayload,
  type FoldableEvent,
  type RoomCut,
  type RoomMeasure,
} from '../../src/index.ts'
import { agentWith, type Patch } from './agent.ts'
import { type FactBody, type Move, overloaded, run } from './facts.ts'
import { answered, asked, event, said, text } from './log.ts'

type Answered = FactPayload<'model.completed'>

/** The size of a request in tokens and bytes, and the places at which it could be made lighter. */
interface Weight {
  readonly input: number
  readonly output?: number
  readonly bytes: number
  readonly estimated?: true
  readonly cuts?: readonly RoomCut[]
}

/** The move, with its request weighed. */
export const weighing =
  (move: Move, { input, output = 0, bytes, estimated, cuts }: Weight): Move =>
  (known) => {
    const fact = move(known)
    if (fact.type !== 'model.completed') return fact
    const usage: Answered['turn']['usage'] = {
      inputTokens: input,
      outputTokens: output,
      ...(estimated ? { estimated } : {}),
    }
    const turn = { ...fact.payload.turn, usage }
    const room = cuts ? { room: { tokens: input, cuts: [...cuts] } } : {}
    return { ...fact, payload: { ...fact.payload, turn, promptBytes: bytes, ...room } }
  }

/** A place behind which so many turns stay, with nothing to gain at it but what is named. */
export const cutAt = (seq: number, turns: number, gain: Partial<RoomCut> = {}): RoomCut => ({
  at: { runId: run, seq },
  turns,
  kept: 0,
  results: 0,
  cleared: 0,
  inputs: 0,
  shortened: 0,
  ...gain,
})

/** The model answers that the request does not fit. */
export const overflows =
  (room?: RoomMeasure, window?: number): Move =>
  (known) => {
    const failed = overloaded({
      class: 'context_overflow',
      retryable: false,
      ...(window === undefined ? {} : { window }),
    })
    const source = known.effects.findLast(({ kind }) => kind === 'model.call')
    return {
      type: 'model.completed',
      payload: {
        effectId: source?.id ?? 'none',
        attempt: 1,
        turn: {
          verdict: failed.verdict,
          error: failed.error,
          message: { id: 'm', role: 'assistant', parts: [] },
          suppressed: [],
          evidence: [],
          finish: null,
          usage: {},
          provider: 'scripted',
          model: 'm',
        },
        callSet: '',
        durationMs: 1,
        ...(room ? { room } : {}),
      },
    }
  }

type Context = NonNullable<AgentDefinition['context']>
/** The options of a `context` that a test sets; the rest is the default. */
export interface ContextPatch {
  readonly tokens?: number
  readonly prune?: Partial<Context['prune']>
  readonly images?: Context['images']
  readonly compact?: Partial<Context['compact']>
}

/** An agent with a window of 100,000 tokens, 20,000 of them for the answer: its room is 80,000. */
export const roomyAgent = (context: ContextPatch = {}, patch: Patch = {}): AgentDefinition => ({
  ...agentWith({
    ...patch,
    model: { contextWindow: 100_000, maxOutputTokens: 20_000, ...patch.model },
  }),
  context: ContextConfig.parse(context),
})

/** Events of one run, numbered from 1, as a register keeps them. */
export const numbered = (
  runId: string,
  events: readonly FoldableEvent[],
): readonly FoldableEvent[] => events.map((each, n) => ({ ...each, runId, seq: n + 1 }))

export const resultOf = (callId: string, words: string, isError = false): FoldableEvent =>
  event('tool.completed', {
    effectId: 'e',
    attempt: 1,
    callId,
    output: { content: [text(words)], isError },
    durationMs: 1,
  })

/** A run that reads `n` times: its words, then each answer with one call, and the result of that. */
export const readingRun = (
  runId: string,
  results: readonly string[],
  words = 'Read them.',
): readonly FoldableEvent[] =>
  numbered(runId, [
    said([words]),
    ...results.flatMap((result, n) => [
      answered(`m_${runId}_${n + 1}`, [asked(`c_${runId}_${n + 1}`)]),
      resultOf(`c_${runId}_${n + 1}`, result),
    ]),
  ])

/** The prune of a run, with a rule that clears results of 1,000 characters and more. */
export const prunedEvent = (
  through: { readonly runId: string; readonly seq: number },
  rule: object = {},
): FoldableEvent =>
  event('context.pruned', {
    turn: 9,
    through,
    results: 1,
    inputs: 0,
    tokens: { before: 10, after: 5 },
    rule: {
      minChars: 1_000,
      exclude: ['load_skill'],
      wordsChars: 8_000,
      ownChars: 50_000,
      readable: true,
      ...rule,
    },
  })

/** The summary of what is before a place. */
export const compactedEvent = (
  through: { readonly runId: string; readonly seq: number },
  more: Partial<FactPayload<'context.compacted'>> = {},
): FoldableEvent =>
  event('context.compacted', {
    effectId: 'e',
    attempt: 1,
    through,
    keep: { ...through, seq: through.seq + 1 },
    summary: [text('Two are read.')],
    appendix: '',
    sources: { from: { ...through, seq: 1 }, through, events: 3, digest: '00' },
    tokens: { before: 10, after: 5, summary: 2 },
    how: 'shared',
    provider: 'scripted',
    model: 'm',
    usage: {},
    durationMs: 1,
    ...more,
  })

/** The answer with a weight that numbers make: light or heavy, with places or without, now and then an overflow. */
export function weighed(fact: FactBody, runId: string, n: number): FactBody {
  if (fact.type !== 'model.completed') return fact
  const { turn } = fact.payload
  const tokens = 10_000 * (1 + (n % 12))
  const cuts = [3, 2, 1, 0].slice(n % 4).map((turns) => ({
    at: { runId: n % 5 ? runId : 'another run', seq: 20 - turns },
    turns,
    kept: turns * 900,
    results: 4 - turns,
    cleared: (n % 3) * 9_000 * (4 - turns),
    inputs: 0,
    shortened: 0,
  }))
  const room = n % 6 ? { room: { tokens, cuts } } : {}
  if (turn.verdict === 'error' && n % 2) {
    const error = { class: 'context_overflow', retryable: false, message: 'too long' } as const
    return { ...fact, payload: { ...fact.payload, turn: { ...turn, error }, ...room } }
  }
  const usage = { inputTokens: tokens, outputTokens: n % 700 }
  const weight = { promptBytes: tokens * 4, ...room }
  return { ...fact, payload: { ...fact.payload, turn: { ...turn, usage }, ...weight } }
}

const reasons = [
  'failed',
  'empty',
  'too_long',
  'no_gain',
  'safety',
  'guardrail',
  'calls',
  'cap',
] as const

/** The outcome of a compaction: a summary, or a reason why there is none. */
export function compactionAnswer(effect: CompactEffect, n: number): FactBody {
  const about = { effectId: effect.id, attempt: 1, usage: { inputTokens: n, outputTokens: 9 } }
  const reason = reasons[(n >> 1) % reasons.length] ?? 'failed'
  if (n % 2) return { type: 'context.unchanged', payload: { ...about, reason, durationMs: 1 } }
  const { through = { runId: 'another run', seq: 9 } } = effect
  return {
    type: 'context.compacted',
    payload: {
      ...about,
      through,
      keep: { ...through, seq: through.seq + 1 },
      summary: [{ type: 'text', text: 'The user wants ships.' }],
      appendix: '',
      sources: { from: { ...through, seq: 1 }, through, events: 9, digest: '00' },
      tokens: { before: 70_000, after: 9_000, summary: 90 },
      how: 'shared',
      provider: 'scripted',
      model: 'm',
      durationMs: 1,
    },
  }
}

/** The open compaction ends so. */
export const compacts =
  (n: number): Move =>
  (known) => {
    const open = known.effects.findLast((effect) => effect.kind === 'context.compact')
    if (open?.kind !== 'context.compact') throw new Error('nothing is to be summed up')
    return compactionAnswer(open, n)
  }

/** It ends with this reason. */
export const unchanged =
  (reason: (typeof reasons)[number]): Move =>
  (known) =>
    compacts(2 * reasons.indexOf(reason) + 1)(known)

/** The tree has no tokens left for it. */
export const summaryRefused: Move = (known) => {
  const open = known.effects.findLast((effect) => effect.kind === 'context.compact')
  const payload = { effectId: open?.id ?? 'none', attempt: 1, used: 1_000, limit: 900 }
  return { type: 'budget.refused', payload: { ...payload, budget: 'tokens' } }
}
