/**
 * The stream guard of one model call, from the guardrails the agent pins. A guardrail that this process cannot have is an
 * error: the model is not asked without it.
 */
import {
  type AgentDefinition,
  createGuardrail,
  createStreamGuard,
  type Guardrail,
  type ModelCallEffect,
  type StreamGuard,
  type StreamGuardSpec,
} from '@signalbox/core'
import { TerminalError } from '../errors.ts'

/** Guardrails of the user's own, by the path the configuration names; null for one this process does not have. */
export type CustomGuardrails = (spec: StreamGuardSpec) => Guardrail | null

/** Guardrails are functions of their arguments: one of each serves every call. */
const known = new WeakMap<StreamGuardSpec, Guardrail>()

function guardrailOf(spec: StreamGuardSpec, custom: CustomGuardrails): Guardrail {
  const found = known.get(spec) ?? createGuardrail(spec) ?? custom(spec)
  if (!found) throw new TerminalError('no_guardrail', `the guardrail ${spec.use} is not available`)
  known.set(spec, found)
  return found
}

/** A guard for this attempt; null if the agent has no stream guardrails. */
export function streamGuardOf(
  agent: AgentDefinition,
  effect: ModelCallEffect,
  custom: CustomGuardrails,
): StreamGuard | null {
  const { stream } = agent.guardrails
  if (stream.length === 0) return null
  return createStreamGuard({
    guardrails: stream.map((spec) => guardrailOf(spec, custom)),
    context: {
      availableTools: agent.tools.map(({ name }) => name),
      availableSkills: agent.skills,
      attempt: effect.correction,
    },
  })
}
