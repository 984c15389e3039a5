/**
 * What is worth saying of an event on one line, by type. Arguments, outputs and what people wrote may be nobody's
 * business: they are said with `verbose` only, and the arguments of a verdict never.
 */
import type { Event } from '../client/documents.ts'
import { at, listAt, textAt, withWord } from './payload.ts'
import { oneLine } from './printable.ts'
import { type Detail, verdictDetails } from './verdict-details.ts'

const charsMax = 400

/** The details of an event; empty where its type says it all. */
export function eventDetails(event: Event, verbose: boolean): string {
  const parts = details[event.type]?.(event.payload, verbose) ?? []
  return oneLine(parts.filter((part) => part !== '' && part !== event.verdict).join(' '), charsMax)
}

const ms = (payload: unknown): string => `${textAt(payload, 'durationMs')} ms`
const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))

/** The calls of a turn, as `name` or, with `verbose`, `name{…}`. */
const callsOf: Detail = (payload, verbose) =>
  listAt(payload, 'turn', 'message', 'parts')
    .filter((part) => at(part, 'type') === 'tool_call')
    .map((part) => `${textAt(part, 'name')}${verbose ? json(at(part, 'args')) : ''}`)

/** Why a model is asked again, or another one is; a log of an older build names the class alone. */
const causeOf = (payload: unknown): string =>
  textAt(payload, 'error', 'message') || textAt(payload, 'class')

const said: Detail = (payload, verbose) => (verbose ? [textAt(payload, 'message')] : [])

/** What a run used that was started for a call. */
const spentOf = (payload: unknown): string =>
  withWord('used', countOf(textAt(payload, 'spent', 'tokens'), 'tokens'))

/** What was denied, suppressed or stopped in it, by code: `2 objections (not_allowed, oap.limit_exceeded)`. */
function objections(payload: unknown): string {
  const verdicts = listAt(payload, 'verdicts')
  if (verdicts.length === 0) return ''
  const codes = new Set(verdicts.map((verdict) => textAt(verdict, 'code')))
  const noun = verdicts.length === 1 ? 'objection' : 'objections'
  return `${verdicts.length} ${noun} (${[...codes].slice(0, 8).join(', ')})`
}

const countOf = (number: string, noun: string): string => (number === '' ? '' : `${number} ${noun}`)

const details: Readonly<Record<string, Detail>> = {
  ...verdictDetails,
  'run.created': (payload) => [textAt(payload, 'agent')],
  'run.transitioned': (payload) => {
    const outcome = textAt(payload, 'outcome')
    return [listAt(payload, 'path').join(' → '), outcome === '' ? '' : `(${outcome})`]
  },
  'run.faulted': (payload) => [textAt(payload, 'code'), textAt(payload, 'message')],
  'model.completed': (payload, verbose) => {
    const calls = callsOf(payload, verbose)
    const asks = calls.length === 0 ? '' : `calls ${calls.join(', ')}`
    return [textAt(payload, 'turn', 'verdict'), ms(payload), asks]
  },
  'model.retried': (payload, verbose) => [
    causeOf(payload),
    withWord('again in', countOf(textAt(payload, 'delayMs').replace(/^0$/, ''), 'ms')),
    ...said(payload, verbose),
  ],
  'model.replaced': (payload, verbose) => [
    `${textAt(payload, 'from')} → ${textAt(payload, 'to')}`,
    causeOf(payload),
    ...said(payload, verbose),
  ],
  'tool.completed': (payload, verbose) => [
    ms(payload),
    at(payload, 'output', 'isError') === true ? 'answers with an error' : '',
    verbose ? json(at(payload, 'output', 'content')) : '',
  ],
  'tool.failed': (payload, verbose) => [
    textAt(payload, 'error', 'code'),
    ms(payload),
    ...said(at(payload, 'error'), verbose),
  ],
  'recall.missed': (payload) => [textAt(payload, 'callId')],
  'tool.aborted': (payload) => [textAt(payload, 'reason')],
  'tool.unknown': (payload) => [textAt(payload, 'reason'), textAt(payload, 'effectId')],
  'tool.resolved': (payload, verbose) => [
    textAt(payload, 'resolution'),
    verbose ? textAt(payload, 'note') : '',
  ],
  'child.started': (payload) => [textAt(payload, 'childRunId')],
  'child.ended': (payload, verbose) => [
    textAt(payload, 'childRunId'),
    spentOf(payload),
    objections(payload),
    verbose ? json(at(payload, 'output', 'content')) : '',
  ],
  'input.taken': (payload) => [`turn ${textAt(payload, 'turn')}`],
  'cancel.requested': (payload) => [textAt(payload, 'reason')],
  'timer.fired': (payload) => [textAt(payload, 'timerId')],
  'effect.started': (payload) => [`attempt ${textAt(payload, 'attempt')}`],
  'event.ignored': (payload) => [textAt(payload, 'type')],
}
