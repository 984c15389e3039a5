/** One model call: wire the provider, stream, hold everything until the stream is over, judge. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import {
  limits,
  type ModelConfig,
  type ModelError,
  type ModelTurn,
  type ToolSpec,
} from '@signalbox/core'
import type { ModelRequest, ModelSink } from '@signalbox/engine'
import type { ModelsOptions } from './models-options.ts'
import { withCacheMark } from './cache-marks.ts'
import { withKind } from './errors/failure-kind.ts'
import { plainModelError } from './errors/model-error.ts'
import { guardFetch } from './fetch-guard.ts'
import { EndMarkerWatch } from './observer/end-marker.ts'
import { resolveDetectors } from './detectors/detectors.ts'
import { TerminalObserver } from './observer/observer.ts'
import { Utf8Watch } from './observer/utf8.ts'
import { wireOf } from './observer/wires.ts'
import { seeImages, type SeenImages } from './prompt/images.ts'
import { toProviderPrompt } from './prompt/to-provider-prompt.ts'
import { providerOptions } from './provider-options.ts'
import { wireModel } from './providers/wire-model.ts'
import { secretsOf, type Unwired, type Wired } from './providers/wiring.ts'
import { scriptedFetch, scriptedUrl } from './scripted/in-process.ts'
import { withReadableUsage } from './readable-usage.ts'
import { shortText } from './text.ts'
import { TurnBuffer } from './turn/buffer.ts'
import { buildTurn } from './turn/build.ts'
import { withImages } from './turn/with-images.ts'

interface Call {
  readonly request: ModelRequest
  readonly sink: ModelSink
  readonly signal: AbortSignal
}

/** Makes the call. See `createModels`. */
export async function callModel(options: ModelsOptions, call: Call): Promise<ModelTurn> {
  return withKind(await makeCall(options, call), call.request.model, options.env)
}

async function makeCall(options: ModelsOptions, call: Call): Promise<ModelTurn> {
  const { request, sink, signal } = call
  signal.throwIfAborted()
  const { config, fetch } = transport(options, request.model)
  const endMarker = new EndMarkerWatch()
  const utf8 = new Utf8Watch()
  const wire = wireOf(config.provider)
  const guard = guardFetch(
    fetch,
    { idleTimeoutMs: config.idleTimeoutMs, bytesMax: limits.turnBytesMax },
    (chunk) => {
      if (wire === 'chat') endMarker.push(chunk)
      if (wire !== 'converse') utf8.push(chunk)
    },
  )
  const readable = withReadableUsage(guard.fetch, wireOf(config.provider))
  const { cacheKey, waitsForPeople = false } = request
  const wired = await wireModel({
    config,
    env: options.env,
    fetch: readable,
    ...(cacheKey === undefined ? {} : { cacheKey }),
    waitsForPeople,
  })
  // It may have loaded a package, and who aborted meanwhile is not heard again.
  signal.throwIfAborted()
  if ('problem' in wired) return unwiredTurn(request, wired)
  const images = await seeImages(request, wired.images).catch(() => null)
  signal.throwIfAborted()
  if (images === null) return unreadableTurn(request)
  const callOptions = optionsFor(request, { wired, images })
  if ('problem' in callOptions) return unwiredTurn(request, callOptions)

  const buffer = new TurnBuffer(sink, request.guard)
  const observer = observerFor(options, request, config.provider)
  let thrown: unknown
  let streaming = false
  const onStream = (): void => void (streaming = true)
  try {
    await stream(wired, callOptions, { buffer, observer, signal, onStream })
  } catch (error) {
    thrown = error ?? new Error('unknown')
  } finally {
    guard.close()
  }
  // First of all our own signal: whatever an abort looks like by now, it is an abort.
  if (signal.aborted) buffer.abandon()
  signal.throwIfAborted()
  try {
    buffer.settle()
  } catch (error) {
    thrown ??= error ?? new Error('unknown')
  }
  const turn = await buildTurn({
    request,
    buffer,
    observer,
    thrown,
    streaming,
    endMarker: endMarker.state,
    isEndMarkerOptional: config.endMarker === 'optional',
    isTextBroken: utf8.isBroken,
    cut: guard.cut(),
    now: Date.now(),
    metaKeys: wired.metaKeys,
    secrets: secretsOf(request.model, options.env),
  })
  if (turn.cut) warnOfCut(options, turn)
  return withImages(turn, images)
}

function warnOfCut({ log }: ModelsOptions, { cut, provider, model }: ModelTurn): void {
  log?.warn('the stream of a model did not close positively: no call of it is executed', {
    provider,
    model,
    code: cut?.code,
    detail: cut?.detail,
  })
}

function observerFor(
  { detectors = {}, log }: ModelsOptions,
  request: ModelRequest,
  provider: ModelConfig['provider'],
): TerminalObserver {
  return new TerminalObserver({
    wire: wireOf(provider),
    provider,
    detectors: resolveDetectors(request.detectors, {
      provider,
      custom: detectors,
      onFault: ({ detector, field, message }) =>
        log?.warn('a safety detector failed: nothing of the answer is executed', {
          detector: shortText(detector),
          field: shortText(field),
          error: shortText(message),
        }),
    }),
  })
}

/** Where requests go: over the network, or to a script in this process. */
function transport(options: ModelsOptions, config: ModelConfig) {
  if (config.provider === 'scripted')
    return {
      config: { ...config, baseURL: scriptedUrl },
      fetch: scriptedFetch(options.scripts ?? {}),
    }
  return { config, fetch: options.fetch ?? globalThis.fetch }
}

async function stream(
  { model }: Wired,
  callOptions: LanguageModelV4CallOptions,
  into: {
    readonly buffer: TurnBuffer
    readonly observer: TerminalObserver
    readonly signal: AbortSignal
    readonly onStream: () => void
  },
): Promise<void> {
  const { buffer, observer, signal, onStream } = into
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  aborted.catch(() => undefined)
  signal.addEventListener('abort', abort, { once: true })
  try {
    const interrupted = Promise.race([buffer.stopped, aborted])
    interrupted.catch(() => undefined)
    const started = model.doStream({ ...callOptions, abortSignal: signal })
    const reader = (await Promise.race([started, aborted])).stream.getReader()
    onStream()
    try {
      for (;;) {
        const next = await Promise.race([reader.read(), interrupted])
        if (next === undefined || next.done) break
        if (next.value.type === 'raw') observer.push(next.value.rawValue)
        else buffer.push(next.value)
        // The rest is neither wanted nor paid for.
        if (buffer.trip !== null) break
      }
    } finally {
      // Frees the connection where the stream did not end by itself; what it still says is of no interest.
      reader.cancel().catch(() => undefined)
    }
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function optionsFor(
  request: ModelRequest,
  { wired, images }: { readonly wired: Wired; readonly images: SeenImages },
): LanguageModelV4CallOptions | Unwired {
  const { model, prompt, tools, endUser } = request
  const own = providerOptions(wired, model.providerOptions, endUser)
  if (own === null)
    return {
      problem: 'invalid_request',
      message: 'model.providerOptions must map a provider to an object of its options.',
    }
  const marked = withCacheMark(own, wired, request.keepsHead ?? false)
  if ('problem' in marked) return marked
  const held = heldTo(request.answer, wired, marked.options)
  return {
    prompt: toProviderPrompt(prompt, wired.metaKeys, { marks: marked.marks, images }),
    includeRawChunks: true,
    ...held,
    ...(request.traceparent === undefined ? {} : { headers: { traceparent: request.traceparent } }),
    ...(tools.length > 0 ? { tools: tools.map(functionTool) } : {}),
    ...(model.temperature === undefined ? {} : { temperature: model.temperature }),
    ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: model.maxOutputTokens }),
  }
}

/** The form of the answer, and the options of the request. They are what they were where nobody is held to a form. */
function heldTo(
  answer: ModelRequest['answer'],
  { answerOptions }: Wired,
  options: SharedV4ProviderOptions,
): Pick<LanguageModelV4CallOptions, 'responseFormat' | 'providerOptions'> {
  if (answer === undefined || answerOptions === undefined) return { providerOptions: options }
  const merged: SharedV4ProviderOptions = { ...options }
  for (const [name, more] of Object.entries(answerOptions))
    merged[name] = { ...merged[name], ...more }
  return {
    responseFormat: { type: 'json', name: 'answer', schema: answer },
    providerOptions: merged,
  }
}

function functionTool({ name, description, inputSchema }: ToolSpec): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name,
    description,
    // Any JSON object: the provider judges the schema, and our own check fails closed on one that cannot be used.
    inputSchema,
  }
}

const unwiredTurn = (request: ModelRequest, { problem, message }: Unwired): ModelTurn =>
  unsentTurn(request, plainModelError(problem, 'configuration', message))

/** The register does not answer just now: as good as a connection that failed. */
const unreadableTurn = (request: ModelRequest): ModelTurn =>
  unsentTurn(
    request,
    plainModelError('network', 'images_unreadable', 'An image of the request could not be read.'),
  )

const unsentTurn = ({ messageId, model }: ModelRequest, error: ModelError): ModelTurn => ({
  verdict: 'error',
  message: { id: messageId, role: 'assistant', parts: [] },
  suppressed: [],
  evidence: [],
  finish: null,
  usage: {},
  error,
  provider: model.provider,
  model: model.model,
})
