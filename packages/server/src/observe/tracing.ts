/**
 * Traces and metrics by OpenTelemetry's conventions for generative AI: one trace for a run and the runs it starts, whichever
 * processes work on them. Names and counts only: neither prompts nor answers, neither arguments nor results leave the
 * register this way.
 */
import type { ModelTurn } from '@signalbox/core'
import type {
  Delivery,
  DeliveryAnswer,
  EndedRun,
  ModelRequest,
  RunPlace,
  ToolOutcome,
  ToolRequest,
} from '@signalbox/engine'

interface OpenSpan {
  /** Runs the work with the span as its context. */
  within<T>(work: () => Promise<T>): Promise<T>
  failed(type: string, message: string): void
}

export interface Tracing {
  /** Runs the work on an effect of a run: spans that begin in it are children of the run. */
  within<T>(run: RunPlace, work: () => Promise<T>): Promise<T>
  /** Runs the answering of a request, in the trace its caller named with `traceparent`, if any. */
  request<T>(headers: Headers, work: () => Promise<T>): Promise<T>
  modelCall(request: ModelRequest): OpenSpan & { answered(turn: ModelTurn, ms: number): void }
  toolCall(request: ToolRequest): OpenSpan & { ended(outcome: ToolOutcome): void }
  policyCall(policy: { readonly id: string; readonly use: string }): OpenSpan & { ended(): void }
  delivery(delivery: Delivery): OpenSpan & { ended(answer: DeliveryAnswer): void }
  /** A run was created by a request: links its trace with that of the caller. */
  enqueued(run: { readonly runId: string; readonly threadId: string; readonly agent: string }): void
  /** A run has ended: its own span, from its creation on. */
  runEnded(run: EndedRun): void
  /** `traceparent` of the work under way, to be passed on; null if there is none, or it is not sampled. */
  traceparent(): string | null
  /** Sends what waits to be sent. */
  flush(): Promise<void>
  /** Sends what is left, and ends. */
  close(): Promise<void>
}

/** With an endpoint (`OTEL_EXPORTER_OTLP_ENDPOINT`); without one, tracing costs nothing, and its packages are not loaded. */
export async function createTracing(endpoint: string | null, version: string): Promise<Tracing> {
  if (endpoint === null) return untraced
  const { traceTo } = await import('./otlp-tracing.ts')
  return traceTo(endpoint, version)
}

const through = <T>(work: () => Promise<T>): Promise<T> => work()
const nothing = { within: through, failed: () => {}, answered: () => {}, ended: () => {} }

/** Traces nothing. */
const untraced: Tracing = {
  within: (_, work) => work(),
  request: (_, work) => work(),
  modelCall: () => nothing,
  toolCall: () => nothing,
  policyCall: () => nothing,
  delivery: () => nothing,
  enqueued: () => {},
  runEnded: () => {},
  traceparent: () => null,
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
