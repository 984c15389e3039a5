/** Models, tools, policies, webhooks and the dispatcher, counted and traced: one wrapper per port. */
import type {
  Commands,
  Dispatcher,
  Model,
  Observer,
  PolicyHost,
  ToolHost,
  WebhookSender,
} from '@signalbox/engine'
import { promptImages } from '@signalbox/core'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

/** What the trace is called where it is passed on. */
const carried = (tracing: Tracing): { readonly traceparent?: string } => {
  const traceparent = tracing.traceparent()
  return traceparent === null ? {} : { traceparent }
}

/** The same model; each call is timed, and a span with the names OpenTelemetry has for it. */
export function measuredModel(model: Model, metrics: Metrics, tracing: Tracing): Model {
  return {
    async call(request, sink, signal) {
      const { provider, model: name } = request.model
      const labels = { provider, model: metrics.models.of(name) }
      const end = metrics.modelCalls.startTimer(labels)
      const span = tracing.modelCall(request)
      const began = performance.now()
      try {
        const turn = await span.within(() =>
          model.call({ ...request, ...carried(tracing) }, sink, signal),
        )
        end({ verdict: turn.verdict })
        const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = turn.usage
        metrics.tokens.inc({ ...labels, direction: 'input' }, inputTokens)
        metrics.tokens.inc({ ...labels, direction: 'output' }, outputTokens)
        metrics.cacheTokens.inc({ ...labels, access: 'read' }, cachedInputTokens)
        metrics.cacheTokens.inc({ ...labels, access: 'write' }, turn.usage.cacheWriteTokens ?? 0)
        const { imagesLeftOut: leftOut = 0 } = turn
        const shown = promptImages(request.prompt).length - leftOut
        if (shown > 0) metrics.images.inc({ ...labels, what: 'shown' }, shown)
        if (leftOut > 0) metrics.images.inc({ ...labels, what: 'left_out' }, leftOut)
        span.answered(turn, performance.now() - began)
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
        const outcome = await span.within(() =>
          tools.call({ ...request, ...carried(tracing) }, signal),
        )
        end({ status: outcome.status })
        if (outcome.status === 'completed' && outcome.sandbox) {
          const { adapter, ended } = outcome.sandbox
          metrics.commands.inc({ adapter, ended })
        }
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

/** The same policies; each question to one with I/O is a span. */
export function tracedPolicies(policies: PolicyHost, tracing: Tracing): PolicyHost {
  return {
    evaluator: (spec) => policies.evaluator(spec),
    passports: policies.passports,
    prepare: (specs) => policies.prepare(specs),
    recheck: (specs, request, how) => policies.recheck(specs, request, how),
    close: () => policies.close(),
    async ask(spec, request, signal) {
      const span = tracing.policyCall({ id: spec.id, use: spec.use })
      try {
        const answer = await span.within(() => policies.ask(spec, request, signal))
        span.ended()
        return answer
      } catch (error) {
        span.failed('no_answer', 'the policy could not be asked')
        throw error
      }
    },
  }
}

/** The same sender; each attempt is a span, whose trace its receiver is told. */
export function tracedWebhooks(sender: WebhookSender, tracing: Tracing): WebhookSender {
  return {
    endpoints: (agent) => sender.endpoints(agent),
    async deliver(delivery, signal) {
      const span = tracing.delivery(delivery)
      try {
        const answer = await span.within(() =>
          sender.deliver({ ...delivery, ...carried(tracing) }, signal),
        )
        span.ended(answer)
        return answer
      } catch (error) {
        span.failed('aborted', 'the delivery was aborted')
        throw error
      }
    },
  }
}

/** The same commands; a run that is created is linked with the trace of the request that asked for it. */
export function tracedCommands(commands: Commands, tracing: Tracing): Commands {
  return {
    ...commands,
    async createRun(request) {
      const answer = await commands.createRun(request)
      if (answer.code === 'created') {
        const { threadId, definition } = request
        tracing.enqueued({ runId: answer.runId, threadId, agent: definition.name })
      }
      return answer
    },
    async rerun(request) {
      const answer = await commands.rerun(request)
      if (answer.code === 'created')
        tracing.enqueued({ runId: answer.runId, threadId: request.threadId, agent: 'rerun' })
      return answer
    },
  }
}

/** Tells metrics, traces and the log of what the engine does. */
export const observerOf = (
  metrics: Metrics,
  tracing: Tracing,
  decided: Observer['decided'],
): Observer => ({
  within: (run, work) => tracing.within(run, work),
  decided,
  ended(run) {
    const seconds = Math.max(0, (Date.now() - run.createdAt) / 1000)
    metrics.runSeconds.observe(
      { agent: metrics.agents.of(run.agent), outcome: run.outcome },
      seconds,
    )
    tracing.runEnded(run)
  },
})

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
