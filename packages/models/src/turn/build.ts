/**
 * The turn of a stream that is over.
 *
 * B1 Unless the verdict is `complete`, the message holds text and reasoning and nothing else: no call in any shape, no
 *    provider metadata, in which a call may hide (I23).
 * B2 Of what was suppressed, nothing is in the turn but name, size and keyed hash: also not in an error's message.
 */
import type { AssistantPart, ModelError, ModelTurn, ToolCallPart } from '@signalbox/core'
import type { ModelRequest } from '@signalbox/engine'
import { limits } from '@signalbox/core'
import { isStorable, isStorableObject } from '../json.ts'
import { parseJson } from '../read.ts'
import { shortText } from '../text.ts'
import type { CallSlot, TextSlot } from './buffer.ts'
import { toolCallPart } from './calls.ts'
import { type Ending, judge } from './judge.ts'
import { quotesArguments, suppressCalls } from './suppress.ts'

export interface BuildInput extends Ending {
  readonly request: ModelRequest
  /** The first is the key under which the provider's metadata is kept. */
  readonly metaKeys: readonly string[]
  /** Values that must not be in an error's message (I20). */
  readonly secrets: readonly string[]
}

/** Judges the stream and makes the turn of it. */
export function buildTurn(input: BuildInput): ModelTurn {
  const { request, buffer, observer } = input
  const judgement = judge(input)
  const positive = judgement.verdict === 'complete'
  const error = judgement.error && safeError(judgement.error, input)
  return {
    verdict: judgement.verdict,
    message: {
      id: request.messageId,
      role: 'assistant',
      parts: positive ? positiveParts(input) : textParts(buffer.slots),
    },
    suppressed: positive ? [] : suppressCalls(buffer.calls, observer.startedNames, request.hmacKey),
    evidence: [...judgement.evidence],
    finish: buffer.finish,
    usage: buffer.usage,
    ...(error ? { error } : {}),
    provider: request.model.provider,
    model: request.model.model,
    ...(buffer.responseId === undefined ? {} : { responseId: buffer.responseId }),
  }
}

function positiveParts({ request, buffer, metaKeys }: BuildInput): AssistantPart[] {
  const context = {
    tools: request.tools,
    tooMany: buffer.calls.length > limits.callsPerTurnMax,
  }
  let calls = 0
  const nextCall = (slot: Readonly<CallSlot>): ToolCallPart => {
    const part = toolCallPart(slot, `${request.callIdPrefix}_${calls}`, context)
    calls += 1
    return part
  }
  return buffer.slots.flatMap((slot): AssistantPart[] => {
    if (slot.type !== 'call') return textPart(slot)
    return [slot.providerExecuted ? providerToolPart(slot, metaKeys) : nextCall(slot)]
  })
}

function textPart({ type, text, meta }: Readonly<TextSlot>): AssistantPart[] {
  if (text === '' && meta === undefined) return []
  return [{ type, text, ...(meta === undefined ? {} : { meta }) }]
}

function textParts(slots: readonly Readonly<TextSlot | CallSlot>[]): AssistantPart[] {
  return slots.flatMap((slot): AssistantPart[] =>
    slot.type === 'call' || slot.text === '' ? [] : [{ type: slot.type, text: slot.text }],
  )
}

/** The id stays as it is: Anthropic accepts its server tools' ids only as it made them. */
function providerToolPart(slot: Readonly<CallSlot>, metaKeys: readonly string[]): AssistantPart {
  const call = parseJson(slot.args)
  const { id, name, result } = slot
  return {
    type: 'provider_tool',
    id: shortText(id),
    name,
    call: isStorableObject(call) ? call : {},
    ...(result !== undefined && isStorable(result) ? { result: { value: result } } : {}),
    // The key says whose tool it was, so that it is replayed to nobody else.
    meta: slot.meta ?? { [metaKeys[0] ?? 'unknown']: {} },
  }
}

/** An error whose words neither quote the model's arguments nor show a key. */
function safeError(error: ModelError, { buffer, secrets }: BuildInput): ModelError {
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '[key]'), error.message)
  if (!quotesArguments(`${shown}\n${error.code ?? ''}`, buffer.calls))
    return { ...error, message: shown }
  const { code: _code, ...rest } = error
  return { ...rest, message: 'The message of the provider is withheld: it quotes arguments.' }
}
