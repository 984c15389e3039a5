/**
 * Traces, by OpenTelemetry's conventions for generative AI. Names and counts only: neither prompts nor answers, neither
 * arguments nor results leave the register this way.
 */
import type { ModelTurn } from '@signalbox/core'
import type { ModelRequest, ToolOutcome, ToolRequest } from '@signalbox/engine'

interface OpenSpan {
  failed(type: string, message: string): void
}

export interface Tracing {
  modelCall(request: ModelRequest): OpenSpan & { answered(turn: ModelTurn): void }
  toolCall(request: ToolRequest): OpenSpan & { ended(outcome: ToolOutcome): void }
  /** Sends what waits to be sent. */
  flush(): Promise<void>
  /** Sends what is left, and ends. */
  close(): Promise<void>
}

/** With an endpoint (`OTEL_EXPORTER_OTLP_ENDPOINT`); without one, tracing costs nothing, and its packages are not loaded. */
export async function createTracing(endpoint: string | null): Promise<Tracing> {
  if (endpoint === null) return untraced
  const { traceTo } = await import('./otlp-tracing.ts')
  return traceTo(endpoint)
}

const nothing = { failed: () => {}, answered: () => {}, ended: () => {} }

const untraced: Tracing = {
  modelCall: () => nothing,
  toolCall: () => nothing,
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
