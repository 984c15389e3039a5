/** The worker role in a process of its own, as `signalbox worker` would run it. */
import {
  createEngine,
  defaultSettings,
  type Engine,
  type HintSource,
  systemClock,
  systemRandom,
} from '@signalbox/engine'
import { createStreamGuardrails } from '@signalbox/policies'
import { createRegister } from '@signalbox/postgres'
import { complaining } from './complaining-log.ts'
import { profiler } from './cpu-profile.ts'
import { DirectSource } from './direct.ts'
import { markOf, watched } from './marking.ts'
import { type Mark, now, Order, ownCpuMs, type Report } from './messages.ts'
import { type Addresses, openHintSource, openWakeBus } from './transport.ts'
import { instantTools } from './world.ts'

const direct = new DirectSource()
const profile = profiler()
let marks: Mark[] = []
let stopEngine = async (): Promise<void> => {}

/** Marks when a hint arrives: the run's id is the effect's up to the last dot. */
const marked = (source: HintSource): HintSource => ({
  start: (queues, perform) =>
    source.start(queues, (effectId) => {
      const runId = effectId.slice(0, effectId.lastIndexOf('.'))
      marks.push({ runId, what: 'hinted', at: now() })
      return perform(effectId)
    }),
  stop: (graceMs) => source.stop(graceMs),
})

async function start(addresses: Addresses): Promise<void> {
  const log = complaining('worker')
  const register = createRegister({ engineUrl: addresses.engineUrl })
  const wakeBus = await openWakeBus(addresses, log)
  const engine: Engine = createEngine({
    register: watched(register, (item, result) => {
      const mark = markOf(item, result)
      if (mark) marks.push(mark)
    }),
    dispatcher: { dispatch: async () => {}, depth: async () => 0, close: async () => {} },
    hintSource: marked(openHintSource(addresses, log, direct)),
    wakeBus,
    model: null,
    tools: instantTools(log),
    guardrails: createStreamGuardrails(() => null),
    clock: systemClock,
    random: systemRandom,
    log,
    roles: ['worker'],
    settings: { ...defaultSettings, owner: `bench-worker.${process.pid}` },
  })
  await engine.start()
  stopEngine = async () => {
    await engine.stop(5_000)
    await wakeBus.close()
    await register.close()
  }
}

async function obey(order: Exclude<Order, { kind: 'hints' }>): Promise<void> {
  if (order.kind === 'start') await start(order.addresses)
  if (order.kind === 'profile') await profile(order.file)
  if (order.kind === 'stop') await stopEngine()
  const report: Report = { cpuMs: ownCpuMs(), marks: order.kind === 'marks' ? marks : [] }
  if (order.kind === 'marks') marks = []
  await new Promise((resolve) => process.send?.(report, resolve))
  if (order.kind === 'stop') process.exit(0)
}

process.on('message', (message) => {
  const order = Order.parse(message)
  if (order.kind === 'hints') direct.take(order.effects)
  else void obey(order)
})
// Whoever started us is gone: nothing is left to do.
process.on('disconnect', () => process.exit(1))
