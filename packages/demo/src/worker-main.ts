/** Program of the worker process: takes tool calls until it is asked to stop, or its parent is gone. */
import process from 'node:process'
import { startSignalbox } from '@signalbox/server'
import { z } from 'zod'
import { demoConfig, demoEngine } from './demo-config.ts'
import { quietLog } from './quiet-log.ts'
import { scriptedScenes } from './scenes.ts'
import { DemoSandbox } from './usable-sandbox.ts'

const Place = z.object({ modelUrl: z.string(), sandbox: DemoSandbox })
const place = Place.parse(JSON.parse(process.argv[2] ?? '{}'))

const signalled = new Promise<void>((resolve) => {
  process.once('SIGTERM', () => resolve()).once('disconnect', () => resolve())
})
const signalbox = await startSignalbox({
  loaded: demoConfig({ ...place, scenes: scriptedScenes }),
  env: process.env,
  roles: ['worker'],
  engine: demoEngine,
  log: quietLog((line) => process.stderr.write(`${line}\n`)),
})
// The parent may be gone already.
if (process.connected) process.send?.('ready')
await signalled
await signalbox.stop()
if (process.connected) process.disconnect()
