/** Runs that stop in a state each while the process of before is there, and go on to their ends in the one after it. */
import type { AgentDefinition, Json } from '@signalbox/core'
import type { Engine, Model, Register } from '@signalbox/engine'
import { governed, hostOf, httpPolicy, says } from '../../packages/engine/test/support/governed.ts'
import { functionTools, turnModel, world } from '../../packages/engine/test/support/world.ts'

/** The state that a run of each kind is left in. `safety` and `loop` are passed through inside one step, `input` is entered by none. */
export const kinds = [
  'queued',
  'model',
  'guardrail',
  'approval',
  'tools',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const
export type Kind = (typeof kinds)[number]

/** So many runs of each kind: more than five hundred in all. */
export const runsPerKind = 56

/** The threads of all of them begin so. */
export const threads = 'upgrade-'

const search = [{ tool: 'search', args: { query: 'x' } }]
const pay = [{ tool: 'pay', args: { to: 'ann' } }]

export function agentOf(kind: Kind): AgentDefinition {
  if (kind === 'guardrail') return governed({ guardrails: { policies: [httpPolicy] } })
  // A circuit of their own: one that opens would keep the others waiting.
  if (kind === 'failed') return governed({ model: { provider: 'scripted', model: 'broken' } })
  return governed({ guardrails: { approvalTools: ['pay'] } })
}

const broken: Model = {
  call: (request) =>
    Promise.resolve({
      verdict: 'error',
      message: { id: request.messageId, role: 'assistant', parts: [] },
      suppressed: [],
      evidence: [],
      finish: null,
      error: { class: 'invalid_request', retryable: false, message: 'no' },
      usage: { inputTokens: 1, outputTokens: 1 },
      provider: request.model.provider,
      model: request.model.model,
    }),
}

const turnsOf: Readonly<Record<Kind, Model>> = {
  queued: turnModel(['done']),
  model: turnModel(['done']),
  guardrail: turnModel([search, 'done']),
  approval: turnModel([pay, 'done']),
  tools: turnModel([search, 'done']),
  cancelling: turnModel([search, 'done']),
  completed: turnModel(['done']),
  failed: broken,
  cancelled: turnModel([pay, 'done']),
}

const never = (): Promise<never> => new Promise(() => {})

/** An engine over this register. `before`: what a run is to be left in does not end. */
export function engineOver(register: Register, { before }: { readonly before: boolean }): Engine {
  const model: Model = {
    call(request, ...rest) {
      const said = JSON.stringify(request.prompt.findLast(({ role }) => role === 'user'))
      const kind = kinds.find((each) => said.includes(`"kind ${each}"`))
      if (!kind) throw new Error(`no kind in ${said}`)
      return before && kind === 'model' ? never() : turnsOf[kind].call(request, ...rest)
    },
  }
  const tools = functionTools({
    search: async (): Promise<Json> => (before ? never() : 'found'),
    pay: async () => 'paid',
  })
  const policies = hostOf({ ask: () => (before ? never() : says('allow')) })
  const concurrency = kinds.length * runsPerKind
  const { engine } = world({
    register,
    model,
    tools,
    policies,
    settings: {
      leaseMs: 3_000,
      renewMs: 500,
      modelConcurrency: concurrency,
      queues: [{ queue: 'tools', concurrency }],
    },
  })
  return engine
}
