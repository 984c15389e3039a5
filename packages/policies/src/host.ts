/**
 * The policies of one process, behind the engine's port.
 *
 * P1 Nothing decides here. What is no answer rejects, and the caller denies.
 * P2 Nothing waits longer than the policy's timeout, or than its signal.
 * P3 No argument, token or query of an address stands in an error or a log line of ours (I20). What a user's module
 *    throws is the user's.
 */
import type {
  CedarSpec,
  PolicyAnswer,
  PolicyRequest,
  PolicySpec,
  PureEvaluator,
} from '@signalbox/core'
import type { Log, PolicyHost } from '@signalbox/engine'
import { tooLargeToAsk } from './answer.ts'
import { bounds } from './bounds.ts'
import { checkCedar } from './cedar/check.ts'
import { cedarEvaluator } from './cedar/evaluator.ts'
import { type Cedar, loadCedar } from './cedar/load.ts'
import { askServer } from './http/ask-server.ts'
import { askModule, type PolicyModule } from './module/ask-module.ts'
import { type EvaluatePassport, isLiving, livingPassports } from './living/living.ts'
import { evaluatePassport } from './passport/evaluate-passport.ts'
import { checkProvisions } from './prepare.ts'
import { passports } from './pure-policies.ts'
import { recheck } from './recheck.ts'

/** The things that the policies of a process need. */
export interface PolicyHostOptions {
  readonly log: Log
  /** Milliseconds since the epoch; the age of living passports is measured by it. */
  readonly clock: { now(): number }
  /** Where tokens of policy servers are looked up. Usually `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Policies of the user's own, by the `path` of their specs. */
  readonly modules: ReadonlyMap<string, PolicyModule>
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Replaces the evaluator that judges calls by living passports. */
  readonly evaluatePassport?: EvaluatePassport
  /** Relative paths of living passports start here. */
  readonly baseDir: string
}

/** Builds the policies of a process. Nothing is loaded, opened or asked before it is needed. */
export function createPolicyHost(options: PolicyHostOptions): PolicyHost {
  const { log, env, modules, fetch = globalThis.fetch } = options
  const closing = new AbortController()
  const askLiving = livingPassports({
    evaluatePassport,
    ...options,
    fetch,
    closing: closing.signal,
  })
  let cedar: Cedar | null = null
  const evaluators = new WeakMap<CedarSpec, PureEvaluator>()

  const ask = async (
    spec: PolicySpec,
    request: PolicyRequest,
    signal: AbortSignal,
  ): Promise<PolicyAnswer> => {
    signal.throwIfAborted()
    if (isLiving(spec)) return askLiving(spec, request, signal)
    if (spec.use !== 'http' && spec.use !== 'module') {
      throw new TypeError(`The policy "${spec.id}" has nothing to ask.`)
    }
    const large = tooLargeToAsk(spec, request.args, bounds.ioArgsBytesMax)
    if (large !== null) return large
    if (spec.use === 'http') return askServer(spec, request, { fetch, env, signal })
    const evaluate = modules.get(spec.path)
    if (evaluate === undefined) throw new Error(`The module ${spec.path} is not loaded.`)
    return askModule(spec, request, { evaluate, signal })
  }

  const untilClosed = (signal: AbortSignal): AbortSignal =>
    AbortSignal.any([signal, closing.signal])

  return {
    passports,

    evaluator(spec) {
      if (spec.use !== 'cedar' || cedar === null) return null
      const evaluator = evaluators.get(spec) ?? cedarEvaluator(cedar, spec)
      evaluators.set(spec, evaluator)
      return evaluator
    },

    async prepare(specs) {
      for (const spec of specs) checkProvisions(spec, { env, modules })
      const withCedar = specs.filter((spec) => spec.use === 'cedar')
      if (withCedar.length === 0) return
      cedar ??= await loadCedar()
      for (const spec of withCedar) checkCedar(cedar, spec)
    },

    ask: (spec, request, signal) => ask(spec, request, untilClosed(signal)),

    recheck(specs, request, how) {
      const signal = untilClosed(how.signal)
      // The call may have waited for a human for days: hours and expiries count now.
      const now = { ...request, at: Math.max(request.at, options.clock.now()) }
      return recheck(specs, now, {
        ...how,
        signal,
        log,
        ask: (spec, each) => ask(spec, each, signal),
      })
    },

    async close() {
      closing.abort(new Error('The policies of this process are closed.'))
    },
  }
}
