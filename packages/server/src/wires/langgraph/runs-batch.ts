/**
 * Many runs in one request, each on a thread of its own. Either the request is right or nothing is created; after that each
 * item stands for itself, and one that cannot be created ends the request with its problem. What was created before stays:
 * with an Idempotency-Key the same request, sent again, answers it and creates the rest.
 */
import { z } from '@hono/zod-openapi'
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { createRun } from '../../http/create-run.ts'
import { findRun } from '../../http/find.ts'
import { findAssistant } from '../../http/find-assistant.ts'
import { Problem } from '../../http/problem.ts'
import { isAnswer, RunCreate } from '../../http/wire/run-create.ts'
import { each } from './each.ts'

const batchMax = 10_000
/** The body of one: 1.6 kB for each run of the largest. */
export const batchBytesMax = 16 * 1024 * 1024

const snake = (key: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** LangGraph's client sends a batch as its caller wrote it: in camel case. */
const inSnakeCase = (item: unknown): unknown =>
  typeof item === 'object' && item !== null && !Array.isArray(item)
    ? {
        ...Object.fromEntries(Object.entries(item).map(([key, value]) => [snake(key), value])),
        ...item,
      }
    : item

export const RunBatch = z
  .array(z.preprocess(inSnakeCase, RunCreate))
  .min(1, 'takes at least one run')
  .max(batchMax, `takes at most ${batchMax} runs`)
  .openapi('RunBatch')
export type RunBatch = z.output<typeof RunBatch>

/** Creates the runs, or finds those that the same request made before. */
export async function createBatch(
  api: Api,
  caller: Identified,
  request: { readonly items: RunBatch; readonly idempotencyKey: string | undefined },
): Promise<readonly RunHead[]> {
  const { items, idempotencyKey } = request
  for (const [n, item] of items.entries()) {
    await at(n, () => findAssistant(api, caller, item.assistant_id))
    if (!isAnswer(item.command)) continue
    throw new Problem('invalid_request', {
      detail: `[${n}].command.resume: answers a run of a thread; a batch creates new ones`,
      field: `[${n}].command.resume`,
    })
  }
  return each(items, async (body, n) => {
    const key = idempotencyKey === undefined ? undefined : `${unquoted(idempotencyKey)}.${n}`
    const { runId } = await createRun(api, caller, { body, threadId: null, idempotencyKey: key })
    return findRun(api, caller, { run_id: runId })
  })
}

const unquoted = (key: string): string => key.trim().replace(/^"(.*)"$/, '$1')

/** What is wrong is wrong with this item. */
async function at(n: number, check: () => Promise<unknown>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { detail, field, ...rest } = error.facts
    throw new Problem(error.code, { ...rest, detail, field: `[${n}].${field ?? ''}` })
  }
}
