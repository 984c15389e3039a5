/** Streams of the chat wire, made from a recorded one that ends well. */
import { fields, list } from '../../packages/models/src/read.ts'
import type { Event } from '../../packages/models/test/support/wire-bytes.ts'
import {
  as,
  before,
  changed,
  type Derived,
  doubled,
  eventOf,
  inPlaceOf,
  moved,
  placesOf,
  withFields,
} from './derived.ts'
import { done, type Frame, frameOf } from './frames.ts'

const frame = (event: Event): Frame => frameOf('chat', event)

/** Where the parts of a recorded stream stand. */
interface Places {
  readonly calls: readonly number[]
  readonly reason: number
  readonly end: number
}

export function derivedChat(frames: readonly Frame[]): readonly Derived[] {
  const places = {
    calls: placesOf(frames, (said) => said.includes('"tool_calls":[')),
    reason: placesOf(frames, (said) => /"finish_reason":"/.test(said))[0] ?? 0,
    end: frames.findIndex(({ event }) => event === 'done'),
  }
  return [
    ...reasons(frames, places),
    ...markers(frames, places),
    ...flags(frames, places),
    ...interruptions(frames, places),
    ...(places.calls.length > 0 ? [...orders(frames, places), ...identities(frames, places)] : []),
  ]
}

/** A chunk of the same answer that says this in its choice. */
function chunk(frames: readonly Frame[], choice: object, more: object = {}): Frame {
  const first = frames.map(eventOf).find((event) => list(event?.['choices']).length > 0) ?? {}
  const { usage: _usage, ...event } = first
  return frame({ ...event, choices: [{ index: 0, delta: {}, ...choice }], ...more })
}

const clean = { hate: { filtered: false, severity: 'safe' } }
const filtered = { hate: { filtered: true, severity: 'high' } }

function reasons(frames: readonly Frame[], { calls, reason }: Places): readonly Derived[] {
  const word = calls.length > 0 ? 'tool_calls' : 'stop'
  const again = chunk(frames, { finish_reason: word })
  const filter = chunk(frames, { finish_reason: null, content_filter_results: clean })
  const stopped = chunk(frames, { finish_reason: null, content_filter_results: filtered })
  const withReason = (index: number): Frame => {
    const event = eventOf(frames[index] ?? done) ?? {}
    return frame(
      changed(event, (key, value) =>
        key === 'choices'
          ? list(value).map((each) => ({ ...fields(each), finish_reason: word }))
          : value,
      ),
    )
  }
  const early = frames.map((each, index) => (calls.includes(index) ? withReason(index) : each))
  return [
    as('the reason twice', 'same', before(frames, reason + 1, again)),
    as(
      'the reason in several chunks, filter results between',
      'same',
      before(frames, reason + 1, filter, again, filter, again),
    ),
    as('a filter after the reason', 'none', before(frames, reason + 1, filter, stopped)),
    as('a filter between two reasons', 'none', before(frames, reason + 1, stopped, again)),
    as('the reason in each chunk of a call', 'same', early),
    as(
      'an unknown reason after a good one',
      'none',
      before(frames, reason + 1, chunk(frames, { finish_reason: 'brand_new' })),
    ),
    as(
      'content_filter after the reason',
      'none',
      before(frames, reason + 1, chunk(frames, { finish_reason: 'content_filter' })),
    ),
  ]
}

function markers(frames: readonly Frame[], { calls, reason, end }: Places): readonly Derived[] {
  const open = frames.filter((_, index) => index !== end)
  return [
    as('the marker twice', 'same', [...frames, done]),
    as('the marker first', 'none', [done, ...open]),
    as('the marker first and last', 'none', [done, ...frames]),
    as('the marker in the middle', 'none', before(frames, Math.ceil(reason / 2), done)),
    as('the marker before the reason', 'none', before(open, reason, done)),
    as('no marker', 'none', open),
    as('a second answer after the end', 'second', [...frames, ...frames]),
    as('a second answer before the end', 'unexecuted', [...open, ...frames]),
    as('another answer before the end', calls.length > 0 ? 'none' : 'unexecuted', [
      ...open,
      ...renamed(frames),
    ]),
    as('an event after the end', 'second', [...frames, chunk(frames, {})]),
  ]
}

/** Another answer that says the same: each id of it is another one. */
const renamed = (frames: readonly Frame[]): readonly Frame[] =>
  frames.map((each) => {
    const event = eventOf(each)
    return event
      ? frame(
          changed(event, (key, value) =>
            key === 'id' && typeof value === 'string' && value !== '' ? `${value}-2` : value,
          ),
        )
      : each
  })

function flags(frames: readonly Frame[], { reason }: Places): readonly Derived[] {
  const event = eventOf(frames[reason] ?? done) ?? {}
  const beside = (name: string, more: object): Derived =>
    as(
      `${name} beside the reason`,
      'none',
      inPlaceOf(frames, reason, frame(withFields(event, more))),
    )
  const inChoice = (name: string, more: object): Derived =>
    beside(name, { choices: list(event['choices']).map((each) => ({ ...fields(each), ...more })) })
  const after = (name: string, more: object): Derived =>
    as(`${name} after the reason`, 'none', before(frames, reason + 1, chunk(frames, {}, more)))
  return [
    beside('output_sensitive', { output_sensitive: true }),
    beside('input_sensitive', { input_sensitive: true }),
    beside('base_resp 1027', { base_resp: { status_code: 1027, status_msg: 'sensitive' } }),
    beside('base_resp 1026', { base_resp: { status_code: '1026' } }),
    beside('need_clear_history', { need_clear_history: true }),
    beside('a prompt filter', { prompt_filter_results: [{ content_filter_results: filtered }] }),
    beside('contentFilter', { contentFilter: [{ role: 'assistant', level: 0 }] }),
    beside('an error', { error: { code: 'server_error', message: 'gone' } }),
    inChoice('content_filter_results', { content_filter_results: filtered }),
    inChoice('a refusal', { delta: { refusal: 'I will not.' } }),
    inChoice('a native reason', { native_finish_reason: 'content_filter' }),
    after('output_sensitive', { output_sensitive: true }),
    after('a late error', { error: { code: 'server_error', message: 'gone' } }),
  ]
}

function interruptions(frames: readonly Frame[], { calls, reason }: Places): readonly Derived[] {
  const error = frame({
    error: { message: 'The engine is dead.', type: 'server_error', code: 500 },
  })
  const middle = calls[0] === undefined ? Math.floor(reason / 2) : calls[0] + 1
  const empty = chunk(frames, {}, { choices: [] })
  const usage = chunk(
    frames,
    {},
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  )
  return [
    as('an error in the middle', 'none', before(frames, middle, error)),
    as('an error at the end', 'none', before(frames, reason + 1, error)),
    as('choices without elements in the middle', 'same', before(frames, middle, empty)),
    as('usage alone after the reason', 'same', before(frames, reason + 1, usage, usage)),
    as('every chunk twice', calls.length > 0 ? 'names' : 'either', doubled(frames)),
  ]
}

function orders(frames: readonly Frame[], places: Places): readonly Derived[] {
  const { calls, reason, end } = places
  const first = calls[0] ?? 0
  const last = calls.at(-1) ?? 0
  const piece = frames[last] ?? done
  const more = { delta: { tool_calls: [{ index: 0, function: { arguments: ' ' } }] } }
  const others = calls.slice(1)
  return [
    as('the reason before the calls', 'none', moved(frames, calls, reason)),
    as('the last piece after the reason', 'none', moved(frames, [last], reason)),
    ...(others.length > 0
      ? [as('all but the beginning after the reason', 'none', moved(frames, others, reason))]
      : []),
    as(
      'a call after the reason',
      'none',
      before(frames, reason + 1, chunk(frames, lateCall('late'))),
    ),
    as('a call after the end', 'second', before(frames, end + 1, chunk(frames, lateCall('late')))),
    as('arguments after the reason', 'none', before(frames, reason + 1, chunk(frames, more))),
    as(
      'text after the reason',
      'none',
      before(frames, reason + 1, chunk(frames, { delta: { content: 'And' } })),
    ),
    as(
      'the first chunk of a call twice',
      'names',
      doubled(frames, (index) => index === first),
    ),
    as('the last chunk of a call twice', 'names', before(frames, last, piece)),
    as(
      'all chunks of the calls twice',
      'names',
      before(frames, last + 1, ...frames.slice(first, last + 1)),
    ),
  ]
}

type Field = Readonly<Record<string, unknown>>

/** The stream with its calls named otherwise. */
function identities(frames: readonly Frame[], { calls }: Places): readonly Derived[] {
  const remade = (change: (call: Field) => Field): readonly Frame[] =>
    frames.map((each, index) => {
      const event = eventOf(each)
      if (!event || !calls.includes(index)) return each
      return frame(
        changed(event, (key, value) =>
          key === 'tool_calls' ? list(value).map((call) => change(fields(call) ?? {})) : value,
        ),
      )
    })
  const halves = frames.flatMap((each, index) => {
    const event = eventOf(each)
    const isStart = event && calls.includes(index) && /"name":"/.test(JSON.stringify(event))
    return isStart ? [frame(withName(event, 0, 3)), frame(withName(event, 3))] : [each]
  })
  return [
    as(
      'calls without an index',
      'either',
      remade(({ index: _index, ...call }) => call),
    ),
    as(
      'calls in the other order',
      'either',
      remade((call) => ({ ...call, index: 9 - Number(call['index'] ?? 0) })),
    ),
    as(
      'indexes as text',
      'either',
      remade((call) => ({ ...call, index: String(call['index']) })),
    ),
    as(
      'ids missing',
      'either',
      remade(({ id: _id, ...call }) => call),
    ),
    as(
      'ids empty',
      'either',
      remade((call) => ({ ...call, id: '' })),
    ),
    as(
      'ids null',
      'either',
      remade((call) => ({ ...call, id: null })),
    ),
    as(
      'one id for all',
      'either',
      remade((call) => (named(call) ? { ...call, id: 'x' } : call)),
    ),
    as('a name in two chunks', 'either', halves),
    as(
      'two choices, in turns',
      'either',
      frames.flatMap((each) => {
        const event = eventOf(each)
        return event ? [each, frame(second(event))] : [each]
      }),
    ),
  ]
}

/** The beginning of a call with a part of its name. */
function withName(event: Event, from: number, to?: number): Event {
  return changed(event, (key, value) => {
    if (key === 'arguments' && from === 0) return ''
    return key === 'name' && typeof value === 'string' ? value.slice(from, to) : value
  })
}

/** A whole call as a piece says it. */
const lateCall = (id: string) => ({
  delta: { tool_calls: [{ index: 7, id, function: { name: 'weather', arguments: '{}' } }] },
})

/** Does a call begin here? */
const named = (call: Field) => fields(call['function'])?.['name'] !== undefined

/** The same of a second choice. */
const second = (event: Event) =>
  changed(event, (key, value) => {
    if (key === 'choices') return list(value).map((each) => ({ ...fields(each), index: 1 }))
    return key === 'id' && typeof value === 'string' ? `${value}-1` : value
  })
