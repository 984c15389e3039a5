/**
 * What went wrong with a model call, as people are told it. The class of an error says what is done next, and takes a wrong name of a
 * model, an option that is unknown and a missing setting together; a kind tells them apart.
 */
import type { FailureClass, ModelConfig, ModelError, ModelTurn } from '@signalbox/core'
import { keyNameOf, type Environment } from '../providers/wiring.ts'

/** The turn with the kind of its failure, and the name of the key's variable where the key may be the cause. */
export function withKind(turn: ModelTurn, config: ModelConfig, env: Environment): ModelTurn {
  const { error } = turn
  if (error === undefined) return turn
  const kind = failureKind(error)
  const keyEnv = ofAccount.has(kind) ? keyNameOf(config, env) : undefined
  return { ...turn, error: { ...error, kind, ...(keyEnv === undefined ? {} : { keyEnv }) } }
}

/** What belongs to a key: whether it is right, and what may be done with it. */
const ofAccount: ReadonlySet<FailureClass> = new Set(['auth', 'quota', 'rate_limit'])

function failureKind({ class: errorClass, status, code = '' }: ModelError): FailureClass {
  switch (errorClass) {
    case 'invalid_request':
      if (code === 'configuration') return 'configuration'
      return status === 404 || missing.has(code.toLowerCase()) ? 'not_found' : 'invalid_request'
    case 'network':
      if (status === 408 || /timeout|timedout|deadline/i.test(code)) return 'timeout'
      return ofStream.has(code) ? 'protocol' : 'network'
    case 'unknown':
      if (code === 'unexpected') return 'internal'
      return ofStream.has(code) ? 'protocol' : 'unknown'
    default:
      return errorClass
  }
}

/** Codes with which providers say that they know no such model or deployment, in lower case. */
const missing: ReadonlySet<string> = new Set([
  'model_not_found',
  'not_found_error',
  'not_found',
  'deploymentnotfound',
  'resourcenotfoundexception',
  '404',
])

/** Codes of ours: the connection stood, and what came over it was no whole answer. */
const ofStream: ReadonlySet<string> = new Set([
  'no_terminal',
  'empty_body',
  'broken_body',
  'broken_stream',
  'unreadable_stream',
  'turn_too_large',
  'end_marker_missing',
  'events_after_end_marker',
  'several_answers',
  'invalid_utf8',
  'calls_differ',
  'call_ids_repeated',
])
