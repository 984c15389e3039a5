/**
 * What is worth saying of an event on one line, by type. Arguments, outputs and what people wrote may be nobody's
 * business: they are said with `verbose` only.
 */
import type { Event } from '../client/documents.ts'
import { oneLine } from './printable.ts'

type Detail = (payload: unknown, verbose: boolean) => readonly string[]

const charsMax = 400

/** The details of an event; empty where its type says it all. */
export function eventDetails(event: Event, verbose: boolean): string {
  const parts = details[event.type]?.(event.payload, verbose) ?? []
  return oneLine(parts.filter((part) => part !== '' && part !== event.verdict).join(' '), charsMax)
}

/** A value within a payload, which is whatever the register holds; undefined if it is not there. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const key of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined
  return found
}

/** The same as a text: of a text, a number or a flag; empty for everything else. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : ''
}

const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

const ms = (payload: unknown): string => `${textAt(payload, 'durationMs')} ms`
const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
const named = (calls: readonly unknown[]): string =>
  calls.map((call) => textAt(call, 'name')).join(', ')

/** The calls of a turn, as `name` or, with `verbose`, `name{…}`. */
const callsOf: Detail = (payload, verbose) =>
  listAt(payload, 'turn', 'message', 'parts')
    .filter((part) => at(part, 'type') === 'tool_call')
    .map((part) => `${textAt(part, 'name')}${verbose ? json(at(part, 'args')) : ''}`)

const said: Detail = (payload, verbose) => (verbose ? [textAt(payload, 'message')] : [])
const taken: Detail = (payload) => {
  const calls = listAt(payload, 'calls')
  return calls.length === 0 ? [] : [`calls taken out: ${named(calls)}`]
}

const details: Readonly<Record<string, Detail>> = {
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
  'model.retried': (payload, verbose) => [textAt(payload, 'class'), ...said(payload, verbose)],
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
  'tool.aborted': (payload) => [textAt(payload, 'reason')],
  'tool.unknown': (payload) => [textAt(payload, 'reason'), textAt(payload, 'effectId')],
  'tool.resolved': (payload, verbose) => [
    textAt(payload, 'resolution'),
    verbose ? textAt(payload, 'note') : '',
  ],
  'approval.requested': (payload) => [textAt(payload, 'callId')],
  'approval.answered': (payload, verbose) => [
    textAt(payload, 'decision'),
    textAt(payload, 'callId'),
    verbose ? textAt(payload, 'note') : '',
  ],
  'cancel.requested': (payload) => [textAt(payload, 'reason')],
  'call.denied': (payload, verbose) => [textAt(payload, 'code'), ...said(payload, verbose)],
  'safety.suppressed': taken,
  'turn.cut': (payload, verbose) => [textAt(payload, 'verdict'), ...taken(payload, verbose)],
  'loop.warned': (payload) => [`${textAt(payload, 'count')} times the same`],
  'loop.stopped': (payload) => [`${textAt(payload, 'count')} times the same`],
  'budget.exhausted': (payload) => [
    textAt(payload, 'budget'),
    `${textAt(payload, 'used')} of ${textAt(payload, 'limit')}`,
  ],
  'timer.fired': (payload) => [textAt(payload, 'timerId')],
  'effect.started': (payload) => [`attempt ${textAt(payload, 'attempt')}`],
  'event.ignored': (payload) => [textAt(payload, 'type')],
}
