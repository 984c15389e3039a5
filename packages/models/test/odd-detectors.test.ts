/** Detectors of plain JavaScript that answer no boolean. Would catch: a call that executes all the same, and a process that ends. */
import { createModels } from '@signalbox/models'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { wireOf } from '../src/observer/wires.ts'
import { callsOf, env, providers, request, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const unhandled: unknown[] = []
const keep = (reason: unknown): void => void unhandled.push(reason)
beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', keep)
})
afterEach(() => void process.off('unhandledRejection', keep))

const answers: readonly (readonly [string, () => unknown])[] = [
  ['nothing', () => undefined],
  ['a text', () => 'true'],
  ['a promise', async () => false],
  ['a promise that is rejected', () => Promise.reject(new Error('later'))],
  ['a promise that never resolves', () => new Promise(() => undefined)],
  [
    'a throw',
    () => {
      throw new Error('now')
    },
  ],
  [
    'a throw that cannot be read',
    () => {
      throw Object.create(null)
    },
  ],
]

test.each(answers)(
  '%s: nothing executes, the fault is named once, the process lives',
  async (_name, answer) => {
    for (const provider of providers) {
      const warned: string[] = []
      const models = createModels({
        env,
        detectors: {
          odd: Object.assign({ name: 'odd', detect: (): boolean => false }, { detect: answer }),
        },
        log: {
          warn: (message, fields) => void warned.push(`${message} ${String(fields?.['detector'])}`),
        },
      })
      const wire = wireOf(provider)
      const { open, wholeCall } = built[wire]
      const baseURL = loopback.reply(
        streamReply(wire, [...open, ...wholeCall, ...goodEnding(wire)]),
      )
      const asked = request({ provider, baseURL, detectors: [{ use: 'odd' }] })
      const turn = await models.call(asked, { delta() {} }, new AbortController().signal)
      expect(turn.verdict).not.toBe('complete')
      expect(callsOf(turn)).toEqual([])
      expect(warned.filter((line) => line.endsWith(' odd'))).toHaveLength(1)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(unhandled).toEqual([])
  },
)
