/** Answers that count their tokens as somebody says, on each wire: one call, a good ending, and the count where it belongs. */
import type { Wire } from '../../src/observer/wires.ts'
import type { Reply } from './loopback.ts'
import { closing, contentType, encodeEvent, type Event } from './wire-bytes.ts'
import { built, chatDelta } from './wire-events.ts'

/** The names under which a wire counts. */
export interface Names {
  readonly input: string
  readonly output: string
  readonly total: string
}

const names: Readonly<Record<Wire, Names>> = {
  chat: { input: 'prompt_tokens', output: 'completion_tokens', total: 'total_tokens' },
  responses: { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' },
  messages: { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' },
  gemini: {
    input: 'promptTokenCount',
    output: 'candidatesTokenCount',
    total: 'totalTokenCount',
  },
  converse: { input: 'inputTokens', output: 'outputTokens', total: 'totalTokens' },
}

/** Where cached tokens stand, and what says how many. */
function cached(wire: Wire, tokens: unknown): object {
  switch (wire) {
    case 'chat':
      return { prompt_tokens_details: { cached_tokens: tokens } }
    case 'responses':
      return { input_tokens_details: { cached_tokens: tokens } }
    case 'messages':
      return { cache_read_input_tokens: tokens }
    case 'gemini':
      return { cachedContentTokenCount: tokens }
    case 'converse':
      return { cacheReadInputTokens: tokens }
  }
}

/** A number that JSON can say and JavaScript cannot. */
const endless = '@endless@'

/** What a provider counts, in its own names. Undefined: it says nothing. More than one: one chunk after the other. */
export type Counting = (names: Names, cached: (tokens: unknown) => object) => readonly unknown[]

export const strange: Readonly<Record<string, Counting>> = {
  absent: () => [],
  null: () => [null],
  'an empty object': () => [{}],
  'all zero': ({ input, output, total }) => [{ [input]: 0, [output]: 0, [total]: 0 }],
  fractional: ({ input, output }) => [{ [input]: 90.4, [output]: 2.5 }],
  negative: ({ input, output, total }) => [{ [input]: -900, [output]: -900, [total]: -1800 }],
  'a negative output': ({ input, output }) => [{ [input]: 90, [output]: -90 }],
  huge: ({ input, output }) => [{ [input]: 1e30, [output]: 1 }],
  endless: ({ input, output }) => [{ [input]: endless, [output]: 1 }],
  'numbers as text': ({ input, output }) => [{ [input]: '90', [output]: '12' }],
  'words for numbers': ({ input, output }) => [{ [input]: 'NaN', [output]: 'Infinity' }],
  'only a total': ({ total }) => [{ [total]: 102 }],
  'only input': ({ input }) => [{ [input]: 90 }],
  'only output': ({ output }) => [{ [output]: 12 }],
  'output in another field': ({ input }) => [{ [input]: 90, generated_tokens: 12 }],
  'more cached than there is': ({ input, output }, cachedTokens) => [
    { [input]: 4, [output]: 12, ...cachedTokens(9000) },
  ],
  'cached as text': ({ input, output }, cachedTokens) => [
    { [input]: 90, [output]: 12, ...cachedTokens('many') },
  ],
  shrinking: ({ input, output }) => [
    { [input]: 900, [output]: 300 },
    { [input]: 9, [output]: 3 },
    { [input]: 0, [output]: 0 },
  ],
  growing: ({ input, output }) => [
    { [input]: 90, [output]: 1 },
    { [input]: 90, [output]: 6 },
    { [input]: 90, [output]: 12 },
  ],
  'increments of one': ({ input, output }) => [
    { [input]: 90, [output]: 1 },
    { [input]: 0, [output]: 1 },
    { [input]: 0, [output]: 1 },
  ],
  'one token for everything': ({ input, output }) => [{ [input]: 1, [output]: 1 }],
  'a list': () => [[90, 12]],
  'a text': () => ['90 in, 12 out'],
  'a number': () => [102],
  true: () => [true],
  'nested objects': ({ input, output }) => [{ [input]: { value: 90 }, [output]: [12] }],
}

/** The events of an answer with one call of `tool`. `usage` comes with the end, or, of several, before it, too. */
function countedEvents(
  wire: Wire,
  counting: Counting,
  tool: { readonly name: string; readonly args: object },
): readonly Event[] {
  const { open } = built[wire]
  const usages = counting(names[wire], (tokens) => cached(wire, tokens))
  const before = usages.slice(0, -1)
  const last = usages.length === 0 ? {} : { usage: usages.at(-1) }
  const call = callEvents(wire, tool)
  switch (wire) {
    case 'chat':
      return [
        ...open,
        ...call,
        ...before.map((usage) => chatEvent({ choices: [], usage })),
        chatDelta({}, { finish_reason: 'tool_calls' }),
        chatEvent({ choices: [], ...last }),
      ]
    case 'responses': {
      const response = { id: 'resp_1', status: 'completed', ...last }
      const created = before.map((usage) => ({
        type: 'response.created',
        response: { id: 'resp_1', created_at: 1, model: 'm', usage },
      }))
      return [...created, ...open, ...call, { type: 'response.completed', response }]
    }
    case 'messages': {
      const delta = { stop_reason: 'tool_use', stop_sequence: null }
      const opened = open.map((event) =>
        event['type'] === 'message_start' ? startWith(event, usages[0]) : event,
      )
      return [
        ...opened,
        ...call,
        ...before.slice(1).map((usage) => ({ type: 'message_delta', delta: {}, usage })),
        { type: 'message_delta', delta, ...last },
        { type: 'message_stop' },
      ]
    }
    case 'gemini':
      return [
        ...open,
        ...before.map((usageMetadata) => ({
          candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '.' }] } }],
          usageMetadata,
        })),
        ...call,
        {
          candidates: [{ index: 0, finishReason: 'STOP' }],
          ...('usage' in last ? { usageMetadata: last.usage } : {}),
        },
      ]
    case 'converse':
      return [
        ...open,
        ...call,
        { messageStop: { stopReason: 'tool_use' } },
        ...(usages.length === 0 ? [undefined] : usages).map((usage) => ({
          metadata: { ...(usage === undefined ? {} : { usage }), metrics: { latencyMs: 1 } },
        })),
      ]
  }
}

const chatEvent = (rest: object): Event => ({ ...chatDelta({}), ...rest })

function startWith(event: Event, usage: unknown): Event {
  const message = event['message']
  if (typeof message !== 'object' || message === null) return event
  const { usage: _usage, ...rest } = Object.fromEntries(Object.entries(message))
  return { ...event, message: { ...rest, ...(usage === undefined ? {} : { usage }) } }
}

function callEvents(
  wire: Wire,
  { name, args }: { readonly name: string; readonly args: object },
): readonly Event[] {
  const text = JSON.stringify(args)
  switch (wire) {
    case 'chat': {
      const start = { index: 0, id: 'call_a', type: 'function' }
      return [chatDelta({ tool_calls: [{ ...start, function: { name, arguments: text } }] })]
    }
    case 'responses': {
      const item = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name }
      const added = { ...item, arguments: '', status: 'in_progress' }
      const done = { ...item, arguments: text, status: 'completed' }
      return [
        { type: 'response.output_item.added', output_index: 1, item: added },
        {
          type: 'response.function_call_arguments.delta',
          item_id: 'fc_1',
          output_index: 1,
          delta: text,
        },
        { type: 'response.output_item.done', output_index: 1, item: done },
      ]
    }
    case 'messages':
      return [
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'toolu_1', name, input: {} },
        },
        {
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: text },
        },
        { type: 'content_block_stop', index: 1 },
      ]
    case 'gemini':
      return [
        {
          candidates: [
            { index: 0, content: { role: 'model', parts: [{ functionCall: { name, args } }] } },
          ],
        },
      ]
    case 'converse':
      return [
        {
          contentBlockStart: {
            contentBlockIndex: 1,
            start: { toolUse: { toolUseId: 'tooluse_1', name } },
          },
        },
        { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: text } } } },
        { contentBlockStop: { contentBlockIndex: 1 } },
      ]
  }
}

/** The answer as bytes. `cutBefore`: the connection breaks before the count that comes last. */
export function countedReply(
  wire: Wire,
  counting: Counting,
  options: {
    readonly tool: { readonly name: string; readonly args: object }
    readonly isCut?: boolean
  },
): Reply {
  const events = countedEvents(wire, counting, options.tool)
  const sent = options.isCut ? events.slice(0, -1) : events
  const body = sent.map((event) => unbounded(wire, encodeEvent(wire, event)))
  return {
    headers: { 'content-type': contentType(wire) },
    body: options.isCut ? body : [...body, ...closing(wire)],
    ...(options.isCut ? { end: 'reset' } : {}),
  }
}

/** In the wires of text the placeholder becomes a number that is larger than any. */
function unbounded(wire: Wire, bytes: Uint8Array): Uint8Array {
  if (wire === 'converse') return bytes
  return new TextEncoder().encode(
    new TextDecoder().decode(bytes).replaceAll(`"${endless}"`, '1e999'),
  )
}
