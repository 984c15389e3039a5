/** Row "Tool errors" of agent-governance.md §8, with tools as users define them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@signalbox/tools'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { openScene, type Scene } from './scene.ts'

let scene: Scene
afterEach(() => scene.close())

const detail = 'x'.repeat(2_000)
const input = z.looseObject({})
const breaks = defineTool({
  name: 'breaks',
  description: 'Throws.',
  input,
  run: () => {
    throw new Error(detail)
  },
})
const works = defineTool({ name: 'works', description: 'Works.', input, run: () => 'worked' })

const both = { calls: [breaks, works].map(({ spec }) => ({ name: spec.name, args: {} })) }

async function failing() {
  scene = await openScene({
    answers: (n) => (n === 0 ? both : { text: 'done' }),
    tools: [breaks, works],
  })
  const { run } = await scene.process()
  const runId = await run(scene.agent())
  return { runId, outcome: await scene.outcome(runId) }
}

test('Tool errors: 1) exception → error result ≤500 detail, siblings complete', async () => {
  const { runId, outcome } = await failing()
  expect(outcome).toBe('completed')
  const results = (scene.prompts[1] ?? []).flatMap((it) => (it.role === 'tool' ? it.results : []))
  const texts = results.map(({ output }) =>
    output.content.map((it) => ('text' in it ? it.text : '')),
  )
  const [broke = '', worked = ''] = texts.map((parts) => parts.join(''))
  expect(broke).toMatch(/^Error: /)
  expect(broke.split('x').length - 1).toBeGreaterThan(100)
  expect(broke.split('x').length - 1).toBeLessThanOrEqual(500)
  expect(worked).toContain('worked')
  // All of it is in the register.
  expect(JSON.stringify(await scene.events(runId, 'tool.failed'))).toContain(detail)
})

test('Tool errors: 2) cancel signal not swallowed', async () => {
  const running = Promise.withResolvers<void>()
  const swallows = defineTool({
    name: 'swallows',
    description: 'Turns every error into a result.',
    input,
    run: async (_, { signal }) => {
      running.resolve()
      return sleep(60_000, 'slept', { signal }).catch(() => 'all is well')
    },
  })
  scene = await openScene({
    answers: () => ({ calls: [{ name: 'swallows', args: {} }] }),
    tools: [swallows],
  })
  const { engine, run } = await scene.process()
  const runId = await run(scene.agent())
  await running.promise
  await engine.commands.cancel({ tenantId: 'default', actor: 'u', runId, action: 'interrupt' })
  expect(await scene.outcome(runId)).toBe('cancelled')
  expect(scene.prompts).toHaveLength(1)
})

test('Tool errors: 3) each result says what it is: code, tool and call', async () => {
  const { runId } = await failing()
  const [failed] = await scene.events(runId, 'tool.failed')
  expect(failed).toMatchObject({ tool: 'breaks', payload: { error: { code: 'tool_error' } } })
  const [completed] = await scene.events(runId, 'tool.completed')
  expect(completed).toMatchObject({ tool: 'works', payload: { output: { isError: false } } })
})
