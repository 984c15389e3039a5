import type { Log } from '@signalbox/engine'
import type { SafetyDetector } from './detectors/custom-detectors.ts'
import type { Environment } from './providers/wiring.ts'
import type { Scripts } from './scripted/script.ts'

/** What the models of a process need. */
export interface ModelsOptions {
  /** Where keys are looked up, by the name that a model's `apiKeyEnv` gives. Usually `process.env`. */
  readonly env: Environment
  /** What `scripted` models play, by model name. */
  readonly scripts?: Scripts
  /** Detectors of the configuration, by the word with which an agent's `safety.detectors` uses them. */
  readonly detectors?: Readonly<Record<string, SafetyDetector>>
  /** Hears of detectors that throw. */
  readonly log?: Pick<Log, 'warn'>
  /** Replaces the global `fetch` below our own timeouts and limits. */
  readonly fetch?: typeof globalThis.fetch
}
