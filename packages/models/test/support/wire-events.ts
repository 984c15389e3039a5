/** Events of each wire, built by hand from the providers' documented shapes. */
import type { Wire } from '../../src/observer/wires.ts'
import type { Event } from './wire-bytes.ts'

/** The arguments of every call here: the canary must never be seen outside of a positive turn. */
export const canary = 'canary7f3a9secret'
export const wholeArgs = `{"path":"/a.md","content":"${canary} and more"}`
const cutArgs = `{"path":"/a.md","content":"${canary} tru`

export interface Built {
  /** Opens the stream and says something. */
  readonly open: readonly Event[]
  /** A call whose arguments stop in the middle. */
  readonly cutCall: readonly Event[]
  /** A call with whole arguments. */
  readonly wholeCall: readonly Event[]
}

export function chatDelta(delta: object, rest: object = {}): Event {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  }
}

function chatCall(args: string): readonly Event[] {
  const half = Math.floor(args.length / 2)
  const start = { index: 0, id: 'call_a', type: 'function' }
  return [
    chatDelta({ tool_calls: [{ ...start, function: { name: 'write_file', arguments: '' } }] }),
    chatDelta({ tool_calls: [{ index: 0, function: { arguments: args.slice(0, half) } }] }),
    chatDelta({ tool_calls: [{ index: 0, function: { arguments: args.slice(half) } }] }),
  ]
}

function block(index: number, contentBlock: object, delta: object): readonly Event[] {
  return [
    { type: 'content_block_start', index, content_block: contentBlock },
    { type: 'content_block_delta', index, delta },
  ]
}

function anthropicCall(args: string): readonly Event[] {
  return block(
    1,
    { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {} },
    { type: 'input_json_delta', partial_json: args },
  )
}

function responsesCall(args: string): readonly Event[] {
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'write_file' }
  return [
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { ...item, arguments: '', status: 'in_progress' },
    },
    {
      type: 'response.function_call_arguments.delta',
      item_id: 'fc_1',
      output_index: 1,
      delta: args,
    },
  ]
}

function converseCall(input: string): readonly Event[] {
  const toolUse = { toolUseId: 'tooluse_1', name: 'write_file' }
  return [
    { contentBlockStart: { contentBlockIndex: 1, start: { toolUse } } },
    { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input } } } },
  ]
}

const usage = { input_tokens: 1, output_tokens: 1 }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
}

/** Events by wire. */
export const built: Readonly<Record<Wire, Built>> = {
  chat: {
    open: [chatDelta({ role: 'assistant', content: 'I write. ' })],
    cutCall: chatCall(cutArgs),
    wholeCall: chatCall(wholeArgs),
  },
  messages: {
    open: [
      { type: 'message_start', message },
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'I write. ' }),
      { type: 'content_block_stop', index: 0 },
    ],
    cutCall: anthropicCall(cutArgs),
    wholeCall: [...anthropicCall(wholeArgs), { type: 'content_block_stop', index: 1 }],
  },
  gemini: {
    open: [
      { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'I write. ' }] } }] },
    ],
    cutCall: [
      geminiPart({ functionCall: { name: 'write_file', willContinue: true } }),
      geminiPart({
        functionCall: {
          partialArgs: [
            { jsonPath: '$.content', stringValue: `${canary} tru`, willContinue: true },
          ],
          willContinue: true,
        },
      }),
    ],
    wholeCall: [
      geminiPart({ functionCall: { name: 'write_file', args: { content: canary, path: '/a' } } }),
    ],
  },
  responses: {
    open: [
      {
        type: 'response.created',
        response: { id: 'resp_1', created_at: 1, model: 'm', service_tier: null },
      },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'in_progress',
          content: [],
        },
      },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'I write. ',
      },
    ],
    cutCall: responsesCall(cutArgs),
    wholeCall: [
      ...responsesCall(wholeArgs),
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_a',
          name: 'write_file',
          arguments: wholeArgs,
          status: 'completed',
        },
      },
    ],
  },
  converse: {
    open: [
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'I write. ' } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
    ],
    cutCall: converseCall(cutArgs),
    wholeCall: [...converseCall(wholeArgs), { contentBlockStop: { contentBlockIndex: 1 } }],
  },
}

function geminiPart(part: object): Event {
  return { candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] }
}

const converseMetadata = {
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  metrics: { latencyMs: 1 },
}

/** The terminal of a wire with any reason. */
export function terminal(wire: Wire, reason: string): readonly Event[] {
  switch (wire) {
    case 'chat':
      return [chatDelta({}, { finish_reason: reason })]
    case 'messages':
      return [
        { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ]
    case 'gemini':
      return [{ candidates: [{ index: 0, finishReason: reason }] }]
    case 'responses':
      return [
        {
          type: 'response.incomplete',
          response: { id: 'resp_1', status: 'incomplete', incomplete_details: { reason }, usage },
        },
      ]
    case 'converse':
      return [{ messageStop: { stopReason: reason } }, { metadata: converseMetadata }]
  }
}

/** A good ending of the wire. */
export function goodEnding(wire: Wire): readonly Event[] {
  if (wire === 'responses')
    return [{ type: 'response.completed', response: { id: 'resp_1', status: 'completed', usage } }]
  const reasons = { chat: 'tool_calls', messages: 'tool_use', gemini: 'STOP', converse: 'tool_use' }
  return terminal(wire, reasons[wire])
}

/** The opening of a wire that says these pieces instead. */
export function saying(wire: Wire, pieces: readonly string[]): readonly Event[] {
  const said = JSON.stringify('I write. ')
  return built[wire].open.flatMap((event) => {
    const source = JSON.stringify(event)
    if (!source.includes(said)) return [event]
    return pieces.map((piece): Event =>
      JSON.parse(source.replace(said, () => JSON.stringify(piece))),
    )
  })
}
