/** A process under test: one role of the production composition, with failpoints between the engine and its ports. */
import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { dirname } from 'node:path'
import type { Log } from '@signalbox/engine'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { startSignalbox } from '@signalbox/server'
import { ChildOrders, type FromChild, type ToChild } from './child-messages.ts'
import { adapterFor } from './commands.ts'
import { configurationOf, engineSettings, webhookSecretEnv } from './configuration.ts'
import { sceneOf } from './days/scenes.ts'
import { Failpoints, type Ports } from './failpoints.ts'
import { isSabotage, sabotages } from './sabotage.ts'

const orders = ChildOrders.parse(JSON.parse(process.env['SIGNALBOX_CRASH_ORDERS'] ?? ''))
const { role, owner, sabotage, databaseUrl, disk } = orders
const setting = orders.scene
  ? sceneOf(orders.scene, orders.world, databaseUrl === null ? 'worker' : role)
  : {
      config: configurationOf(orders.world, role, adapterFor(orders.redisUrl !== null)),
      engine: engineSettings,
    }

/** Written at once, so that the last words before a kill can be read. */
const say =
  (level: string): Log['info'] =>
  (message, fields = {}) =>
    appendFileSync(
      orders.log,
      `${new Date().toISOString()} ${owner} ${level} ${message} ${JSON.stringify(fields)}\n`,
    )

const failpoints = new Failpoints(role)
const broken = sabotage !== null && isSabotage(sabotage) ? sabotages[sabotage] : null
const wrapPorts = (ports: Ports): Ports => failpoints.wrap(broken ? broken(ports) : ports)

// Nobody supervises a child whose driver is gone.
process.on('disconnect', () => process.exit(0))

const tell = (message: FromChild): void => void process.send?.(message)

process.on('message', (message: ToChild) => {
  if (message.type === 'arm') {
    failpoints.arm(message)
    tell({ type: 'armed' })
  } else {
    tell({ type: 'counts', counts: Object.fromEntries(failpoints.counts) })
    failpoints.counts.clear()
  }
})

const { url, failed } = await startSignalbox({
  loaded: {
    config: setting.config,
    file: import.meta.filename,
    dir: dirname(orders.world),
  },
  env: {
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    [webhookSecretEnv]: `whsec_${Buffer.alloc(32, 'crash').toString('base64')}`,
    ...(orders.redisUrl === null ? {} : { REDIS_URL: orders.redisUrl }),
  },
  ...(databaseUrl === null ? {} : { roles: [role] }),
  port: 0,
  embedded: startEmbeddedPostgres,
  engine: { ...setting.engine, owner },
  // On a disk of its own it writes its log there, as a server does.
  ...(disk === undefined
    ? { log: { debug: () => {}, info: () => {}, warn: say('warn'), error: say('error') } }
    : { dataDir: disk }),
  wrapPorts,
  wrapUploads: (uploads) => failpoints.wrapUploads(uploads),
})
void failed.then(() => process.exit(1))
tell({ type: 'started', url })
// At its exit a process would write it; ours never get that far, and their heirs are to start faster.
flushCompileCache()
