/**
 * The verdict of a turn: the only gate to its calls (DESIGN §4).
 *
 * J1 `complete` ⇔ the observer says `complete`, a finish part is there with `tool-calls` or `stop`, no error part came,
 *    the stream closed without throwing, and the calls that began are the calls that were handed out,
 *    each with an id of its own, in one answer, and of bytes that are text.
 * J2 Safety wins over every other label: a stop signal and an error of the provider's filter take the same path.
 * J3 Neither a safety stop nor a refusal is tried again, so a guardrail that trips on the same stream does not hide it.
 */
import type { ModelError, SafetyEvidence, StreamVerdict, Trip, TurnCut } from '@signalbox/core'
import { plainModelError, providerModelError } from '../errors/model-error.ts'
import { type ThrownFailure, readFailure } from '../errors/thrown.ts'
import type { StreamCut } from '../fetch-guard.ts'
import type { EndMarkerWatch } from '../observer/end-marker.ts'
import type { TerminalObserver } from '../observer/observer.ts'
import { fields, text } from '../read.ts'
import { shortText } from '../text.ts'
import type { TurnBuffer } from './buffer.ts'

export interface Ending {
  readonly observer: TerminalObserver
  readonly buffer: TurnBuffer
  /** What `doStream` or the stream threw, undefined if it closed. */
  readonly thrown: unknown
  /** Had the provider begun to answer with a stream? */
  readonly streaming: boolean
  /** Where the end marker stood in the bytes. Only the chat wire has one. */
  readonly endMarker: EndMarkerWatch['state']
  /** The model's server is known to send no end marker. */
  readonly isEndMarkerOptional: boolean
  /** Bytes came that are not UTF-8. */
  readonly isTextBroken: boolean
  readonly cut: StreamCut | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Judgement {
  readonly verdict: StreamVerdict
  readonly evidence: readonly SafetyEvidence[]
  readonly error?: ModelError
  readonly trip?: Trip
  readonly cut?: TurnCut
}

const unreadable = 'The provider sent something that could not be read.'

/** Judges a stream that is over, in whatever way. */
export function judge(ending: Ending): Judgement {
  const { observer, buffer, thrown, cut } = ending
  const failures = [...(thrown === undefined ? [] : [thrown]), ...buffer.errors].map(readFailure)
  // What the raw chunks said is the same, and more of it: the packages leave fields out.
  const told = observer.errors.length > 0
  for (const failure of failures)
    if (failure.kind === 'provider' && !told) observer.fail(failure.error)

  const seen = observer.verdict()
  if (seen === 'safety') return { verdict: 'safety', evidence: observer.evidence }
  if (buffer.trip)
    return observer.refused
      ? { verdict: 'refusal', evidence: [] }
      : { verdict: 'guardrail', evidence: [], trip: buffer.trip }
  if (cut) return interrupted(cutError(cut))
  if (seen === 'error')
    return { verdict: 'error', evidence: [], error: saidError(ending, failures) }
  if (thrown !== undefined) return judgeThrown(failures[0], ending)
  if (seen === 'interrupted') return observer.isSeveral ? cutShort(several) : interrupted()
  if (seen === 'unknown_terminal') return unknownEnd(ending)
  if (seen !== 'complete') return { verdict: seen, evidence: [] }
  if (failures.length > 0) return { verdict: 'error', evidence: [], error: partError(failures) }
  const broken = brokenClose(ending)
  return broken ? cutShort(broken) : secondOpinion(ending)
}

/** An end that is on no list, with its cause where that is known. */
function unknownEnd({ observer, buffer }: Ending): Judgement {
  const verdict = 'unknown_terminal'
  const detector = observer.failedDetector
  if (detector !== undefined) return { verdict, evidence: [], cut: detectorFailed(detector) }
  const isPaused = buffer.finish?.raw === 'pause_turn' && observer.wire === 'messages'
  return { verdict, evidence: [], ...(isPaused ? { cut: paused } : {}) }
}

const detectorFailed = (name: string): TurnCut => ({
  code: 'detector_failed',
  detail: `The safety detector "${shortText(name)}" threw, or answered neither true nor false: nothing of the answer is executed.`,
})

const paused: TurnCut = {
  code: 'turn_paused',
  detail:
    'The provider paused the turn ("pause_turn") in the work of its own tools. Turns that pause are not continued: the run ends.',
}

/** A stream whose events ended well, and which was cut or continued all the same. */
function brokenClose({ observer, endMarker, isEndMarkerOptional }: Ending): TurnCut | null {
  if (observer.isSeveral) return several
  if (observer.wire !== 'chat') return null
  if (endMarker === 'followed')
    return {
      code: 'events_after_end_marker',
      detail: 'The stream went on after its end marker, "data: [DONE]".',
    }
  if (endMarker === 'last' || isEndMarkerOptional) return null
  return {
    code: 'end_marker_missing',
    detail:
      'The stream closed without its end marker, "data: [DONE]". If this server never sends it, set model.endMarker to "optional" in the configuration.',
  }
}

const several: TurnCut = {
  code: 'several_answers',
  detail: 'The stream holds several answers, and calls: one answer was asked for.',
}

const damaged: TurnCut = {
  code: 'invalid_utf8',
  detail:
    'The stream holds bytes that are not UTF-8: the arguments of its calls are not what the model wrote.',
}

/** The observer is content: now the package must be, too. */
function secondOpinion({ observer, buffer, isTextBroken }: Ending): Judgement {
  if (buffer.finish === null) return interrupted()
  const wrong = isTextBroken && buffer.calls.length > 0 ? damaged : wrongCalls(observer, buffer)
  if (wrong) return cutShort(wrong)
  switch (buffer.finish.unified) {
    case 'tool-calls':
    case 'stop':
      return { verdict: 'complete', evidence: [] }
    case 'content-filter': {
      const value = buffer.finish.raw ?? buffer.finish.unified
      return {
        verdict: 'safety',
        evidence: [{ detector: 'model-package', field: 'finishReason', value }],
      }
    }
    case 'length':
      return { verdict: 'length', evidence: [] }
    case 'error':
      return { verdict: 'error', evidence: [], error: partError([]) }
    case 'interrupted':
      return interrupted()
    default:
      return { verdict: 'unknown_terminal', evidence: [] }
  }
}

/**
 * Are the calls that were handed out not exactly those that began on the wire? The packages drop pieces that they cannot
 * place, and give a call that came twice a second id.
 */
function wrongCalls(
  { calls: begun, argumentChars }: TerminalObserver,
  { calls }: TurnBuffer,
): TurnCut | null {
  const ids = new Set(calls.map(({ id }) => id))
  const wireIds = new Set(calls.map(wireIdOf))
  const handedOut = calls.reduce((sum, { args }) => sum + args.length, 0)
  if (begun.isRepeated || ids.size !== calls.length)
    return { code: 'call_ids_repeated', detail: 'Two calls of the turn have one id.' }
  const isSame =
    calls.every(({ done }) => done) &&
    begun.list.length === wireIds.size &&
    begun.list.every(({ id }) => id === undefined || wireIds.has(id)) &&
    (argumentChars === null || argumentChars === handedOut)
  return isSame
    ? null
    : {
        code: 'calls_differ',
        detail: 'The calls that began in the stream are not those that came out of it whole.',
      }
}

/** OpenAI's package makes several calls of the one named `parallel`, and says in their metadata of which. */
function wireIdOf({ id, meta }: TurnBuffer['calls'][number]): string {
  const wrapped = Object.values(meta ?? {}).map((own) => fields(fields(own)?.['parallelToolCall']))
  return wrapped.map((call) => text(call?.['toolCallId'])).find((it) => it !== undefined) ?? id
}

function judgeThrown(failure: ThrownFailure | undefined, { streaming }: Ending): Judgement {
  if (failure?.kind === 'network') {
    const error = plainModelError('network', failure.code, 'The connection to the provider failed.')
    return failure.answered || streaming
      ? interrupted(error)
      : { verdict: 'error', evidence: [], error }
  }
  // A stream that cannot be decoded is a broken stream: half a frame of Bedrock, a proxy's page in its place.
  if (streaming) return interrupted(plainModelError('network', 'broken_stream', unreadable))
  return { verdict: 'error', evidence: [], error: partError(failure ? [failure] : []) }
}

/** What the provider said: the first of its errors that says something, or the reason it ended with. */
function saidError(
  { observer, buffer, now }: Ending,
  failures: readonly ThrownFailure[],
): ModelError {
  const answer = failures.find((failure) => failure.kind === 'provider')
  const context = {
    headers: answer?.headers ?? {},
    inStream: answer?.error.status === undefined,
    now,
  }
  const errors = observer.errors.map((error) => providerModelError(error, context))
  const best = errors.find((error) => error.class !== 'unknown') ?? errors[0]
  if (best) return best
  if (observer.failedReason === undefined) return partError(failures)
  const raw = buffer.finish?.raw ?? 'an error'
  return plainModelError(observer.failedReason, raw, `The provider ended the answer with "${raw}".`)
}

function partError(failures: readonly ThrownFailure[]): ModelError {
  const failure = failures[0]
  if (failure?.kind === 'unknown')
    return { ...plainModelError('unknown', 'unexpected', failure.message), retryable: false }
  return plainModelError('unknown', 'unreadable_stream', unreadable)
}

function cutError(cut: StreamCut): ModelError {
  const error = plainModelError('network', cut.code, cut.message)
  // The same prompt would most likely be answered at the same length again.
  return cut.code === 'turn_too_large' ? { ...error, class: 'unknown', retryable: false } : error
}

/** A stream that is tried again like one that broke off. */
function cutShort(cut: TurnCut): Judgement {
  return { ...interrupted(plainModelError('network', cut.code, cut.detail)), cut }
}

function interrupted(error?: ModelError): Judgement {
  return {
    verdict: 'interrupted',
    evidence: [],
    error:
      error ??
      plainModelError('network', 'no_terminal', 'The stream ended before the answer was finished.'),
  }
}
