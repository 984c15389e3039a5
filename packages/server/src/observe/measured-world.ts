/** Model, tools and dispatcher that count and trace: one wrapper per port. */
import type { Dispatcher, Model, ToolHost } from '@signalbox/engine'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

/** The same model; each call is timed, and a span with the names OpenTelemetry has for it. */
export function measuredModel(model: Model, metrics: Metrics, tracing: Tracing): Model {
  return {
    async call(request, sink, signal) {
      const { provider, model: name } = request.model
      const end = metrics.modelCalls.startTimer({ provider })
      const span = tracing.modelCall(request)
      try {
        const turn = await model.call(request, sink, signal)
        end({ verdict: turn.verdict })
        const { inputTokens = 0, outputTokens = 0 } = turn.usage
        metrics.tokens.inc({ provider, direction: 'input' }, inputTokens)
        metrics.tokens.inc({ provider, direction: 'output' }, outputTokens)
        span.answered(turn)
        return turn
      } catch (error) {
        end({ verdict: 'aborted' })
        span.failed('aborted', `the call of ${name} was aborted`)
        throw error
      }
    },
  }
}

/** The same tools; each execution is timed, and a span. */
export function measuredTools(tools: ToolHost, metrics: Metrics, tracing: Tracing): ToolHost {
  return {
    specs: () => tools.specs(),
    knows: (name, version) => tools.knows(name, version),
    close: () => tools.close(),
    async call(request, signal) {
      const end = metrics.toolCalls.startTimer({ tool: request.name })
      const span = tracing.toolCall(request)
      try {
        const outcome = await tools.call(request, signal)
        end({ status: outcome.status })
        span.ended(outcome)
        return outcome
      } catch (error) {
        end({ status: 'threw' })
        span.failed('threw', 'the tool host threw')
        throw error
      }
    },
  }
}

/** The same dispatcher; hints are counted. */
export function measuredDispatcher(dispatcher: Dispatcher, metrics: Metrics): Dispatcher {
  return {
    dispatch(hints) {
      for (const { queue } of hints) metrics.hints.inc({ queue })
      return dispatcher.dispatch(hints)
    },
    depth: (queue) => dispatcher.depth(queue),
    close: () => dispatcher.close(),
  }
}
