/** The engine's settings of a process. */
import { hostname } from 'node:os'
import type { ToolSpec } from '@signalbox/core'
import { defaultSettings, type EngineSettings, systemRandom } from '@signalbox/engine'
import type { Config } from '../config/schema.ts'
import { fail } from '../config/fail.ts'

const concurrencyDefault = 16

/** Every queue that calls may wait in. */
const queuesOf = (config: Config, specs: readonly ToolSpec[]): readonly string[] => [
  ...new Set(['tools', ...specs.map((spec) => spec.queue), ...Object.keys(config.queues)]),
]

/** Before the name of a queue: not this one, whether or not there is one. */
const except = '!'

/** The queues that a process was told to work on. @throws ConfigError for one that there is not */
function chosen(queues: readonly string[], words: readonly string[]): readonly string[] {
  const left = queues.filter((queue) => !words.includes(`${except}${queue}`))
  const asked = words.filter((word) => !word.startsWith(except))
  if (asked.length === 0) return left
  const stranger = asked.find((queue) => !queues.includes(queue))
  if (stranger !== undefined)
    fail(
      'config_invalid',
      '--queues',
      `there is no queue "${stranger}". Known: ${queues.join(', ')}`,
    )
  return left.filter((queue) => asked.includes(queue))
}

/**
 * Another name for each start: a restarted process must not pass for the one that was killed. `asked`: the queues it works on, left
 * out all of them.
 *
 * @throws ConfigError
 */
export function settingsOf(
  config: Config,
  specs: readonly ToolSpec[],
  asked?: readonly string[],
): EngineSettings {
  const all = queuesOf(config, specs)
  const queues = asked === undefined ? all : chosen(all, asked)
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60)
  return {
    ...defaultSettings,
    owner: `${host}.${process.pid}.${systemRandom.hex(4)}`,
    queues: queues.map((queue) => ({
      queue,
      concurrency: config.queues[queue]?.concurrency ?? concurrencyDefault,
    })),
  }
}
