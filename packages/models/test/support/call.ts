/** One call of a model over the loopback server. */
import type {
  DetectorConfig,
  JsonObject,
  ModelConfig,
  ModelTurn,
  Prompt,
  ToolSpec,
} from '@signalbox/core'
import type { StreamGuard } from '@signalbox/engine'
import type { Model, ModelRequest } from '@signalbox/engine'
import { createModels } from '../../src/index.ts'
import { wireOf, type Wire } from '../../src/observer/wires.ts'
import type { Loopback, Reply } from './loopback.ts'
import { closing, contentType, encodeEvent, type Event } from './wire-bytes.ts'

export type Provider = ModelConfig['provider']

/** Every provider that is called over a network. */
export const providers: readonly Provider[] = [
  'openai',
  'azure',
  'openai-compatible',
  'openai-responses',
  'anthropic',
  'google',
  'amazon-bedrock',
]

export const hmacKey = '00112233445566778899aabbccddeeff'
/** Stands for the digest of a run: what it makes, only the engine says. */
export const argsHash = (args: JsonObject): string => `digest of ${JSON.stringify(args)}`
export const env = { TEST_KEY: 'test-key-value' }
const models: Model = createModels({ env })

export function tool(name: string, inputSchema: ToolSpec['inputSchema'] = anything): ToolSpec {
  return {
    name,
    version: '1',
    description: `The tool ${name}.`,
    inputSchema,
    effect: 'once',
    queue: 'default',
    timeoutMs: 1000,
  }
}

const anything = { type: 'object', properties: {} }

export interface Asked {
  readonly provider: Provider
  readonly baseURL?: string
  readonly model?: Partial<ModelConfig>
  readonly tools?: readonly ToolSpec[]
  readonly prompt?: Prompt
  readonly detectors?: readonly DetectorConfig[]
  readonly guard?: StreamGuard
  readonly endUser?: string
  readonly cacheKey?: string
  readonly waitsForPeople?: boolean
  readonly keepsHead?: boolean
  readonly answer?: JsonObject
  readonly images?: ModelRequest['images']
}

export function request(asked: Asked): ModelRequest {
  return {
    model: {
      provider: asked.provider,
      model: 'test-model',
      apiKeyEnv: 'TEST_KEY',
      region: 'us-east-1',
      idleTimeoutMs: 20_000,
      endMarker: 'required',
      ...(asked.baseURL === undefined ? {} : { baseURL: asked.baseURL }),
      ...asked.model,
    },
    detectors: asked.detectors,
    prompt: asked.prompt ?? [{ role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }],
    tools: asked.tools ?? [tool('write_file')],
    messageId: 'message-1',
    callIdPrefix: 'call',
    argsHash,
    hmacKey,
    guard: asked.guard ?? null,
    endUser: asked.endUser ?? null,
    ...(asked.cacheKey === undefined ? {} : { cacheKey: asked.cacheKey }),
    ...(asked.waitsForPeople === undefined ? {} : { waitsForPeople: asked.waitsForPeople }),
    ...(asked.keepsHead === undefined ? {} : { keepsHead: asked.keepsHead }),
    ...(asked.answer === undefined ? {} : { answer: asked.answer }),
    ...(asked.images === undefined ? {} : { images: asked.images }),
  }
}

export interface Heard {
  readonly turn: ModelTurn
  readonly deltas: readonly { readonly kind: 'text' | 'reasoning'; readonly text: string }[]
}

export async function ask(
  asked: Asked,
  signal: AbortSignal = new AbortController().signal,
): Promise<Heard> {
  const deltas: { kind: 'text' | 'reasoning'; text: string }[] = []
  const sink = {
    delta(kind: 'text' | 'reasoning', text: string) {
      deltas.push({ kind, text })
    },
  }
  return { turn: await models.call(request(asked), sink, signal), deltas }
}

/** A stream of events as a reply. `open` leaves the closing `[DONE]` away. */
export function streamReply(
  wire: Wire,
  events: readonly Event[],
  options: { readonly end?: Reply['end']; readonly open?: boolean } = {},
): Reply {
  const body = events.map((event) => encodeEvent(wire, event))
  return {
    headers: { 'content-type': contentType(wire) },
    body: options.open ? body : [...body, ...closing(wire)],
    ...(options.end === undefined ? {} : { end: options.end }),
  }
}

export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [new TextEncoder().encode(JSON.stringify(body))],
  }
}

export async function askStream(
  loopback: Loopback,
  asked: Asked,
  events: readonly Event[],
): Promise<Heard> {
  const baseURL = loopback.reply(streamReply(wireOf(asked.provider), events))
  return ask({ ...asked, baseURL })
}

export function callsOf(turn: ModelTurn) {
  return turn.message.parts.filter((part) => part.type === 'tool_call')
}
