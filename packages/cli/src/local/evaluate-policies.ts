/**
 * The pure policies of a definition, prepared as a server prepares them, for whoever decides a stored run again. Policies that
 * are asked (servers, modules, living passports) need nothing here: the log has their answers.
 */
import type { AgentDefinition, PassportEvaluator, Subject } from '@signalbox/core'
import { type Log, messageOf } from '@signalbox/engine'
import { createPolicyHost } from '@signalbox/policies'

type EvaluatorOf = NonNullable<Subject['evaluatorOf']>

export interface Evaluators {
  readonly evaluatorOf: EvaluatorOf
  readonly passports: PassportEvaluator
  /** The policy that was needed and cannot be evaluated here, and why; null: there was none. */
  readonly lack: () => string | null
  close(): Promise<void>
}

/** Never rejects: what is missing counts only once it is needed. */
export async function evaluatorsOf({ guardrails }: AgentDefinition): Promise<Evaluators> {
  const policies = createPolicyHost({
    log: silent,
    clock: { now: () => 0 },
    env: {},
    modules: new Map(),
    baseDir: '.',
  })
  const pure = guardrails.policies.filter(({ use }) => use === 'cedar')
  const problem = await policies.prepare(pure).then(() => '', messageOf)
  let lack: string | null = null
  return {
    evaluatorOf: (spec) => {
      const evaluator = problem === '' ? policies.evaluator(spec) : null
      if (!evaluator)
        lack ??= `The policy "${spec.id}" cannot be evaluated here: ${problem || `this build knows no ${spec.use}`}`
      return evaluator
    },
    passports: policies.passports,
    lack: () => lack,
    close: () => policies.close(),
  }
}

const nothing = (): void => {}
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
