/**
 * Asking the policies with I/O about the calls of a turn: one question per call and policy, one fact for all of them.
 * A policy that cannot answer denies, unless the agent is not fail-closed; a cancel is no denial.
 */
import {
  callsOf,
  combineAnswers,
  evaluatorError,
  factSchemas,
  type FactPayload,
  needsIo,
  payloadOf,
  type PolicyAnswer,
  type PolicyEffect,
  type PolicySpec,
  readsArguments,
  type ToolCallPart,
  warningsOf,
} from '@signalbox/core'
import { TerminalError } from '../errors.ts'
import type { Clock, FactDraft, PolicyHost, StoredEvent } from '../ports.ts'
import type { Writer } from '../record/draft.ts'
import { originOf, requestOf } from './evidence.ts'
import { type GrantDeps, grantedOf } from './grants.ts'
import type { Held } from './leases.ts'
import type { ModelTask } from './model-call.ts'
import type { AskedCall } from './recheck.ts'
import { createdIn, type Transcripts } from './transcript.ts'

export interface PolicyCallDeps extends GrantDeps {
  readonly policies: PolicyHost
  readonly transcripts: Transcripts
  readonly writer: Writer
  readonly clock: Clock
}

/** A claimed question, and where the run stood when it was claimed. */
export interface PolicyTask extends Omit<ModelTask, 'effect' | 'rootId'> {
  readonly effect: PolicyEffect
}

type Decision = FactPayload<'policy.answered'>['decisions'][number]

/** Asks, and answers the fact about it. Null: the signal was aborted. */
export async function performPolicyCall(
  deps: PolicyCallDeps,
  task: PolicyTask,
  held: Held,
): Promise<FactDraft | null> {
  const { effect, attempt, agent, runId } = task
  const { signal } = held
  const began = deps.clock.monotonic()
  const events = await deps.transcripts.read(task, task.seq)
  const origin = originOf(createdIn(events, runId))
  await held.begin()
  const at = deps.clock.now()
  const calls = askedCalls(events, effect)
  const decisions = await Promise.all(
    calls.map((call) => {
      const request = requestOf(origin, task, { agent, call, at })
      return decide(deps.policies, call, { agent, request, signal })
    }),
  )
  if (signal.aborted) return null
  // Asked about are those that a policy wants approved.
  const asked = calls.filter((_, n) => decisions[n]?.answer.effect === 'require_approval')
  const of = { tenantId: task.tenantId, agent: agent.name }
  const granted = asked.length === 0 ? {} : { granted: await grantedOf(deps, of, asked) }
  const durationMs = Math.round(deps.clock.monotonic() - began)
  return deps.writer.fact(
    'policy.answered',
    { effectId: effect.id, attempt, decisions, durationMs, ...granted },
    {
      key: effect.id,
      fence: { effectId: effect.id, attempt, expect: 'started', becomes: 'done' },
      verdict: decisions.some(({ answer }) => answer.effect === 'deny') ? 'deny' : 'allow',
    },
  )
}

/** Reads what the question is about. Rejects with a `NewerError` where that is newer than this build. */
export async function readQuestion(
  { transcripts }: Pick<PolicyCallDeps, 'transcripts'>,
  question: Pick<PolicyTask, 'runId' | 'threadId' | 'effect'>,
): Promise<void> {
  const events = await transcripts.read(question, Infinity)
  originOf(createdIn(events, question.runId))
  askedCalls(events, question.effect)
}

function askedCalls(events: readonly StoredEvent[], effect: PolicyEffect): readonly ToolCallPart[] {
  const source = events.findLast(
    (event) => event.type === 'model.completed' && event.payload['effectId'] === effect.source,
  )
  if (!source) throw new TerminalError('no_source', `the turn of ${effect.id} is not in the log`)
  const { turn } = payloadOf(factSchemas['model.completed'], source)
  return callsOf(turn).filter(({ id }) => effect.callIds.includes(id))
}

async function decide(
  host: PolicyHost,
  { id: callId, name: tool, args, argsHash }: ToolCallPart,
  { agent, request, signal }: AskedCall,
): Promise<Decision> {
  const { policies, failClosed } = agent.guardrails
  const specs = policies.filter(needsIo)
  const asked = await Promise.all(specs.map((spec) => ask(host, spec, { request, signal })))
  const faults = asked.flatMap(({ fault }) => fault ?? [])
  // In the order of the policies, however fast each was: the first denial is the one that is told.
  const answers = asked.flatMap(
    ({ answer }, n) => answer ?? (failClosed && specs[n] ? evaluatorError(specs[n]) : []),
  )
  const warnings = warningsOf(answers)
  const warned = warnings.length > 0 ? { warnings: [...warnings] } : {}
  const spec = agent.tools.find(({ name }) => name === tool)
  const read = spec && readsArguments(spec) ? { args } : {}
  const answer = combineAnswers(answers)
  return { callId, tool, argsHash, answer, faults, ...warned, ...read }
}

/** The answer of a policy, or that it had none: in our words, for its own may hold what it was asked about. */
async function ask(
  host: PolicyHost,
  spec: PolicySpec,
  { request, signal }: Pick<AskedCall, 'request' | 'signal'>,
): Promise<{
  readonly answer: PolicyAnswer | null
  readonly fault: Decision['faults'][number] | null
}> {
  try {
    return { answer: await host.ask(spec, request, signal), fault: null }
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown error'
    const fault = { policyId: spec.id, message: `the policy could not be asked (${kind})` }
    return { answer: null, fault }
  }
}
