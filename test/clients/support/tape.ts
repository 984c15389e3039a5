/** Reads the tape of a thread without a client: what is on the wire, in order. */

export interface Heard {
  readonly event_id: string
  readonly seq: number
  readonly method: string
  // Tests look into events freely.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly params: { readonly namespace: string[]; readonly data: any }
}

/** The events up to the end of so many runs. */
export async function listen(
  api: string,
  threadId: string,
  body: object,
  runs = 1,
): Promise<Heard[]> {
  const gone = new AbortController()
  const response = await fetch(`${api}/threads/${threadId}/stream/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(20_000)]),
  })
  if (!response.body) throw new Error(`no stream: ${response.status}`)
  const heard: Heard[] = []
  let text = ''
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const line = frame.split('\n').find((each) => each.startsWith('data: '))
      if (line) heard.push(JSON.parse(line.slice(6)))
    }
    if (heard.filter(isEnd).length >= runs) break
  }
  gone.abort()
  return heard
}

export const isEnd = ({ method, params }: Heard): boolean =>
  method === 'lifecycle' && params.namespace.length === 0 && params.data.outcome !== undefined

/** The events of each message, in order. */
export function said(heard: readonly Heard[]): Heard['params']['data'][][] {
  const messages: Heard['params']['data'][][] = []
  for (const { method, params } of heard) {
    if (method !== 'messages') continue
    if (params.data.event === 'message-start') messages.push([])
    messages.at(-1)?.push(params.data)
  }
  return messages
}

/** The text that the pieces of a message make. */
export const textOf = (events: readonly Heard['params']['data'][]): string =>
  events.map(({ delta }) => delta?.text ?? '').join('')
