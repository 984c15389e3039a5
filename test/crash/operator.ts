/** The human of the tests: approves what waits for approval, some calls with other arguments, answers questions, and says what became of calls nobody knows about. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@signalbox/core'
import { z } from 'zod'
import type { Client, Resolution } from './client.ts'
import { toolOf } from './plan.ts'

const Waits = z.array(
  z.object({
    run_id: z.string(),
    call_id: z.string().nullable(),
    effect_id: z.string().optional(),
    tool: z.string().nullable().optional(),
  }),
)

const pauseMs = 150
/** What `put` is called with in the end, and what a run of `leaf` is asked to do. */
const edited: Readonly<Record<string, JsonObject>> = {
  put: { n: 99 },
  [toolOf('leaf')]: { prompt: JSON.stringify({ name: 'edited', turns: [['pay']] }) },
}
const resolutions: readonly Resolution[] = ['retry', 'happened', 'not_happened']

/** Answers whatever waits until `over` is aborted. `unit` chooses between the possible answers. */
export async function operate(
  client: Client,
  unit: () => number,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    await answerAll(client, unit).catch(() => {})
    await sleep(pauseMs)
  }
}

/** One look. What cannot be answered now waits for the next. */
async function answerAll(client: Client, unit: () => number): Promise<void> {
  for (const { run_id, call_id, tool } of await list(client, '/approvals'))
    if (call_id !== null) await client.approve(run_id, call_id, edited[tool ?? ''])
  for (const { run_id, call_id } of await list(client, '/inputs'))
    if (call_id !== null) await client.answer(run_id, call_id, 'This one.')
  for (const { run_id, effect_id } of await list(client, '/unknown')) {
    const resolution = resolutions[Math.floor(unit() * resolutions.length)] ?? 'happened'
    if (effect_id !== undefined) await client.resolve(run_id, effect_id, resolution)
  }
}

async function list(client: Client, path: string): Promise<z.infer<typeof Waits>> {
  const { body } = await client.request('GET', path)
  return Waits.parse(body)
}
