/** Streams of LangGraph's clients, and what two of the same run must have in common. */
import { Client as Client1 } from 'langgraph-sdk-1'
import { Client as Client15 } from 'langgraph-sdk-15'
import { Client as Client2 } from 'langgraph-sdk-2'

export interface Part {
  readonly id?: string | undefined
  readonly event: string
  // Tests look into frames freely; what the clients make of them is what is tested.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

export interface StreamWish {
  readonly streamMode: readonly string[]
  readonly input?: unknown
  readonly command?: unknown
}

export interface RunName {
  readonly threadId: string
  readonly runId: string
}

/** The part of a client that streams, the same for all versions. */
export interface StreamClient {
  readonly name: string
  stream(
    threadId: string,
    agent: string,
    wish: StreamWish & { readonly onRun?: (run: RunName) => void },
  ): AsyncIterable<Part>
  join(
    run: RunName,
    wish: { readonly streamMode?: readonly string[]; readonly lastEventId?: string },
  ): AsyncIterable<Part>
}

/** What all versions of the client have, without the types that tell them apart. */
interface Runs {
  stream(threadId: string, agent: string, payload: object): AsyncIterable<Part>
  joinStream(threadId: string, runId: string, options: object): AsyncIterable<Part>
}

function clientOf(name: string, runs: Runs): StreamClient {
  return {
    name,
    stream: (threadId, agent, { onRun, ...wish }) =>
      runs.stream(threadId, agent, {
        ...wish,
        streamResumable: true,
        onRunCreated: ({ run_id }: { readonly run_id: string }) =>
          onRun?.({ threadId, runId: run_id }),
      }),
    join: ({ threadId, runId }, wish) => runs.joinStream(threadId, runId, wish),
  }
}

/** All versions, each on the server at this address. */
export const clientsOf = (apiUrl: string): readonly [StreamClient, StreamClient, StreamClient] => [
  clientOf('1.12.4', new Client1({ apiUrl, apiKey: null }).runs),
  clientOf('2.0.0', new Client2({ apiUrl, apiKey: null }).runs),
  clientOf('1.15.0', new Client15({ apiUrl, apiKey: null }).runs),
]

export async function collect(parts: AsyncIterable<Part>): Promise<Part[]> {
  const all: Part[] = []
  for await (const part of parts) all.push(part)
  return all
}

/**
 * Frames without their ids, and with the pieces of a text in one: how a text is cut into pieces is a matter of time. Text
 * that was withdrawn is left out, since who was away in the meantime never got it.
 */
export function normalise(parts: readonly Part[]): readonly Omit<Part, 'id'>[] {
  const frames: Omit<Part, 'id'>[] = []
  for (const { event, data } of parts) {
    if (event === 'messages/partial' || event === 'messages/metadata') continue
    const [id, text] = pieceOf({ event, data })
    const at = id === null ? -1 : frames.findIndex((frame) => pieceOf(frame)[0] === id)
    const before = frames[at]
    // Only pieces of the same text lie between two of them.
    const isOneText = frames.slice(at).every((frame) => pieceOf(frame)[0] !== null)
    if (before && isOneText) frames[at] = joined({ event, data }, pieceOf(before)[1] + text)
    else frames.push({ event, data })
  }
  return frames
}

function pieceOf({ event, data }: Omit<Part, 'id'>): readonly [string | null, string] {
  if (event === 'messages' && data[0].type === 'AIMessageChunk')
    return [`m ${data[0].id}`, data[0].content]
  if (event === 'events' && data.event === 'on_chat_model_stream')
    return [`e ${data.data.chunk.id}`, data.data.chunk.content]
  return [null, '']
}

function joined({ event, data }: Omit<Part, 'id'>, content: string): Omit<Part, 'id'> {
  if (event === 'messages') return { event, data: [{ ...data[0], content }, data[1]] }
  return { event, data: { ...data, data: { chunk: { ...data.data.chunk, content } } } }
}
