/** What a configuration asks of a deployment: its queues, and how long the longest call of each may take. */
import { type Config, sandboxOf } from '@signalbox/server'
import { bashTimeoutMs, SandboxConfig, sandboxQueue } from '@signalbox/tools'
import { usageFailure } from '../failure.ts'

/** A queue of tool calls. Times in milliseconds. */
export interface QueuePlan {
  readonly queue: string
  /** Calls that one worker performs at a time. */
  readonly concurrency: number
  /** The longest time that a call of it may take. */
  readonly longestMs: number
  /** What a worker that is told to go waits for its calls: longer than the longest takes, and than it gets to come back. */
  readonly graceMs: number
}

/** Of tools that say nothing, and of the built-in ones. */
const toolMsDefault = 60_000
const concurrencyDefault = 16
/** After its timeout a call gets five seconds to come back; then its outcome is recorded. */
const afterTimeoutMs = 6_000
const graceMsMin = 20_000
/** What SIGNALBOX_GRACE_MS takes. */
const graceMsMax = 3_600_000

const commandMsOf = (config: Config): number =>
  bashTimeoutMs(SandboxConfig.parse(sandboxOf(config) ?? {}))

/** @throws Failure for a queue that cannot be the name of something in Kubernetes, or whose calls take too long */
export function plannedQueues(config: Config): readonly QueuePlan[] {
  const longest = new Map<string, number>([['tools', toolMsDefault]])
  const note = (queue: string, ms: number): void =>
    void longest.set(queue, Math.max(ms, longest.get(queue) ?? 0))
  for (const { spec } of config.tools) note(spec.queue, spec.timeoutMs)
  for (const { queue, timeoutMs } of Object.values(config.mcpServers)) note(queue, timeoutMs)
  if (sandboxOf(config)) note(sandboxQueue, commandMsOf(config))
  for (const queue of Object.keys(config.queues)) note(queue, 0)
  return [...longest].map(([queue, longestMs]) => {
    if (queue.endsWith('-'))
      throw usageFailure(`The queue "${queue}" ends with "-", which no Deployment may. Rename it.`)
    const graceMs = Math.max(graceMsMin, longestMs + afterTimeoutMs)
    if (graceMs > graceMsMax)
      throw usageFailure(
        `A call of the queue "${queue}" may take ${longestMs} ms, and no worker is waited for longer than ${graceMsMax} ms. Shorten its timeoutMs.`,
      )
    const concurrency = config.queues[queue]?.concurrency ?? concurrencyDefault
    return { queue, concurrency, longestMs, graceMs }
  })
}
