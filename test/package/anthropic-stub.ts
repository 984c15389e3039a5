/** A provider on the loopback interface that speaks Anthropic's wire, as its documentation describes the events. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { z } from 'zod'

const Asked = z.looseObject({
  messages: z.array(z.looseObject({ content: z.unknown() })),
})

type Block =
  | { readonly text: string }
  | { readonly name: string; readonly input: Readonly<Record<string, unknown>> }

export interface Stub {
  readonly url: string
  /** The key of each request, in order. */
  readonly keys: readonly (string | undefined)[]
  close(): void
}

/** Answers the n-th turn of a conversation with its n-th answer, counted by the results in the request. */
export async function startAnthropicStub(answers: readonly (readonly Block[])[]): Promise<Stub> {
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key']?.toString())
    void json(request).then((body) => {
      const { messages } = Asked.parse(body)
      const turn = messages.filter(({ content }) =>
        JSON.stringify(content).includes('"tool_result"'),
      ).length
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of eventsOf(answers[turn] ?? [{ text: 'There is nothing more to say.' }]))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      response.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `http://127.0.0.1:${port}/v1`, keys, close: () => void server.close() }
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string }

function eventsOf(blocks: readonly Block[]): readonly Event[] {
  const usage = { input_tokens: 10, output_tokens: 10 }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'stub',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  const asks = blocks.some((block) => 'name' in block)
  return [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block:
          'name' in block
            ? { type: 'tool_use', id: `toolu_${index}`, name: block.name, input: {} }
            : { type: 'text', text: '' },
      },
      {
        type: 'content_block_delta',
        index,
        delta:
          'name' in block
            ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
            : { type: 'text_delta', text: block.text },
      },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: asks ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage,
    },
    { type: 'message_stop' },
  ]
}
