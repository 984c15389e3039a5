import type { Environment } from './providers/wiring.ts'
import type { Scripts } from './scripted/script.ts'

/** What the models of a process need. */
export interface ModelsOptions {
  /** Where keys are looked up, by the name that a model's `apiKeyEnv` gives. Usually `process.env`. */
  readonly env: Environment
  /** What `scripted` models play, by model name. */
  readonly scripts?: Scripts
  /** Replaces the global `fetch` below our own timeouts and limits. */
  readonly fetch?: typeof globalThis.fetch
}
