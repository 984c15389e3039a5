/** Streams of the other wires, made from a recorded one that ends well. */
import type { Wire } from '../../packages/models/src/observer/wires.ts'
import { fields, list } from '../../packages/models/src/read.ts'
import type { Event } from '../../packages/models/test/support/wire-bytes.ts'
import {
  as,
  before,
  changed,
  type Derived,
  doubled,
  eventOf,
  moved,
  placesOf,
  type Rule,
  without,
} from './derived.ts'
import { done, type Frame, frameOf } from './frames.ts'

/** How a wire spells its parts. */
interface Spelling {
  /** The frames that end the stream, in their order. */
  readonly isEnd: (text: string) => boolean
  /** The frames of calls. */
  readonly isCall: (text: string) => boolean
  /** The pieces of arguments. */
  readonly isPiece: (text: string) => boolean
  /** What a piece that comes twice makes of the calls. */
  readonly doubledPiece: Rule
  /** An event that says nothing. */
  readonly idle: Event
  /** An error in the stream. */
  readonly error: Event
  /** The last frame with a sign of a filter. */
  readonly flagged: readonly (readonly [name: string, event: (event: Event) => Event])[]
  /** A terminal that is not good. */
  readonly bad: readonly Event[]
}

const block =
  (more: object) =>
  (event: Event): Event => ({ ...event, ...more })

const spellings: Readonly<Record<Exclude<Wire, 'chat'>, Spelling>> = {
  messages: {
    isEnd: (text) => /"type":"message_(delta|stop)"/.test(text),
    isCall: (text) => /"index":1/.test(text),
    isPiece: (text) => text.includes('input_json_delta'),
    doubledPiece: 'names',
    idle: { type: 'ping' },
    error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    flagged: [
      [
        'stop_details',
        (event) =>
          changed(event, (key, value) =>
            key === 'delta'
              ? { ...fields(value), stop_details: { type: 'refusal', category: 'cyber' } }
              : value,
          ),
      ],
    ],
    bad: [
      { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 1 } },
    ],
  },
  responses: {
    isEnd: (text) => /"type":"response\.(completed|done)"/.test(text),
    isCall: (text) => /"type":"response\.(output_item|function_call)/.test(text),
    isPiece: (text) => text.includes('arguments.delta'),
    doubledPiece: 'either',
    idle: { type: 'keepalive', sequence_number: 3 },
    error: {
      type: 'error',
      code: 'server_error',
      message: 'gone',
      param: null,
      sequence_number: 9,
    },
    flagged: [
      [
        'content_filters',
        (event) =>
          changed(event, (key, value) =>
            key === 'content_filters' ? [{ blocked: true, source_type: 'completion' }] : value,
          ),
      ],
      [
        'an error',
        (event) => ({
          ...event,
          response: { ...fields(event['response']), error: { code: 'server_error', message: 'x' } },
        }),
      ],
      [
        'incomplete details',
        (event) => ({
          ...event,
          response: {
            ...fields(event['response']),
            incomplete_details: { reason: 'content_filter' },
          },
        }),
      ],
      [
        'another status',
        (event) => ({ ...event, response: { ...fields(event['response']), status: 'incomplete' } }),
      ],
    ],
    bad: [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } },
      {
        type: 'response.incomplete',
        response: { incomplete_details: { reason: 'content_filter' } },
      },
    ],
  },
  gemini: {
    isEnd: (text) => text.includes('"finishReason"'),
    isCall: (text) => text.includes('"functionCall"') && !text.includes('"finishReason"'),
    isPiece: (text) => text.includes('"partialArgs"'),
    doubledPiece: 'names',
    idle: { candidates: [], modelVersion: 'm' },
    error: { error: { code: 500, status: 'INTERNAL', message: 'gone' } },
    flagged: [
      ['a blocked prompt', block({ promptFeedback: { blockReason: 'SAFETY' } })],
      [
        'a blocked rating',
        (event) =>
          changed(event, (key, value) =>
            key === 'candidates'
              ? list(value).map((each) => ({
                  ...fields(each),
                  safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', blocked: true }],
                }))
              : value,
          ),
      ],
    ],
    bad: [{ candidates: [{ index: 0, finishReason: 'SAFETY' }] }],
  },
  converse: {
    isEnd: (text) => /"messageStop"|"metadata"/.test(text),
    isCall: (text) => /"contentBlockIndex":1/.test(text),
    isPiece: (text) => text.includes('"input"'),
    doubledPiece: 'names',
    idle: { contentBlockStop: { contentBlockIndex: 9 } },
    error: { throttlingException: { message: 'slow down' } },
    flagged: [
      [
        'a guardrail',
        (event) =>
          'metadata' in event
            ? {
                metadata: {
                  ...fields(event['metadata']),
                  trace: { guardrail: { actionReason: 'Guardrail blocked.' } },
                },
              }
            : event,
      ],
    ],
    bad: [{ messageStop: { stopReason: 'guardrail_intervened' } }],
  },
}

/** Streams of a wire without an end marker of its own. */
export function derivedOthers(
  wire: Exclude<Wire, 'chat'>,
  frames: readonly Frame[],
): readonly Derived[] {
  const { isEnd, isCall, isPiece, doubledPiece, idle, error, flagged, bad } = spellings[wire]
  const frame = (event: Event): Frame => frameOf(wire, event)
  const ends = placesOf(frames, isEnd)
  const calls = placesOf(frames, isCall)
  const pieces = placesOf(frames, isPiece)
  const start = ends[0] ?? 0
  const first = calls[0] ?? 0
  const last = calls.at(-1) ?? 0
  const ending = frames.filter((_, index) => ends.includes(index))
  const endedEarly = before(without(frames, ends), first, ...ending)
  const isSafe = wire !== 'converse'
  return [
    as('the ending twice', 'either', [...frames, ...ending]),
    as('every event twice', doubledPiece, doubled(frames)),
    as('the ending before the calls', 'none', endedEarly),
    as(
      'the last frame of a call after the ending',
      'second',
      moved(frames, [last], ends.at(-1) ?? 0),
    ),
    as('calls after the ending', 'second', [...frames, ...frames.slice(first, last + 1)]),
    as('a second answer', 'second', [...frames, ...frames]),
    as('another answer', 'second', [...frames, ...renamed(wire, frames)]),
    as('an error in the middle', 'none', before(frames, last, frame(error))),
    as('an error before the ending', 'none', before(frames, start, frame(error))),
    as('an error after the ending', 'second', [...frames, frame(error)]),
    ...bad.flatMap((event, index) => [
      as(`bad ending ${index}`, 'none', before(without(frames, ends), start, frame(event))),
      as(`bad ending ${index} before the good one`, 'none', before(frames, start, frame(event))),
      as(`bad ending ${index} after the good one`, 'second', [...frames, frame(event)]),
    ]),
    ...flagged.map(([name, flag]) =>
      as(
        `${name} beside the ending`,
        'none',
        frames.map((each, index) => {
          const event = eventOf(each)
          return event && ends.includes(index) ? frame(flag(event)) : each
        }),
      ),
    ),
    ...(isSafe
      ? [
          as(
            'idle events between',
            'same',
            before(before(frames, start, frame(idle)), last, frame(idle)),
          ),
          as('the marker of the chat wire last', 'either', [...frames, done]),
        ]
      : []),
    as(
      'all frames of the calls twice',
      doubledPiece,
      before(frames, last + 1, ...frames.slice(first, last + 1)),
    ),
    ...(pieces.length > 0
      ? [
          as(
            'a piece twice',
            doubledPiece,
            doubled(frames, (index) => index === pieces.at(-1)),
          ),
        ]
      : []),
  ]
}

/** Another answer that says the same: each id of it is another one. */
const renamed = (wire: Wire, frames: readonly Frame[]): readonly Frame[] =>
  frames.map((each) => {
    const event = eventOf(each)
    return event
      ? frameOf(
          wire,
          changed(event, (key, value) =>
            isId(key) && typeof value === 'string' ? `${value}-2` : value,
          ),
        )
      : each
  })

const isId = (key: string): boolean => /^(id|.*_id|responseId|toolUseId)$/.test(key)
