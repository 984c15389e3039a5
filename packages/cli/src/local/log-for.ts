import type { Log } from '@signalbox/engine'
import {
  createLog,
  type LoadedConfig,
  type LogOptions,
  secretNames,
  secretsOf,
} from '@signalbox/server'
import { humanLog } from '../output/human-log.ts'
import { hasColours } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

export interface LogFor {
  readonly level: LogOptions['level']
  /** Lines for humans go here; null: JSON lines on standard output. */
  readonly to: NodeJS.WriteStream | null
}

/** The log of a server in this process, without the secrets of the environment (I20). */
export function logFor({ config }: LoadedConfig, env: Shell['env'], options: LogFor): Log {
  const { level, to } = options
  return createLog({
    level,
    secrets: secretsOf(env, secretNames(config)),
    ...(to === null ? {} : { destination: humanLog(to, hasColours(to)) }),
  })
}
