/** The settings of one engine process. Times are in milliseconds. */
export interface EngineSettings {
  /** Names this process in leases and events: `[A-Za-z0-9._-]{1,100}`, another for each start. */
  readonly owner: string
  /** How long a claim holds without a renewal. A vanished worker's calls are taken over after this. */
  readonly leaseMs: number
  /** How often leases are renewed; the answer carries the cancel flag, so it bounds a lost cancel signal. */
  readonly renewMs: number
  /** How often the register is polled for what no wake announced, ± 20 %. */
  readonly pollMs: number
  /** When an effect that was dispatched but not claimed is dispatched again. */
  readonly redispatchMs: number
  /** Model calls this process makes at a time. A burst may exceed it by the claims that are under way at once. */
  readonly modelConcurrency: number
  /** Webhooks this process delivers at a time. */
  readonly webhookConcurrency: number
  /** Worker queues this process takes tool calls from. */
  readonly queues: readonly { readonly queue: string; readonly concurrency: number }[]
  /** One decision in this many is checked against a fold of the whole log (I15). 0: never. */
  readonly verifyEvery: number
  /** Runs and transcripts kept in memory between their steps, each; a miss costs one read. */
  readonly cachedRuns: number
}

/** Settings for production; tests shorten the times. */
export const defaultSettings: Omit<EngineSettings, 'owner'> = {
  leaseMs: 15_000,
  renewMs: 2_000,
  pollMs: 1_000,
  redispatchMs: 10_000,
  modelConcurrency: 64,
  webhookConcurrency: 32,
  queues: [{ queue: 'tools', concurrency: 16 }],
  verifyEvery: 200,
  cachedRuns: 5_000,
}
