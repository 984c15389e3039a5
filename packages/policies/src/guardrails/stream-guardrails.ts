/** The stream guardrails of one process, behind the engine's port. */
import type { StreamGuardSpec } from '@signalbox/core'
import { type StreamGuardrails, TerminalError } from '@signalbox/engine'
import { createGuardrail } from './create-guardrail.ts'
import { createStreamGuard } from './create-stream-guard.ts'
import { redactResult } from './inspect.ts'
import type { Guardrail } from './part.ts'

/** Guardrails of the user's own, by the path the configuration names; null for one this process does not have. */
export type CustomGuardrails = (spec: StreamGuardSpec) => Guardrail | null

/** The built-in ones, and those of the user's own. */
export function createStreamGuardrails(custom: CustomGuardrails): StreamGuardrails {
  /** Guardrails are functions of their arguments: one of each serves every call. */
  const known = new WeakMap<StreamGuardSpec, Guardrail>()

  const guardrailOf = (spec: StreamGuardSpec): Guardrail => {
    const found = known.get(spec) ?? createGuardrail(spec) ?? custom(spec)
    if (!found)
      throw new TerminalError('no_guardrail', `the guardrail ${spec.use} is not available`)
    known.set(spec, found)
    return found
  }

  return {
    guard: (specs, context) => createStreamGuard({ guardrails: specs.map(guardrailOf), context }),
    redact: (value, specs) => redactResult(value, specs.map(guardrailOf)),
  }
}
