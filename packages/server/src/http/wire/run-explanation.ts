/** The explanation of a run as the API answers it: the document that the core makes, with an example. */
import { z } from '@hono/zod-openapi'
import { explainRun, legible, RunExplanation as Explanation } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'

const at = (seconds: number): string => `2026-11-23T09:15:0${seconds}.000Z`
const proof = (seq: number, type: string, seconds: number) => ({ seq, type, at: at(seconds) })
const answered = proof(5, 'model.completed', 2)
const decided = proof(6, 'run.transitioned', 2)
const denied = proof(7, 'call.denied', 2)

const example: z.infer<typeof Explanation> = {
  run: {
    run_id: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
    thread_id: 't-1',
    agent: 'clerk',
    definition_hash: '7c4a8d09ca3762af61e59520943dc26494f8941b6f4bb0a4f3a9c0d1e2f3a4b5',
    machine: 'run',
    machine_version: 1,
    created: proof(1, 'run.created', 0),
    actor: 'key:default',
    user: { id: 'ann', role: 'clerk' },
    end_user: null,
    parent: null,
    rerun_of: null,
    retry_of: null,
    outcome: null,
    why: 'The run has not ended.',
    proofs: [],
    events: 7,
  },
  answers: [
    {
      turn: 1,
      effect_id: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77.1',
      verdict: 'complete',
      finish: { unified: 'tool-calls', raw: 'tool_calls' },
      provider: 'openai-compatible',
      model: 'kimi-k2',
      evidence: [],
      cut: null,
      suppressed: [],
      guardrails: [],
      calls: ['c_0b6a4f1e2c77_1_0'],
      says: 'The answer closed positively (tool_calls). It asked for one call, which is explained below.',
      proof: answered,
      decided: [decided],
    },
  ],
  calls: [
    {
      call_id: 'c_0b6a4f1e2c77_1_0',
      tool: 'bash',
      args_hash: '0d9c6a1f3b5e7d2c4f6a8b0c1d3e5f7a9b1c3d5e7f9a0b2c4d6e8f0a1b2c3d4e',
      turn: 1,
      asked: answered,
      ran: 'did_not_run',
      end: 'denied',
      why: 'It did not run. The policy passport (sha256:2c26) denies the call (oap.dangerous_operation) (#7).',
      checks: [
        {
          check: 'close',
          verdict: 'complete',
          finish: 'tool_calls',
          provider: 'openai-compatible',
          model: 'kimi-k2',
          proof: answered,
          says: 'The stream of the answer closed positively (tool_calls).',
        },
        {
          check: 'policy',
          verdict: 'deny',
          asked: 'decision',
          policy_id: 'passport',
          policy_digest: 'sha256:2c26',
          reasons: [{ code: 'oap.dangerous_operation', message: 'The command is dangerous.' }],
          proof: denied,
          says: 'The policy passport (sha256:2c26) denies the call (oap.dangerous_operation).',
        },
      ],
    },
  ],
  erased: [],
  unreadable: [],
}

/** Why the calls of a run ran, or did not. */
export const RunExplanation = z.object(Explanation.shape).openapi('RunExplanation', { example })

/** Of all events of a run, in order. */
export const explanationOf = (
  run: { readonly runId: string; readonly threadId: string },
  events: readonly StoredEvent[],
): z.infer<typeof Explanation> => explainRun(run, events.map(legible))
