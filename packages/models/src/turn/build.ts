/**
 * The turn of a stream that is over.
 *
 * B1 Unless the verdict is `complete`, the message holds text and reasoning and nothing else: no call in any shape, no
 *    provider metadata, in which a call may hide (I23).
 * B2 Of what was suppressed, nothing is in the turn but name, size and keyed hash: also not in an error's message.
 */
import type { AssistantPart, ModelError, ModelTurn, ToolCallPart, Trip } from '@signalbox/core'
import type { ModelRequest } from '@signalbox/engine'
import { boundedRedactions, limits } from '@signalbox/core'
import { isStorable, isStorableObject } from '../json.ts'
import { parseJson } from '../read.ts'
import { largerUsage } from '../observer/usage.ts'
import { shortText } from '../text.ts'
import type { CallSlot } from './buffer.ts'
import { toolCallPart, withArguments } from './calls.ts'
import { type GuardedParts, guardJudgement } from './guard-judgement.ts'
import { type Ending, judge, type Judgement } from './judge.ts'
import { names, quotes } from './quotes.ts'
import { suppressCalls } from './suppress.ts'
import { metaOf, type TextSlot } from './text-flow.ts'

export interface BuildInput extends Ending {
  readonly request: ModelRequest
  /** The first is the key under which the provider's metadata is kept. */
  readonly metaKeys: readonly string[]
  /** Values that must not be in an error's message (I20). */
  readonly secrets: readonly string[]
}

/** Judges the stream and makes the turn of it. */
export async function buildTurn(input: BuildInput): Promise<ModelTurn> {
  const { request, buffer, observer } = input
  const judged = judgeWhole(input)
  const made = judged.verdict === 'complete' ? positiveParts(input) : []
  const turn = { parts: made, withArguments: redactedCall(input) }
  const {
    judgement,
    parts,
    redactions: inCalls,
  } = await guardJudgement(judged, turn, request.guard)
  const redactions = [...(request.guard?.redacted() ?? []), ...inCalls]
  const positive = judgement.verdict === 'complete'
  const secret = hidden(input)
  // Short arguments are no quotation that could be found, so an error beside a call loses all its words.
  const isOpen =
    judged.verdict === 'error' &&
    (secret.isCallSeen || (request.tools.length > 0 && mayShowCall(judged.error)))
  const withoutWords = judgement.verdict === 'error' && isOpen
  const error =
    judgement.error && safeError(withoutWords ? wordless(judgement.error) : judgement.error, secret)
  const trip = judgement.trip && safeTrip(judgement.trip, secret, isOpen)
  return {
    verdict: judgement.verdict,
    message: {
      id: request.messageId,
      role: 'assistant',
      parts: positive ? [...parts] : textParts(buffer.slots),
    },
    suppressed: positive ? [] : suppressCalls(buffer.calls, observer.startedNames, request.hmacKey),
    evidence: [...judgement.evidence],
    finish: buffer.finish,
    usage: largerUsage(buffer.usage, observer.usage),
    ...(error ? { error } : {}),
    ...(trip ? { trip } : {}),
    ...(redactions.length > 0 ? { redactions: [...boundedRedactions(redactions)] } : {}),
    ...(judgement.cut ? { cut: judgement.cut } : {}),
    provider: request.model.provider,
    model: request.model.model,
    ...(buffer.responseId === undefined ? {} : { responseId: buffer.responseId }),
  }
}

/** The guard judges the end of a text last: what it holds back is released only where the stream closed well. */
function judgeWhole(input: BuildInput): Judgement {
  const judged = judge(input)
  input.buffer.close(judged.verdict === 'complete' ? 'end' : 'cut')
  return input.buffer.trip ? judge(input) : judged
}

function positiveParts({ request, buffer, metaKeys }: BuildInput): AssistantPart[] {
  const { calls } = buffer
  const { tools, argsHash } = request
  const context = { tools, argsHash, tooMany: calls.length > limits.callsPerTurnMax }
  const made = new Map(
    calls.map((slot, index) => [
      slot,
      toolCallPart(slot, `${request.callIdPrefix}_${index}`, context),
    ]),
  )
  const refused = calls.filter((slot) => made.get(slot)?.invalid).map(({ args }) => args)
  return buffer.slots.flatMap((slot): AssistantPart[] => {
    if (slot.type !== 'call') return textPart(slot)
    const call = made.get(slot)
    return [call ? withoutQuotingMeta(call, refused) : providerToolPart(slot, metaKeys)]
  })
}

/** A call whose arguments a guardrail has changed. Metadata that repeats what was taken out goes, too. */
const redactedCall =
  ({ request, buffer }: BuildInput): GuardedParts['withArguments'] =>
  (call, args) =>
    withoutQuotingMeta(
      withArguments(call, args, request),
      buffer.calls.map((slot) => slot.args),
    )

/** Arguments that are refused are not kept in another place either: OpenAI's `parallel` wrapper repeats them. */
function withoutQuotingMeta(call: ToolCallPart, refused: readonly string[]): ToolCallPart {
  if (!call.meta || !quotes(JSON.stringify(call.meta), refused)) return call
  const { meta: _meta, ...rest } = call
  return rest
}

function textPart(slot: Readonly<TextSlot>): AssistantPart[] {
  const { type, text } = slot
  const meta = metaOf(slot)
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

/** What must be in no text of the turn. */
interface Hidden {
  /** What the model wrote as arguments, in whatever way it was told (I23). */
  readonly written: readonly string[]
  readonly secrets: readonly string[]
  /** A call began, or the provider showed one that it could not use. */
  readonly isCallSeen: boolean
  /** Names that may be said. */
  readonly tools: readonly string[]
}

function hidden({ request, buffer, observer, secrets }: BuildInput): Hidden {
  const failed = observer.errors.flatMap(({ generation }) => generation ?? [])
  const isCallSeen = buffer.calls.length + observer.startedNames.length + failed.length > 0
  const written = [...buffer.calls.map(({ args }) => args), ...failed]
  return { written, secrets, isCallSeen, tools: request.tools.map(({ name }) => name) }
}

/** Words about a call, and its signs in the formats that models write calls in: JSON, elements, Python, words of a template. */
const isAboutCall =
  /(tool|function)[ _\u2581-]?(call|use|input|arg|pars)|<[|\uFF5C]?(tool|function|invoke|parameter)|functions\.|arguments|generation|input_value|parse (the )?(input|output|response|generat)/i
/** Something like an argument. */
const showsCall =
  /[{]|\\u007b|<[|/a-z\uFF5C]|\w\(\s*\w+\s*=|raw=|last read|input_value|\barg(ument)?s?\b[^.]{0,40}[:=]\s*\S/i

/**
 * Servers that parse calls themselves show what they could not parse, and the call nowhere else: "error parsing tool call:
 * raw='{…". Words about a call with something like arguments in them are taken for that.
 */
function mayShowCall(error: ModelError | undefined): boolean {
  const words = `${error?.message ?? ''} ${error?.code ?? ''}`
  return isAboutCall.test(words) && showsCall.test(words)
}

/** An error with its class, its status and its code, if that is a word. A window was read from the words, so it goes with them. */
function wordless({ code, window: _window, ...error }: ModelError): ModelError {
  return {
    ...error,
    ...(code !== undefined && /^[\w.:-]{1,100}$/.test(code) ? { code } : {}),
    message: 'The message of the provider is withheld: a call was open.',
  }
}

/** An error whose words neither quote the model's arguments nor show a key. */
function safeError({ code: given, ...said }: ModelError, { written, secrets }: Hidden): ModelError {
  const code = given === undefined ? {} : { code: withoutSecrets(given, secrets) }
  const error: ModelError = { ...said, ...code }
  const message = withoutSecrets(error.message, secrets)
  if (!quotes(`${message}\n${error.code ?? ''}`, written)) return { ...error, message }
  const { code: _code, window: _window, ...rest } = error
  return { ...rest, message: 'The message of the provider is withheld: it quotes arguments.' }
}

/**
 * The feedback of a guardrail, held to the same rule: some take it from the provider's words. Where a call was open, these may quote
 * arguments that are too short for a quotation.
 */
function safeTrip(trip: Trip, { written, secrets, tools }: Hidden, isOpen: boolean): Trip {
  const feedback = withoutSecrets(trip.feedback, secrets)
  const mayQuote =
    isOpen &&
    trip.partType === 'error' &&
    (names(feedback, written, tools) || showsCall.test(feedback))
  return mayQuote || quotes(feedback, written)
    ? { ...trip, feedback: 'My last tool call could not be used. I try again in another way.' }
    : { ...trip, feedback }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '[key]'), text)
}
