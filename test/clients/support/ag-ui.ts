/** AG-UI's own client, its verifier on, and the raw frames that it was sent. */
import { HttpAgent, type Message } from '@ag-ui/client'
import { EventSchema } from '@ag-ui/core/schemas'

// Tests look into events freely; the schemas are what is tested.
// oxlint-disable-next-line typescript/no-explicit-any
export type Frame = any

export interface Turn {
  readonly frames: readonly Frame[]
  readonly types: readonly string[]
  /** What the client made of it. */
  readonly messages: readonly Message[]
  readonly error: Error | null
}

/** An agent on the server at this address, that keeps what it was sent. */
export class RecordingAgent extends HttpAgent {
  raw = ''

  constructor(api: string, agent: string, threadId: string) {
    super({
      url: `${api}/ag-ui/${agent}`,
      threadId,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        const [kept, given] = response.body?.tee() ?? []
        void keep(kept, (text) => (this.raw += text))
        return new Response(given ?? null, response)
      },
    })
  }

  /** Says something, or resumes, and follows to the end. */
  async turn(
    said: string | null,
    parameters: Parameters<HttpAgent['runAgent']>[0] = {},
  ): Promise<Turn> {
    if (said !== null) this.addMessage({ id: crypto.randomUUID(), role: 'user', content: said })
    this.raw = ''
    const error = await this.runAgent(parameters).then(
      () => null,
      (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
    )
    const frames = framesOf(this.raw)
    return { frames, types: frames.map(({ type }) => type), messages: this.messages, error }
  }
}

async function keep(
  body: ReadableStream<Uint8Array> | undefined,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body ?? []) take(decoder.decode(chunk, { stream: true }))
  } catch {
    // The client went, or the server: what came stands.
  }
}

/** The frames of a stream, comments left out. */
const framesOf = (raw: string): readonly Frame[] =>
  raw
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)))

/** Are these events of AG-UI 1.0, in an order that its verifier lets pass? The client that reads them. @throws Error */
export async function checkProtocol(
  frames: readonly Frame[],
  reader = new ReplayingAgent(),
): Promise<ReplayingAgent> {
  for (const frame of frames) EventSchema.parse(frame)
  await reader.read(frames)
  return reader
}

/** A client that reads frames that are there already, its verifier on. */
export class ReplayingAgent extends HttpAgent {
  #text = ''

  constructor() {
    super({
      url: 'http://replayed.invalid',
      fetch: async () =>
        new Response(this.#text, { headers: { 'content-type': 'text/event-stream' } }),
    })
  }

  /** Abandons what was asked before. @throws Error for what the protocol forbids */
  async read(frames: readonly Frame[]): Promise<void> {
    this.#text = frames
      .map(
        (frame) => `data: ${JSON.stringify(frame)}

`,
      )
      .join('')
    const resume = this.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'cancelled' as const,
    }))
    await this.runAgent({ resume })
  }
}

/** One POST without a client. */
export async function post(
  api: string,
  agent: string,
  input: object,
): Promise<{ readonly status: number; readonly body: Frame; readonly frames: readonly Frame[] }> {
  const response = await fetch(`${api}/ag-ui/${agent}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(input),
  })
  const text = await response.text()
  const body = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
  return { status: response.status, body, frames: framesOf(text) }
}

/** The text of a message that the client has put together. */
export const textOf = (message: Message | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content)
