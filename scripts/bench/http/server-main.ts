/**
 * A process of Signalbox as `signalbox serve` starts it, with agents that need no provider: `quick` says one sentence at
 * once, `holder` calls a tool that holds its run until it is told.
 */
import { parseConfig, type Signalbox, startSignalbox } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import { complaining } from '../complaining-log.ts'
import { ownCpuMs } from '../messages.ts'
import { answering } from './answering.ts'
import { residentBytes } from './memory.ts'
import { ServerOrder, type ServerReport } from './messages.ts'

let gate = Promise.withResolvers<void>()
let signalbox: Signalbox | null = null

const hold = defineTool({
  name: 'hold',
  description: 'Holds its run until it is let go.',
  timeoutMs: 600_000,
  effect: 'read',
  input: z.object({}),
  run: async () => {
    await gate.promise
    return 'held'
  },
})

const config = parseConfig({
  agents: {
    quick: { model: { provider: 'scripted', model: 'quick' } },
    holder: { model: { provider: 'scripted', model: 'holder' }, tools: ['hold'] },
  },
  tools: [hold],
  scripts: {
    quick: () => ({ text: 'Done.' }),
    holder: (_: unknown, turn: number) =>
      turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' },
  },
})

answering(ServerOrder, async (order): Promise<ServerReport> => {
  if (order.kind === 'start')
    signalbox = await startSignalbox({
      loaded: { config, file: 'bench', dir: order.dataDir },
      env: { DATABASE_URL: order.databaseUrl },
      roles: order.roles,
      port: 0,
      dataDir: order.dataDir,
      log: complaining('server'),
    })
  const at = performance.timeOrigin + performance.now()
  if (order.kind === 'hold') gate = Promise.withResolvers()
  if (order.kind === 'let-go') gate.resolve()
  if (order.kind === 'stop') await signalbox?.stop()
  const bytes = order.kind === 'memory' ? await residentBytes() : 0
  return { url: signalbox?.url ?? '', residentBytes: bytes, cpuMs: ownCpuMs(), at }
})
