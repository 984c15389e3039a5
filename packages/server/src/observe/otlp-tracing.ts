/** Traces, by OpenTelemetry's conventions for generative AI. What they may hold is said in `tracing.ts`. */
import {
  type Attributes,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'
import type { ModelRequest, ToolRequest } from '@signalbox/engine'
import type { Tracing } from './tracing.ts'

/** Sends spans to an endpoint of OTLP over HTTP. */
export const traceTo = (endpoint: string): Tracing =>
  exportTo(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }))

/** Gives spans to an exporter. */
export function exportTo(exporter: SpanExporter): Tracing {
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  const tracer = provider.getTracer('signalbox')
  return {
    modelCall: (request) => traceModelCall(tracer, request),
    toolCall: (request) => traceToolCall(tracer, request),
    flush: () => provider.forceFlush(),
    close: () => provider.shutdown(),
  }
}

const failedSpan = (span: Span) => (type: string, message: string) => {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR, message })
  span.end()
}

function traceModelCall(tracer: Tracer, request: ModelRequest): ReturnType<Tracing['modelCall']> {
  const { provider, model, temperature, maxOutputTokens } = request.model
  const attributes = defined({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.max_tokens': maxOutputTokens,
    'gen_ai.request.stream': true,
  })
  const span = tracer.startSpan(`chat ${model}`, { kind: SpanKind.CLIENT, attributes })
  return {
    failed: failedSpan(span),
    answered(turn) {
      span.setAttributes(
        defined({
          'gen_ai.response.model': turn.model,
          'gen_ai.response.id': turn.responseId,
          'gen_ai.response.finish_reasons': turn.finish ? [turn.finish.unified] : undefined,
          'gen_ai.usage.input_tokens': turn.usage.inputTokens,
          'gen_ai.usage.output_tokens': turn.usage.outputTokens,
          'signalbox.turn.verdict': turn.verdict,
        }),
      )
      if (turn.verdict === 'error') {
        span.setAttribute('error.type', turn.error?.class ?? 'unknown')
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

function traceToolCall(tracer: Tracer, request: ToolRequest): ReturnType<Tracing['toolCall']> {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': request.name,
    'gen_ai.tool.call.id': request.callId,
    'gen_ai.tool.type': 'function',
    'gen_ai.conversation.id': request.threadId,
    'signalbox.run.id': request.runId,
    'signalbox.attempt': request.attempt,
  }
  const span = tracer.startSpan(`execute_tool ${request.name}`, {
    kind: SpanKind.INTERNAL,
    attributes,
  })
  return {
    failed: failedSpan(span),
    ended(outcome) {
      if (outcome.status === 'completed') return span.end()
      const type = outcome.status === 'failed' ? outcome.error.code : 'aborted'
      failedSpan(span)(type, `the call ${outcome.status}`)
    },
  }
}

/** Attributes without those that have no value. */
const defined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
