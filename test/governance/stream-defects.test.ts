/**
 * Defects of stream guardrails elsewhere that ours must not have: `stream-guardrails-and-approvals.md` §6, points 3 to 9.
 * Points 1 and 2, redaction and its splits, are in `packages/policies/test/guardrails` and `packages/models/test/guard.test.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Prompt } from '@signalbox/core'
import { defineTool } from '@signalbox/tools'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { openScene, type Scene, type SceneOptions } from './scene.ts'

let scene: Scene
afterEach(() => scene.close())

const open = async (options: SceneOptions) => {
  scene = await openScene(options)
  return scene.process()
}

const banned = { use: 'banned-terms' as const, terms: ['acme'] }
const guarded = (maxGuardrailRetries: number) => ({
  guardrails: { stream: [banned], maxGuardrailRetries },
})
const says = (prompt: Prompt | undefined): string => JSON.stringify(prompt ?? null)

test.each([0, 1, 3])(
  '3. maxGuardrailRetries counts retries, not attempts: %d → one call more',
  async (retries) => {
    const { run } = await open({ answers: () => ({ text: 'Buy from acme today.' }) })
    const runId = await run(scene.agent(guarded(retries)))
    expect(await scene.outcome(runId)).toBe('guardrail_stopped')
    expect(scene.prompts).toHaveLength(retries + 1)
    expect(await scene.events(runId, 'guardrail.tripped')).toHaveLength(retries)
  },
)

test('4. exhaustion does not look like success', async () => {
  const { run } = await open({ answers: () => ({ text: 'Buy from acme today.' }) })
  const runId = await run(scene.agent(guarded(1)))
  expect(await scene.outcome(runId)).toBe('guardrail_stopped')
  const { payload, verdict } = await scene.event(runId, 'guardrail.stopped')
  expect(verdict).toBe('banned-terms')
  expect(payload).toMatchObject({
    corrections: 1,
    trip: {
      guardrail: { id: 'banned-terms' },
      outcome: 'fail',
      feedback: expect.stringMatching(/./),
    },
    explanation: expect.stringMatching(/./),
  })
})

test('5. error recovery works as it is documented: it sees the raw error', async () => {
  const raw = "Tool choice is none, but model called a tool: tool 'wings' not in request.tools"
  const { run } = await open({
    answers: (n) => (n === 0 ? { status: { code: 400, error: { message: raw } } } : { text: 'ok' }),
    tools: [defineTool({ name: 'search', description: 'S.', input: z.object({}), run: () => '' })],
  })
  const stream = [{ use: 'error-recovery' as const }]
  const runId = await run(scene.agent({ guardrails: { stream } }))
  expect(await scene.outcome(runId)).toBe('completed')
  expect((await scene.event(runId, 'guardrail.tripped')).payload).toMatchObject({
    trip: { guardrail: { id: 'error-recovery' }, feedback: expect.stringContaining('search') },
  })
  expect(says(scene.prompts[1])).toContain('search')
})

test('6. a stream guardrail stops a tool: the call was whole, and nothing ran', async () => {
  const ran: unknown[] = []
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.looseObject({}),
    run: (args) => ran.push(args),
  })
  const { run } = await open({
    answers: (n) =>
      n === 0 ? { text: 'I pay.', calls: [{ name: 'pay', args: { to: 'eve' } }] } : { text: 'No.' },
    tools: [pay],
    guardrails: {
      './guard.ts#guard': {
        id: 'no-eve',
        name: 'No Eve',
        handle: (part) =>
          part.type === 'tool_call'
            ? { type: 'fail', feedback: 'I must not pay Eve.' }
            : { type: 'pass', part },
      },
    },
  })
  const stream = [{ use: 'module' as const, path: './guard.ts#guard' }]
  const runId = await run(scene.agent({ guardrails: { stream } }))
  expect(await scene.outcome(runId)).toBe('completed')
  expect(ran).toEqual([])
  const started = await scene.events(runId, 'effect.started')
  expect(started.map(({ tool }) => tool)).toEqual([null, null])
  expect(says(scene.prompts[1])).toContain('I must not pay Eve.')
})

test('7. there is no way around: live text, register and next prompt hold the same', async () => {
  const text = 'The number is 123-45-6789, keep it.'
  const { engine, run } = await open({
    answers: (n) => (n === 0 ? { text, chunkSize: 5, delayMs: 20 } : { text: 'Kept.' }),
  })
  const agent = scene.agent({ guardrails: { stream: [{ use: 'pii' }] } })
  const runId = await run(agent, { threadId: 'one' })
  let live = ''
  engine.followText(runId, (piece) => (live += piece.text))
  expect(await scene.outcome(runId)).toBe('completed')
  const next = await run(agent, { threadId: 'one' })
  expect(await scene.outcome(next)).toBe('completed')
  const kept = JSON.stringify(await scene.events(runId))
  for (const shown of [live, kept, says(scene.prompts[1])]) {
    expect(shown).toContain('The number is ')
    expect(shown).not.toMatch(/123-45-6|5-6789/)
  }
})

test('8. a crash between the feedback and the next attempt loses no correction', async () => {
  let elapsedMs = 0
  const { run, stop } = await open({
    answers: (n) =>
      [{ text: 'Buy from acme today.' }, { text: 'Hanging', delayMs: 60_000 }][n] ?? {
        text: 'Buy today.',
      },
    now: () => Date.now() + elapsedMs,
  })
  const runId = await run(scene.agent(guarded(3)))
  while (scene.prompts.length < 2) await sleep(10)
  await stop()
  // The lease of the attempt that was lost is over.
  elapsedMs = 60_000
  await scene.process()
  expect(await scene.outcome(runId)).toBe('completed')
  const [tripped, ...more] = await scene.events(runId, 'guardrail.tripped')
  expect(more).toEqual([])
  // The third request is the second one again.
  expect(scene.prompts[2]).toEqual(scene.prompts[1])
  expect(says(scene.prompts[2])).toContain(
    JSON.stringify(feedbackOf(tripped?.payload)).slice(1, -1),
  )
})

test('9. the final answer is kept, and not the correction alone', async () => {
  const { run } = await open({
    answers: (n) => ({ text: n === 0 ? 'Buy from acme today.' : `Answer ${n}.` }),
  })
  const agent = scene.agent(guarded(3))
  expect(await scene.outcome(await run(agent, { threadId: 'one' }))).toBe('completed')
  expect(await scene.outcome(await run(agent, { threadId: 'one' }))).toBe('completed')
  expect(says(scene.prompts[2])).toContain('Answer 1.')
  expect(says(scene.prompts[2])).not.toContain('acme')
})

const Tripped = z.object({ trip: z.object({ feedback: z.string().min(1) }) })
const feedbackOf = (payload: unknown): string => Tripped.parse(payload).trip.feedback
