/**
 * The time that the parts of a look have. Would catch: a part that is called unanswered because those before it have used up what
 * is there for all, look after look, though its own question is answered in good time.
 */
import { setTimeout } from 'node:timers/promises'
import type { Register } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { systemClock } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { functionTools, silentLog, turnModel, until, world } from './support/world.ts'

test('hundreds of runs that take their time leave the questions after them theirs', async () => {
  const truth = createMemoryRegister(systemClock)
  const failed: string[] = []
  let [looks, answered] = [0, 0]
  const register: Register = {
    ...truth,
    // Each look finds others, as a crowd does.
    dueTimers: async () => {
      looks += 1
      return Array.from({ length: 500 }, (_, n) => ({
        tenantId: 'default',
        runId: `${looks}-${n}`,
        timerId: 't',
        fireAt: 0,
      }))
    },
    append: () => new Promise(() => {}),
    // Slow, and well within what a part may take.
    superseded: async () => {
      await setTimeout(2_000)
      answered += 1
      return []
    },
  }
  const log = {
    ...silentLog,
    warn: (_message: string, about?: object) => void failed.push(JSON.stringify(about)),
  }
  const { engine } = world({
    model: turnModel([]),
    tools: functionTools({}),
    register,
    roles: ['orchestrator'],
    log,
  })
  await engine.start()
  await until(async () => answered > 0)
  await engine.stop(0)
  expect(failed.filter((about) => about.includes('superseded'))).toEqual([])
}, 20_000)
