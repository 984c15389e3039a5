/**
 * The circuit breaker as one process sees it. The register keeps the circuits, for all processes; here only what spares
 * it questions: a closed circuit is believed for a second, and a success is news only after a failure.
 *
 * B1 A probe is never cached: each `probe` is an answer of the register, given to one caller.
 * B2 The breaker never fails a model call: a register that does not answer counts as a closed circuit.
 * B3 A circuit is one of an endpoint, not of a model's name: a server that is dead says nothing of another one, nor does a key that
 *    is used up of another key.
 */
import type { ModelConfig } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import { canonical, sha256 } from '../record/draft.ts'
import type { Admission, BreakerSettings, Clock, Log, Register } from '../ports.ts'

/**
 * The name of the circuit that a model's calls go through: provider and model, and a digest of address, region and key variable
 * where any of them is configured.
 */
export function circuitOf({ provider, model, baseURL, region, apiKeyEnv }: ModelConfig): string {
  const where = [baseURL === undefined ? undefined : addressOf(baseURL), region, apiKeyEnv]
  const name = `${provider}/${model}`
  if (where.every((part) => part === undefined)) return name
  return `${name}#${sha256(canonical(where.map((part) => part ?? null))).slice(0, 16)}`
}

/** One address, however it is written: letter case of the host, its default port, slashes at the end. */
function addressOf(baseURL: string): string {
  const address = URL.canParse(baseURL) ? new URL(baseURL).href : baseURL
  return address.replace(/\/+$/, '')
}

/** Asked before and told after each model call, by the name of its circuit. */
export interface Breaker {
  /** May the model be called? `open`: not now. Never rejects. */
  admit(model: string, settings: BreakerSettings): Promise<Admission>
  /** Tells the outcome of a call that was admitted. Never rejects. */
  report(model: string, outcome: 'ok' | 'failed', settings: BreakerSettings): Promise<void>
}

/** How long a closed circuit is believed, in milliseconds: others may open it meanwhile. */
const believedMs = 1_000

/** The knowledge of this process about a model. */
interface Circuit {
  /** A closed circuit, and when the register was asked; null if it must be asked again. */
  believed: { readonly admission: Admission; readonly at: number } | null
  /** Is there anything that a success would change? */
  hasFailed: boolean
  /** Reports begun and ended so far: what was asked while one was under way is not believed. */
  reports: number
}

export function createBreaker(deps: {
  readonly register: Pick<Register, 'admitCall' | 'reportCall'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Pick<Log, 'warn'>
}): Breaker {
  const { register, clock, log } = deps
  const circuits = new Map<string, Circuit>()
  const knownOf = (model: string): Circuit => {
    const circuit = circuits.get(model) ?? { believed: null, hasFailed: false, reports: 0 }
    circuits.set(model, circuit)
    return circuit
  }
  return {
    async admit(model, settings) {
      const circuit = knownOf(model)
      const { believed, reports } = circuit
      const at = clock.monotonic()
      if (believed && at - believed.at < believedMs) return believed.admission
      try {
        const admission = await register.admitCall(model, settings)
        const isStale = reports !== circuit.reports
        circuit.hasFailed = admission.failures > 0 || (isStale && circuit.hasFailed)
        circuit.believed = admission.state === 'closed' && !isStale ? { admission, at } : null
        return admission
      } catch (error) {
        log.warn('the circuit breaker could not be asked', { model, error: messageOf(error) })
        return { state: 'closed', failures: 0, waitMs: 0 }
      }
    },
    async report(model, outcome, settings) {
      const circuit = knownOf(model)
      if (outcome === 'ok' && !circuit.hasFailed) return
      circuit.hasFailed = true
      const reports = (circuit.reports += 1)
      try {
        await register.reportCall(model, outcome, settings)
        circuit.hasFailed = outcome === 'failed' || reports !== circuit.reports
      } catch (error) {
        log.warn('the circuit breaker could not be told', { model, error: messageOf(error) })
      }
      circuit.reports += 1
      circuit.believed = null
    },
  }
}
