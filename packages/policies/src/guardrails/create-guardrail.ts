/** From a spec to the guardrail that it names. */
import { createBannedTerms } from './builtin/banned-terms.ts'
import { createErrorRecovery } from './builtin/error-recovery.ts'
import { createPatterns, patternProblem } from './builtin/patterns.ts'
import { createPii } from './builtin/pii.ts'
import { createSecrets } from './builtin/secrets.ts'
import type { Guardrail } from './part.ts'
import type { StreamGuardSpec } from '@signalbox/core'

/** The guardrail of a spec without a `guardProblem`; null for a module, which only the shell can load. */
export function createGuardrail(spec: StreamGuardSpec): Guardrail | null {
  switch (spec.use) {
    case 'error-recovery':
      return createErrorRecovery(spec)
    case 'pii':
      return createPii(spec)
    case 'secrets':
      return createSecrets(spec)
    case 'banned-terms':
      return createBannedTerms(spec)
    case 'patterns':
      return createPatterns(spec)
    case 'module':
      return null
  }
}

/** Why a spec of the right shape cannot be used, in one sentence; null if it can. */
export function guardProblem(spec: StreamGuardSpec): string | null {
  if (spec.use === 'banned-terms') {
    const blank = spec.terms.findIndex((term) => term.trim() === '')
    return blank < 0 ? null : `term ${blank} is blank`
  }
  if (spec.use !== 'patterns') return null
  for (const { name, pattern } of spec.patterns) {
    const problem = patternProblem(pattern)
    if (problem !== null) return `pattern ${name}: ${problem}`
  }
  return null
}
