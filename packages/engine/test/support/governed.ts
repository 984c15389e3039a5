/** Runs under governance: a policy host that answers what a test says, and what became of a run. */
import {
  decisionSchemas,
  type JsonObject,
  type PolicyAnswer,
  type PolicyRequest,
} from '@signalbox/core'
import type { CreateRun, Engine, PolicyHost, Register, StoredEvent } from '@signalbox/engine'
import { passports } from '../../../policies/src/pure-policies.ts'
import { agent, toolSpec, until } from './world.ts'

export const caller = { tenantId: 'default', actor: 'user:test' }

export const says = (
  effect: PolicyAnswer['effect'],
  code = `x.${effect}`,
  message = 'because',
): PolicyAnswer => ({
  effect,
  reasons: [{ code, message }],
  policyId: 'p',
  policyDigest: 'sha256:00',
})

/** A host whose policies answer by function. A throw is no answer. */
export const hostOf = (answers: {
  readonly ask?: (request: PolicyRequest) => PolicyAnswer | Promise<PolicyAnswer>
  readonly recheck?: (request: PolicyRequest, approved: boolean) => PolicyAnswer | null
}): PolicyHost => ({
  evaluator: () => null,
  passports,
  prepare: async () => {},
  ask: async (_spec, request) => answers.ask?.(request) ?? says('allow'),
  recheck: async (_specs, request, { approved }) => answers.recheck?.(request, approved) ?? null,
  close: async () => {},
})

export const httpPolicy = { use: 'http', id: 'p', url: 'http://127.0.0.1:1/v1' } as const

/** An agent with the tools `pay` (once) and `search`, governed as said. */
export const governed = (more: JsonObject) =>
  agent([toolSpec('pay', 'once'), toolSpec('search')], more)

export async function begin(
  engine: Engine,
  definition: CreateRun['definition'],
  more: Partial<CreateRun> = {},
): Promise<string> {
  const created = await engine.commands.createRun({
    ...caller,
    threadId: `t-${Math.random()}`,
    definition,
    input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
    metadata: {},
    alias: null,
    ...more,
  })
  if (created.code !== 'created') throw new Error(created.code)
  return created.runId
}

export const outcomeOf = (register: Register, runId: string): Promise<string> =>
  until(async () => (await register.head(runId))?.outcome)

export const eventOf = (
  register: Register,
  runId: string,
  type: string,
  n = 0,
): Promise<StoredEvent> =>
  until(async () => (await register.events(runId, {})).filter((each) => each.type === type)[n])

/** A human approves the first call of a run that asks for one. Answers what became of that. */
export async function approveFirst(
  engine: Engine,
  register: Register,
  runId: string,
): Promise<string> {
  const { payload } = await eventOf(register, runId, 'approval.requested')
  const { callId } = decisionSchemas['approval.requested'].parse(payload)
  const answer = { ...caller, runId, callId, decision: 'approve' } as const
  return (await engine.commands.answerApproval(answer)).code
}
