import type { Log } from '@signalbox/engine'
import { createLog, type LoadedConfig, type LogOptions, secretsOf } from '@signalbox/server'
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
  const keys = Object.values(config.agents).flatMap(({ model }) => model.apiKeyEnv ?? [])
  return createLog({
    level,
    secrets: secretsOf(env, keys),
    ...(to === null ? {} : { destination: humanLog(to, hasColours(to)) }),
  })
}
