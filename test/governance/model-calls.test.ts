/**
 * Rows "LLM retry" and "Circuit breaker" of agent-governance.md §8, over HTTP: what the provider was really asked. The
 * breaker of one register for two processes; `packages/engine/test/breaker.test.ts` and the contract have the rest.
 */
import { afterEach, expect, test } from 'vitest'
import { openScene, type Scene, type SceneOptions } from './scene.ts'

let scene: Scene
afterEach(() => scene.close())

const status = (code: number, error: Readonly<Record<string, string>> = {}) => ({
  status: { code, error: { message: 'no', ...error } },
})

const open = async (options: SceneOptions) => {
  scene = await openScene(options)
  return scene.process()
}

test('LLM retry: 1) 503,503,ok → 3 calls, success, 2 model.retried', async () => {
  const { run } = await open({ answers: (n) => (n < 2 ? status(503) : { text: 'ok' }) })
  const runId = await run(scene.agent())
  expect(await scene.outcome(runId)).toBe('completed')
  expect(scene.prompts).toHaveLength(3)
  const retried = await scene.events(runId, 'model.retried')
  expect(retried.map(({ payload }) => payload['retry'])).toEqual([1, 2])
})

test('LLM retry: 2) Retry-After obeyed, beyond the cap', async () => {
  const { run } = await open({
    answers: (n) => (n === 0 ? { status: { code: 429, retryAfterS: 0.3 } } : { text: 'ok' }),
  })
  const runId = await run(scene.agent())
  expect(await scene.outcome(runId)).toBe('completed')
  const [retried] = await scene.events(runId, 'model.retried')
  expect(retried?.payload).toMatchObject({ delayMs: 300 })
  const asked = (await scene.events(runId, 'effect.started')).map(({ at }) => at)
  expect((asked[1] ?? 0) - (retried?.at ?? 0)).toBeGreaterThanOrEqual(300)
})

test.each([
  { what: 'quota', answer: status(429, { code: 'insufficient_quota' }) },
  { what: 'auth', answer: status(401) },
])('LLM retry: 3) $what → 1 call, visible, run failed', async ({ what, answer }) => {
  const { run } = await open({ answers: () => answer })
  const runId = await run(scene.agent())
  expect(await scene.outcome(runId)).toBe('failed')
  expect(scene.prompts).toHaveLength(1)
  const { payload } = await scene.event(runId, 'model.completed')
  expect(payload).toMatchObject({ turn: { verdict: 'error', error: { class: what } } })
})

const once = { modelRetries: { max: 0 } }

/** Five runs that fail for good: with the default settings the circuit is open then. */
async function trip(run: (agent: ReturnType<Scene['agent']>) => Promise<string>): Promise<void> {
  for (let n = 0; n < 5; n++)
    expect(await scene.outcome(await run(scene.agent(once)))).toBe('failed')
  expect(scene.prompts).toHaveLength(5)
}

test('Circuit breaker: 1) after 5 exhausted calls no provider call', async () => {
  const { run } = await open({ answers: () => status(503) })
  await trip(run)
  const runId = await run(scene.agent(once))
  expect(await scene.outcome(runId)).toBe('failed')
  expect(scene.prompts).toHaveLength(5)
  expect((await scene.event(runId, 'model.completed')).payload).toMatchObject({
    turn: { error: { class: 'circuit_open' } },
  })
})

test('Circuit breaker: 2) one probe after 60 s', async () => {
  let elapsedMs = 0
  const probing = Promise.withResolvers<void>()
  const { run } = await open({
    answers: (n) => {
      if (n === 5) probing.resolve()
      return n < 5 ? status(503) : { text: 'well again', delayMs: 100 }
    },
    now: () => Date.now() + elapsedMs,
  })
  await trip(run)
  elapsedMs = 50_000
  await scene.outcome(await run(scene.agent(once)))
  expect(scene.prompts).toHaveLength(5)
  elapsedMs = 61_000
  const probe = await run(scene.agent(once))
  await probing.promise
  // While the probe is under way nobody else asks.
  expect(await scene.outcome(await run(scene.agent(once)))).toBe('failed')
  expect(await scene.outcome(probe)).toBe('completed')
  expect(scene.prompts).toHaveLength(6)
  expect(await scene.outcome(await run(scene.agent(once)))).toBe('completed')
})

test('Circuit breaker: 3) state shared between runs, and between processes', async () => {
  const { run } = await open({ answers: () => status(503) })
  await trip(run)
  const other = await scene.process()
  expect(await scene.outcome(await other.run(scene.agent(once)))).toBe('failed')
  expect(scene.prompts).toHaveLength(5)
})
