/**
 * What a scrape says of the register: of a real one with open runs, and of one that is slow, away or gone. Would catch: a scrape that
 * hangs, gauges that go on telling of yesterday, a worker that repeats what the others say, a label with a value of a user.
 */
import type { Tally } from '@signalbox/postgres'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMetrics } from '../src/observe/metrics.ts'
import { addRegisterGauges } from '../src/observe/register-gauges.ts'
import { call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Values of a page by name and labels, as they are printed. */
const valuesOf = (page: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    page
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )

const config: ConfigInput = {
  server: { graceMs: 500 },
  agents: {
    payer: {
      model: { provider: 'scripted', model: 'payer' },
      tools: ['pay'],
      guardrails: { approvalTools: ['pay'] },
    },
    sender: { model: { provider: 'scripted', model: 'sender' }, tools: ['send'] },
  },
  tools: ['pay', 'send'].map((name) =>
    defineTool({
      name,
      description: 'Does it.',
      effect: 'once',
      timeoutMs: 50,
      input: z.object({}),
      // Does not obey its timeout: after a grace nobody knows what it did.
      run: () => new Promise(() => {}),
    }),
  ),
  scripts: {
    payer: () => ({ calls: [{ name: 'pay', args: {} }] }),
    sender: () => ({ calls: [{ name: 'send', args: {} }] }),
  },
}

describe('a scrape', () => {
  let box: TestSignalbox
  beforeAll(async () => {
    box = await startTest(config)
  })
  afterAll(() => box?.stop())
  const scrape = async () => valuesOf((await call(box.api, 'GET', '/metrics')).body)

  it('says what is open: runs by state, approvals, unknown outcomes', async () => {
    for (const assistant_id of ['payer', 'payer', 'sender'])
      await call(box.api, 'POST', '/runs', { body: { assistant_id, input: 'Do it.' } })
    const pause = { target: { tool: 'pay' }, reason: 'Look at it.' }
    expect((await call(box.api, 'POST', '/pauses', { body: pause })).status).toBe(201)
    const values = await eventually(async () => {
      const page = await scrape()
      const isThere =
        page['signalbox_approvals_waiting'] === 2 && page['signalbox_effects_unknown'] === 1
      return isThere ? page : undefined
    })
    expect(values['signalbox_runs_open{status="waiting",state="approval"}']).toBe(2)
    expect(values['signalbox_approvals_oldest_waiting_seconds']).toBeGreaterThan(0)
    expect(values['signalbox_approvals_oldest_waiting_seconds']).toBeLessThan(180)
    expect(values['signalbox_register_up']).toBe(1)
    expect(values['signalbox_feed_delay_seconds']).toBeLessThan(60)
    expect(values['signalbox_breaker_open{model="scripted/payer"}']).toBe(0)
    expect(values['signalbox_runs_created_total{agent="payer"}']).toBe(2)
    expect(values['signalbox_pauses{target="tool"}']).toBe(1)
    expect(values['signalbox_pauses{target="agent"}']).toBe(0)
  })

  it('says which build the process is', async () => {
    const page = Object.entries(await scrape())
    const [[build, value] = ['', 0]] = page.filter(([name]) => name.startsWith('signalbox_build'))
    expect(build).toMatch(
      /version="\d+\.\d+\.\d+\S*",node="\d+\.\d+\.\d+",roles="api,orchestrator,worker"/,
    )
    expect(value).toBe(1)
  })
})

describe('a worker', () => {
  it('says nothing of the register that others say too', async () => {
    const box = await startTest(config, { roles: ['worker'], port: 0 })
    try {
      const { body } = await call(box.api, 'GET', '/metrics')
      expect(body).toContain('signalbox_build_info{')
      expect(body).not.toContain('signalbox_runs_open')
      expect(body).not.toContain('signalbox_approvals_waiting')
    } finally {
      await box.stop()
    }
  })
})

const tally = (over: Partial<Tally> = {}): Tally => ({
  runs: [],
  queues: [],
  unknown: 0,
  approvals: { count: 0, oldestMs: null },
  inputs: { count: 0, oldestMs: null },
  pauses: [],
  openBreakers: [],
  feedDelayMs: 0,
  ...over,
})
/** Gauges over a reader, with a clock that the test turns. */
const gaugesOver = (read: () => Promise<Tally>) => {
  const registry = new Registry()
  const clock = { ms: 0 }
  addRegisterGauges(registry, { read, models: ['openai/gpt-x'], now: () => clock.ms })
  return { clock, scrape: async () => valuesOf(await registry.metrics()) }
}

describe('gauges of a register', () => {
  it('ask once for a scrape, and not again for some seconds', async () => {
    let asked = 0
    const { clock, scrape } = gaugesOver(() => Promise.resolve(tally({ unknown: (asked += 1) })))
    expect((await scrape())['signalbox_effects_unknown']).toBe(1)
    clock.ms += 4_000
    expect((await scrape())['signalbox_effects_unknown']).toBe(1)
    clock.ms += 2_000
    expect((await scrape())['signalbox_effects_unknown']).toBe(2)
  })

  it('ask a register the less often, the longer it takes', async () => {
    let asked = 0
    const { clock, scrape } = gaugesOver(async () => {
      clock.ms += 400
      return tally({ unknown: (asked += 1) })
    })
    await scrape()
    clock.ms += 7_000
    expect((await scrape())['signalbox_effects_unknown']).toBe(1)
    clock.ms += 1_000
    expect((await scrape())['signalbox_effects_unknown']).toBe(2)
  })

  it('do not wait for a register that hangs, and tell of no old time', async () => {
    let answer = Promise.resolve(tally({ unknown: 7 }))
    const { clock, scrape } = gaugesOver(() => answer)
    await scrape()
    answer = new Promise(() => {})
    clock.ms += 10_000
    const began = performance.now()
    const values = await scrape()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(values['signalbox_effects_unknown']).toBe(7)
    expect(values['signalbox_register_tally_age_seconds']).toBe(10)
    clock.ms += 51_000
    const late = await scrape()
    expect(late['signalbox_register_tally_age_seconds']).toBe(61)
    expect(Object.keys(late)).toEqual(['signalbox_register_tally_age_seconds'])
  })

  it('are absent while the register cannot be asked, and back with it', async () => {
    let answer: Promise<Tally> = Promise.reject(new Error('away'))
    const { clock, scrape } = gaugesOver(() => answer)
    expect(Object.keys(await scrape())).toEqual(['signalbox_register_tally_age_seconds'])
    answer = Promise.resolve(tally({ unknown: 3 }))
    clock.ms += 6_000
    expect((await scrape())['signalbox_effects_unknown']).toBe(3)
  })

  it('forget a queue in which nothing waits any more', async () => {
    let queues = [{ queue: 'slow', count: 4, oldestMs: 2_500 }]
    const { clock, scrape } = gaugesOver(() => Promise.resolve(tally({ queues })))
    expect(await scrape()).toMatchObject({
      'signalbox_effects_waiting{queue="slow"}': 4,
      'signalbox_effects_oldest_waiting_seconds{queue="slow"}': 2.5,
    })
    queues = []
    clock.ms += 6_000
    expect(Object.keys(await scrape()).filter((name) => name.includes('slow'))).toEqual([])
  })

  it('name the models of the configuration, and call others other', async () => {
    const openBreakers = ['openai/gpt-x', 'old/one', 'old/two']
    const { scrape } = gaugesOver(() => Promise.resolve(tally({ openBreakers })))
    expect(await scrape()).toMatchObject({
      'signalbox_breaker_open{model="openai/gpt-x"}': 1,
      'signalbox_breaker_open{model="other"}': 1,
    })
  })

  it('and counters have no label value that the configuration does not know', () => {
    const { agents } = createMetrics({ defaults: false })
    agents.know(['writer'])
    expect(['writer', 'a user’s words'].map((name) => agents.of(name))).toEqual(['writer', 'other'])
  })
})
