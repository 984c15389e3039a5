/** Traces and metrics over OTLP. See `tracing.ts` for what they may hold, `trace-ids.ts` for how they come together. */
import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  MeterProvider,
  type MetricReader,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  type IdGenerator,
  NodeTracerProvider,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'
import type { ModelTurn } from '@signalbox/core'
import type { EndedRun, ModelRequest, RunPlace, ToolRequest } from '@signalbox/engine'
import { genAiMetrics } from './genai-metrics.ts'
import { providerAttributes } from './genai-names.ts'
import { spanIdOf, traceIdOf } from './trace-ids.ts'
import type { Tracing } from './tracing.ts'

/** Sends spans and metrics to an endpoint of OTLP over HTTP. */
export function traceTo(endpoint: string, version: string): Tracing {
  const base = endpoint.replace(/\/$/, '')
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
  })
  return exportTo(new OTLPTraceExporter({ url: `${base}/v1/traces` }), { version, reader })
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win over what the program says of itself. */
const resourceOf = (version: string): Resource =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'signalbox', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))

/** Ids by chance, but for the one span that is about to begin with given ones. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  chosen: { readonly traceId: string; readonly spanId: string } | null = null
  generateTraceId = (): string => this.chosen?.traceId ?? this.#random.generateTraceId()
  generateSpanId = (): string => this.chosen?.spanId ?? this.#random.generateSpanId()

  during<T>(ids: NonNullable<ChosenIds['chosen']>, start: () => T): T {
    this.chosen = ids
    try {
      return start()
    } finally {
      this.chosen = null
    }
  }
}

const placeKey = Symbol('the run of a context')
const propagator = new W3CTraceContextPropagator()
const headerGetter = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
}

/** Gives spans to an exporter, and metrics to a reader. */
export function exportTo(
  exporter: SpanExporter,
  to: { readonly version?: string; readonly reader?: MetricReader } = {},
): Tracing {
  const resource = resourceOf(to.version ?? '0')
  const ids = new ChosenIds()
  const spanProcessors = [new BatchSpanProcessor(exporter)]
  const provider = new NodeTracerProvider({ resource, spanProcessors, idGenerator: ids })
  const meters = new MeterProvider({ resource, readers: to.reader ? [to.reader] : [] })
  const tracer = provider.getTracer('signalbox')
  const metrics = genAiMetrics(meters.getMeter('signalbox'))
  // Refused where a tool of this process has set one of its own: then that one carries the contexts.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())

  /** The context of a run's own span, which ends with the run: sampled as the sampler would sample its trace. */
  const runContext = (runId: string, rootId: string): Context => {
    const chosen = { traceId: traceIdOf(rootId), spanId: spanIdOf(runId) }
    // Never ended, so never exported: it only asks the sampler.
    const asked = ids.during(chosen, () => tracer.startSpan('sampled', { root: true }))
    const { traceFlags } = asked.spanContext()
    return trace.setSpanContext(ROOT_CONTEXT, { ...chosen, traceFlags, isRemote: true })
  }

  const within: Tracing['within'] = (run, work) =>
    context.with(runContext(run.runId, run.rootId).setValue(placeKey, run), work)

  return {
    within,
    request: (headers, work) =>
      context.with(propagator.extract(ROOT_CONTEXT, headers, headerGetter), work),
    ...spansOf(tracer, metrics),
    enqueued({ runId, threadId, agent }) {
      const caller = trace.getSpanContext(context.active())
      const links: Link[] = caller ? [{ context: caller }] : []
      const attributes = { ...runAttributes({ runId, threadId }), 'gen_ai.agent.name': agent }
      const options = { kind: SpanKind.PRODUCER, attributes, links }
      tracer.startSpan(`enqueue ${agent}`, options, runContext(runId, runId)).end()
    },
    runEnded(run) {
      const chosen = { traceId: traceIdOf(run.rootId), spanId: spanIdOf(run.runId) }
      const parent = run.parentId === null ? ROOT_CONTEXT : runContext(run.parentId, run.rootId)
      const options = { attributes: endedAttributes(run), startTime: run.createdAt }
      const name = `invoke_agent ${run.agent}`
      const span = ids.during(chosen, () => tracer.startSpan(name, options, parent))
      if (run.outcome === 'failed' || run.outcome === 'timed_out')
        openSpan(span).failed(run.outcome, `the run ${run.outcome}`)
      else span.end()
    },
    traceparent() {
      const found = trace.getSpanContext(context.active())
      if (!found || (found.traceFlags & 1) === 0) return null
      return `00-${found.traceId}-${found.spanId}-01`
    },
    flush: async () => void (await Promise.all([provider.forceFlush(), meters.forceFlush()])),
    close: async () => void (await Promise.allSettled([provider.shutdown(), meters.shutdown()])),
  }
}

type Spans = Pick<Tracing, 'modelCall' | 'toolCall' | 'policyCall' | 'delivery'>

/** The spans of work on effects. */
const spansOf = (tracer: Tracer, metrics: ReturnType<typeof genAiMetrics>): Spans => ({
  modelCall(request) {
    const attributes = modelAttributes(request)
    const open = openSpan(
      startSpan(tracer, `chat ${request.model.model}`, attributes, SpanKind.CLIENT),
    )
    return {
      ...open,
      answered(turn, ms) {
        open.span.setAttributes(turnAttributes(turn))
        metrics.answered(attributes, turn, ms)
        if (turn.verdict !== 'error') return open.span.end()
        open.failed(turn.error?.class ?? 'unknown', 'the provider answered an error')
      },
    }
  },
  toolCall(request) {
    const open = openSpan(
      startSpan(tracer, `execute_tool ${request.name}`, toolAttributes(request)),
    )
    return {
      ...open,
      ended(outcome) {
        if (outcome.status === 'completed') return open.span.end()
        const type = outcome.status === 'failed' ? outcome.error.code : 'aborted'
        open.failed(type, `the call ${outcome.status}`)
      },
    }
  },
  policyCall({ id, use }) {
    const about = { 'signalbox.policy.id': id, 'signalbox.policy.use': use }
    const open = openSpan(startSpan(tracer, `evaluate_policy ${use}`, about, SpanKind.CLIENT))
    return { ...open, ended: () => open.span.end() }
  },
  delivery({ on, to: target }) {
    const about = defined({
      'signalbox.webhook.on': on,
      'signalbox.webhook.endpoint': 'endpoint' in target ? target.endpoint : undefined,
      'http.request.method': 'POST',
    })
    const open = openSpan(startSpan(tracer, 'deliver webhook', about, SpanKind.CLIENT))
    return {
      ...open,
      ended({ code, status }) {
        if (status !== null) open.span.setAttribute('http.response.status_code', status)
        if (code === 'delivered') open.span.end()
        else open.failed(code, 'the delivery failed')
      },
    }
  },
})

const turnAttributes = (turn: ModelTurn): Attributes =>
  defined({
    'gen_ai.response.model': turn.model,
    'gen_ai.response.id': turn.responseId,
    'gen_ai.response.finish_reasons': turn.finish ? [turn.finish.unified] : undefined,
    'gen_ai.usage.input_tokens': turn.usage.inputTokens,
    'gen_ai.usage.output_tokens': turn.usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': turn.usage.cachedInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': turn.usage.cacheWriteTokens,
    'signalbox.turn.verdict': turn.verdict,
    'signalbox.provider.request_id': turn.error?.requestId,
  })

/** A child of the work under way. */
function startSpan(
  tracer: Tracer,
  name: string,
  ...[attributes, kind = SpanKind.INTERNAL]: readonly [Attributes, SpanKind?]
): Span {
  const place = context.active().getValue(placeKey)
  const of = isPlace(place) ? runAttributes(place) : {}
  return tracer.startSpan(name, { kind, attributes: { ...of, ...attributes } })
}

const isPlace = (value: unknown): value is RunPlace =>
  typeof value === 'object' && value !== null && 'rootId' in value

const openSpan = (span: Span) => ({
  span,
  within: <T>(work: () => Promise<T>): Promise<T> =>
    context.with(trace.setSpan(context.active(), span), work),
  failed(type: string, message: string): void {
    span.setAttribute('error.type', type)
    span.setStatus({ code: SpanStatusCode.ERROR, message })
    span.end()
  },
})

const runAttributes = ({ runId, threadId }: Pick<RunPlace, 'runId' | 'threadId'>): Attributes => ({
  'gen_ai.conversation.id': threadId,
  'signalbox.run.id': runId,
})

const endedAttributes = (run: EndedRun): Attributes => ({
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': run.agent,
  ...runAttributes(run),
  'signalbox.run.outcome': run.outcome,
})

const modelAttributes = ({ model: config }: ModelRequest): Attributes =>
  defined({
    'gen_ai.operation.name': 'chat',
    ...providerAttributes(config),
    'gen_ai.request.model': config.model,
    'gen_ai.request.temperature': config.temperature,
    'gen_ai.request.max_tokens': config.maxOutputTokens,
    'gen_ai.request.stream': true,
  })

const toolAttributes = (request: ToolRequest): Attributes => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': request.name,
  'gen_ai.tool.call.id': request.callId,
  'gen_ai.tool.type': 'function',
  ...runAttributes(request),
  'signalbox.attempt': request.attempt,
})

/** Attributes without those that have no value. */
const defined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
