/**
 * Facts in short. A `Move` becomes a fact when it is played: what it is about (the open model call, the effect of a
 * call) is what the run has asked for by then.
 */
import { createHash } from 'node:crypto'
import {
  type AssistantPart,
  callIdPrefix,
  type Effect,
  type FactPayload,
  type FactType,
  messageId,
  type ModelTurn,
  type RunStartEffect,
  type RunState,
  type ToolCallEffect,
  type ToolCallPart,
  type Verdict,
} from '../../src/index.ts'
import { fresh } from './machine.ts'

export const run = '01930000-0000-7000-8000-0123456789ab'

/** Does the effect the work of a call: on a worker, or by a run of its own? */
export const doesCall = (effect: Effect): effect is ToolCallEffect | RunStartEffect =>
  effect.kind === 'tool.call' || effect.kind === 'run.start'

/** What a move may refer to. */
export interface Known {
  readonly run: string
  readonly state: RunState
  /** Every effect asked for so far, oldest first. */
  readonly effects: readonly Effect[]
  /** Every verdict so far. */
  readonly verdicts: readonly Verdict[]
}

/** Before the first fact of a run. */
export const nothingKnown = (of: string): Known => ({
  run: of,
  state: fresh,
  effects: [],
  verdicts: [],
})

export type FactBody = {
  readonly [T in FactType]: { readonly type: T; readonly payload: FactPayload<T> }
}[FactType]

export type Move = (known: Known) => FactBody

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The id of the nth call of the turn at hand. */
export const callId = (known: Pick<Known, 'run' | 'state'>, n: number): string =>
  `${callIdPrefix(known.run, known.state.context.turn)}_${n}`

export const argsHashOf = (arg: string): string => digest(JSON.stringify({ arg }))

/** A call as the model asks for it: `search`, or `search:x` with the argument x. */
function callPart(id: string, asked: string): ToolCallPart {
  const [name = '', arg = ''] = asked.split(':')
  const args = { arg }
  return { type: 'tool_call', id, name, args, argsHash: argsHashOf(arg) }
}

export const callSetOf = (asked: readonly string[]): string =>
  asked.length === 0 ? '' : digest(asked.toSorted().join('\n')).slice(0, 12)

export function turnOf(known: Known, patch: Partial<ModelTurn> = {}): ModelTurn {
  return {
    verdict: 'complete',
    message: messageOf(known, [{ type: 'text', text: 'an answer' }]),
    suppressed: [],
    evidence: [],
    finish: { unified: 'stop' },
    usage: { inputTokens: 10, outputTokens: 5 },
    provider: 'scripted',
    model: 'm',
    ...patch,
  }
}

const messageOf = (known: Known, parts: readonly AssistantPart[]): ModelTurn['message'] => ({
  id: messageId(known.run, known.state.context.turn),
  role: 'assistant',
  parts: [...parts],
})

export const modelEffect = (known: Known): string =>
  known.effects.findLast((effect) => effect.kind === 'model.call')?.id ?? 'none'

const toolEffect = (known: Known, n: number): string => {
  const id = callId(known, n)
  const found = known.effects.findLast((effect) => 'callId' in effect && effect.callId === id)
  return found?.id ?? 'none'
}

export const toolCall = (known: Known, n: number) => ({
  effectId: toolEffect(known, n),
  attempt: 1,
  callId: callId(known, n),
})

export const created: Move = () => ({
  type: 'run.created',
  payload: {
    agent: 'a',
    definitionHash: 'h',
    machine: 'run',
    machineVersion: 1,
    input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
    metadata: {},
  },
})

export const admitted: Move = () => ({ type: 'run.admitted', payload: {} })

/** What a fact says besides the turn. */
type Extra = Pick<FactPayload<'model.completed'>, 'chance' | 'granted' | 'caller'>

/** The model answers; without a patch, with text and nothing else. */
export const answers =
  (patch: Partial<ModelTurn> = {}, extra: Extra = {}): Move =>
  (known) => ({
    type: 'model.completed',
    payload: {
      effectId: modelEffect(known),
      attempt: 1,
      turn: turnOf(known, patch),
      callSet: '',
      durationMs: 1,
      ...extra,
    },
  })

/** The model says these words, under whatever verdict. */
export const says =
  (words: string, patch: Partial<ModelTurn> = {}, extra: Extra = {}): Move =>
  (known) =>
    answers({ message: messageOf(known, [{ type: 'text', text: words }]), ...patch }, extra)(known)

/** The model answers nothing at all. */
export const saysNothing = (patch: Partial<ModelTurn> = {}): Move => says(' \n', patch)

/** The model asks for calls, in a turn that closed positively. */
export const asks =
  (...asked: readonly string[]): Move =>
  (known) => ({
    type: 'model.completed',
    payload: {
      effectId: modelEffect(known),
      attempt: 1,
      turn: turnOf(known, {
        message: messageOf(
          known,
          asked.map((each, n) => callPart(callId(known, n), each)),
        ),
      }),
      callSet: callSetOf(asked),
      durationMs: 1,
    },
  })

/** As `asks`, with some calls changed: an invalid one, another id. */
export const asksOddly =
  (asked: readonly string[], change: (part: ToolCallPart, n: number) => ToolCallPart): Move =>
  (known) => {
    const fact = asks(...asked)(known)
    if (fact.type !== 'model.completed') return fact
    const { turn } = fact.payload
    const parts = turn.message.parts.map((part, n) =>
      part.type === 'tool_call' ? change(part, n) : part,
    )
    const message = { ...turn.message, parts }
    return { ...fact, payload: { ...fact.payload, turn: { ...turn, message } } }
  }

export const modelAborted: Move = (known) => ({
  type: 'model.aborted',
  payload: { effectId: modelEffect(known), attempt: 1 },
})

export const completes =
  (n: number, text = `result ${n}`): Move =>
  (known) => ({
    type: 'tool.completed',
    payload: {
      ...toolCall(known, n),
      output: { content: [{ type: 'text', text }], isError: false },
      durationMs: 1,
      resultHash: digest(text),
    },
  })

export const fails =
  (n: number, message = 'broken'): Move =>
  (known) => ({
    type: 'tool.failed',
    payload: { ...toolCall(known, n), error: { code: 'e', message }, durationMs: 1 },
  })

export const aborts =
  (n: number): Move =>
  (known) => ({ type: 'tool.aborted', payload: { ...toolCall(known, n), reason: 'cancelled' } })

export const unknown =
  (n: number): Move =>
  (known) => ({ type: 'tool.unknown', payload: { ...toolCall(known, n), reason: 'worker_lost' } })

export const resolves =
  (n: number, resolution: FactPayload<'tool.resolved'>['resolution']): Move =>
  (known) => ({
    type: 'tool.resolved',
    payload: { effectId: toolEffect(known, n), callId: callId(known, n), resolution },
  })

/** Somebody says something to the run while it goes on. */
export const injects =
  (...said: readonly string[]): Move =>
  () => ({
    type: 'input.injected',
    payload: {
      messages: said.map((text) => ({
        id: `i_${text}`,
        role: 'user',
        parts: [{ type: 'text', text }],
      })),
      bytes: said.join('').length,
    },
  })

export const cancels =
  (action: 'interrupt' | 'rollback' = 'interrupt'): Move =>
  () => ({ type: 'cancel.requested', payload: { action } })

export const fires =
  (timerId = 'timeout'): Move =>
  () => ({ type: 'timer.fired', payload: { timerId } })

export const faults: Move = () => ({
  type: 'run.faulted',
  payload: { code: 'undecidable', message: 'a guard threw' },
})

/** A turn the provider cut, which had begun `n` calls. */
export const cut = (verdict: ModelTurn['verdict'], n = 1): Partial<ModelTurn> => ({
  verdict,
  suppressed: Array.from({ length: n }, () => ({ name: 'write', argsBytes: 7, argsHmac: 'ab' })),
  ...(verdict === 'safety'
    ? { evidence: [{ detector: 'd', field: 'finish_reason', value: 'content_filter' }] }
    : {}),
})

/** A provider's error that may be retried. */
export const overloaded = (patch: Partial<NonNullable<ModelTurn['error']>> = {}) =>
  ({
    verdict: 'error',
    error: { class: 'overloaded', retryable: true, message: 'busy', ...patch },
  }) satisfies Partial<ModelTurn>

/** An attempt that a stream guardrail ended. */
export const tripped = (
  outcome: 'fail' | 'stop' = 'fail',
  feedback = 'I must not name the customer.',
) =>
  ({
    verdict: 'guardrail',
    trip: {
      guardrail: { id: 'g', name: 'Names' },
      outcome,
      feedback,
      partType: 'text',
      offset: 4,
    },
  }) satisfies Partial<ModelTurn>
