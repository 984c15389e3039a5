/** The engine's settings of a process. */
import { hostname } from 'node:os'
import type { ToolSpec } from '@signalbox/core'
import { defaultSettings, type EngineSettings, systemRandom } from '@signalbox/engine'
import type { Config } from '../config/schema.ts'

const concurrencyDefault = 16

/** Another name for each start: a restarted process must not pass for the one that was killed. */
export function settingsOf(config: Config, specs: readonly ToolSpec[]): EngineSettings {
  const queues = new Set([
    'tools',
    ...specs.map((spec) => spec.queue),
    ...Object.keys(config.queues),
  ])
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60)
  return {
    ...defaultSettings,
    owner: `${host}.${process.pid}.${systemRandom.hex(4)}`,
    queues: [...queues].map((queue) => ({
      queue,
      concurrency: config.queues[queue]?.concurrency ?? concurrencyDefault,
    })),
  }
}
