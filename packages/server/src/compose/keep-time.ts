/** The timekeeper of a process that decides: it creates runs as the API does, without serving one. */
import type { AgentDefinition } from '@signalbox/core'
import { type Clock, type Engine, type Log, type Register, systemRandom } from '@signalbox/engine'
import { createReader, createUpkeep, type Resources } from '@signalbox/postgres'
import { lanesOf, type LaneRules } from '../config/lanes-schema.ts'
import { startTimekeeper } from '../crons/timekeeper.ts'
import type { Api } from '../http/api.ts'
import { inTime } from '../http/in-time.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import type { Closers } from './closers.ts'
import type { DatabaseUrls } from './database.ts'

const pollMs = 1000
/** A register that is away is asked again later: the time stays due. */
const registerMsMax = 30_000

/** Starts it; it ends with the process. */
export function keepCommonTime(
  parts: {
    readonly urls: DatabaseUrls
    readonly register: Register
    readonly resources: Resources
    readonly engine: Engine
    readonly agents: ReadonlyMap<string, AgentDefinition>
    readonly webhooks: WebhookSettings
    readonly directories: Api['directories']
    readonly runLimits: LaneRules
    readonly clock: Clock
    readonly log: Log
  },
  closers: Closers,
): void {
  const upkeep = createUpkeep({ engineUrl: parts.urls.engine })
  closers.add('upkeep', () => upkeep.close())
  const reader = createReader({ appUrl: parts.urls.app, maxConnections: 1 })
  closers.add('reader of the upkeep', () => reader.close())
  const commands = inTime(parts.engine.commands, registerMsMax)
  const stop = startTimekeeper({
    commands,
    create: {
      agents: parts.agents,
      webhooks: parts.webhooks,
      lanesOf: (asked) => lanesOf(parts.runLimits, asked),
      commands,
      read: reader,
      resources: parts.resources,
      directories: parts.directories,
      threads: parts.register,
      random: systemRandom,
      now: () => parts.clock.now(),
    },
    upkeep,
    clock: parts.clock,
    random: systemRandom,
    log: parts.log,
    pollMs,
  })
  closers.add('timekeeper', stop)
}
