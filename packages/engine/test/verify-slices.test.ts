/** The sampled check of long runs. Would catch: a check that reads and folds the whole log again, or all that it reads at once. */
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, onTestFinished, test } from 'vitest'
import { begin, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const turns = 120

test(
  'reads each event once, in pages, and gives way between slices',
  { timeout: 20_000 },
  async () => {
    const truth = createMemoryRegister(systemClock)
    let read = 0
    let longest = 0
    const register: typeof truth = {
      ...truth,
      events: async (runId, options) => {
        const events = await truth.events(runId, options)
        // Nobody else reads in pages.
        if (options.limit === 100) {
          read += events.length
          longest = Math.max(longest, events.length)
        }
        return events
      },
    }
    let pauses = 0
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => {
        if (ms === 0) pauses += 1
        return systemClock.sleep(ms, signal)
      },
    }
    const { engine } = world({
      model: turnModel(Array.from({ length: turns }, (_, n) => [{ tool: 'look', args: { n } }])),
      tools: functionTools({ look: async () => 'seen' }),
      register,
      clock,
      settings: { verifyEvery: 60 },
    })
    await engine.start()
    onTestFinished(() => engine.stop(1_000))
    const runId = await begin(
      engine,
      agent([toolSpec('look')], { loop: { enabled: false }, limits: { maxTurns: 500 } }),
    )
    expect(await outcomeOf(truth, runId)).toBe('completed')
    const all = (await truth.events(runId, {})).length
    await until(async () => (read > all / 2 ? true : null))
    // A page is read before its slices are: on a busy machine its last pauses come late.
    for (let before = -1; before !== read + pauses; await systemClock.sleep(300))
      before = read + pauses
    expect(read).toBeLessThanOrEqual(all)
    expect(longest).toBeLessThanOrEqual(100)
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(read / 100) * 9)
  },
)
