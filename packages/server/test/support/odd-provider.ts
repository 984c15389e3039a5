/**
 * A provider of chat completions that may do anything: it answers over real HTTP, counts its tokens by the bytes of a request, refuses
 * what is over its window in the words that vendors use, and plays a model by its name.
 */
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** The content of an answer: words, calls, or nothing. */
export interface OddAnswer {
  readonly text?: string
  /** Thought before it, as some servers stream it. */
  readonly thought?: string
  readonly calls?: readonly { readonly name: string; readonly args: object }[]
  /** `usage` as it is sent; null: none. Left out: an honest count. */
  readonly usage?: object | null
}

/** A request as it came. */
export interface OddRequest {
  readonly model: string
  /** Its body, byte for byte. */
  readonly body: string
  readonly tokens: number
  readonly isSummary: boolean
  /** How often the model was asked before, for turns and for summaries. */
  readonly asked: number
}

/** An answer, or whatever is done to the connection. */
export type Odd = (
  request: OddRequest,
  response: ServerResponse,
) => OddAnswer | 'done' | Promise<OddAnswer | 'done'>

export interface OddModel {
  /** Tokens that a request may have. */
  readonly window: number
  readonly play: Odd
}

export interface OddProvider {
  readonly url: string
  readonly requests: readonly OddRequest[]
  close(): Promise<void>
}

const bytesPerToken = 4
const summaryTask = 'Sum up all of it so far'

const sse = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
export const chunk = (delta: object, finish: string | null = null): string =>
  sse({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'odd',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

const streamed = { 'content-type': 'text/event-stream' }

/** Begins a stream. */
export const begins = (response: ServerResponse): void => {
  response.writeHead(200, streamed)
}

/** Answers with a status, and an error as vendors word it. */
export function fails(
  response: ServerResponse,
  status: number,
  error: object = { message: `Status ${status}.` },
  headers: Readonly<Record<string, string>> = {},
): 'done' {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ error }))
  return 'done'
}

function says(response: ServerResponse, answer: OddAnswer, tokens: number): void {
  begins(response)
  const { calls = [] } = answer
  response.write(chunk({ role: 'assistant', content: '' }))
  if (answer.thought !== undefined) response.write(chunk({ reasoning_content: answer.thought }))
  if (answer.text !== undefined) response.write(chunk({ content: answer.text }))
  calls.forEach(({ name, args }, index) => {
    const called = { name, arguments: JSON.stringify(args) }
    const id = `call_${index}`
    response.write(chunk({ tool_calls: [{ index, id, type: 'function', function: called }] }))
  })
  response.write(chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'))
  const said = JSON.stringify(answer).length / bytesPerToken
  const honest = { prompt_tokens: tokens, completion_tokens: Math.ceil(said) }
  if (answer.usage !== null) response.write(sse({ choices: [], usage: answer.usage ?? honest }))
  response.end('data: [DONE]\n\n')
}

/** Serves models by their names. */
export async function oddProvider(
  models: Readonly<Record<string, OddModel>>,
): Promise<OddProvider> {
  const requests: OddRequest[] = []
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await text(request)
      const model = String(JSON.parse(body).model)
      const tokens = Math.ceil(Buffer.byteLength(body) / bytesPerToken)
      const isSummary = body.includes(summaryTask)
      const same = (each: OddRequest) => each.model === model && each.isSummary === isSummary
      const asked: OddRequest = {
        model,
        body,
        tokens,
        isSummary,
        asked: requests.filter(same).length,
      }
      requests.push(asked)
      const of = models[model]
      if (!of) return void fails(response, 404, { message: `no model ${model}` })
      if (tokens > of.window) {
        const message = `This model's maximum context length is ${of.window} tokens. However, your messages resulted in ${tokens} tokens.`
        return void fails(response, 400, { message, code: 'context_length_exceeded' })
      }
      const played = await of.play(asked, response)
      if (played !== 'done') says(response, played, tokens)
    }
    // The client that asked is gone.
    answer().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}
