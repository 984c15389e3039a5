/**
 * Many runs in one request, each on a thread of its own. Either the request is right or nothing is created; after that each
 * item stands for itself, and one that cannot be created ends the request with its problem. What was created before stays:
 * with an Idempotency-Key the same request, sent again, answers it and creates the rest.
 */
import { z } from '@hono/zod-openapi'
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { enterRun, type ReadyCreate, readyCreate, threadMarks } from '../../http/create-run.ts'
import { declaredFields } from '../../http/declared-fields.ts'
import { unknownRun, unknownThread } from '../../http/find.ts'
import { findAssistant, type FoundAssistant } from '../../http/find-assistant.ts'
import { newThread } from '../../http/new-thread.ts'
import { Problem } from '../../http/problem.ts'
import { isAnswer, RunCreate } from '../../http/wire/run-create.ts'

const batchMax = 10_000
/** Runs that are created at once. What comes in meanwhile has its turn between the steps. */
const stepRuns = 256
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
  const assistants = await assistantsOf(api, caller, items)
  const ready = items.map((body, n) => {
    const key = idempotencyKey === undefined ? undefined : `${unquoted(idempotencyKey)}.${n}`
    const found = assistants.get(body.assistant_id)
    if (!found) throw new Error('unreachable: every assistant was looked for')
    // Nobody looks at each of many, unless they say so.
    const interactive = body.interactive ?? false
    const create = { body: { ...body, interactive }, threadId: null, idempotencyKey: key }
    return readyCreate(api, caller, { request: create, found })
  })
  const heads: RunHead[] = []
  for (let from = 0; from < ready.length; from += stepRuns)
    heads.push(...(await createStep(api, caller, ready.slice(from, from + stepRuns))))
  return heads
}

/** The assistants that items name, each looked for once. Throws what is wrong with the first item that cannot be, its fields included. */
async function assistantsOf(
  api: Api,
  caller: Identified,
  items: RunBatch,
): Promise<ReadonlyMap<string, FoundAssistant>> {
  const found = new Map<string, FoundAssistant>()
  for (const [n, item] of items.entries()) {
    const { assistant_id: id, command } = item
    const assistant = found.get(id) ?? (await at(n, () => findAssistant(api, caller, id)))
    found.set(id, assistant)
    await at(n, () => declaredFields(assistant.definition, item))
    if (!isAnswer(command)) continue
    throw new Problem('invalid_request', {
      detail: `[${n}].command.resume: answers a run of a thread; a batch creates new ones`,
      field: `[${n}].command.resume`,
    })
  }
  return found
}

/** Some at once: their threads in one statement, their runs in as few as the register takes, their answers in one. */
async function createStep(
  api: Api,
  caller: Identified,
  ready: readonly ReadyCreate[],
): Promise<readonly RunHead[]> {
  const stand = await api.threads.ensureThreads(
    ready.map(({ threadId, found }) =>
      newThread(api, caller, { threadId, metadata: threadMarks(found) }),
    ),
  )
  const created = await Promise.allSettled(
    ready.map(async (create, n) => {
      if (!stand[n]) throw unknownThread(create.threadId)
      return (await enterRun(api, caller, create)).runId
    }),
  )
  // All of them settle before the first failure is told: nothing goes on behind an answer.
  const runIds = created.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
  const found = await api.read.runsNamed(caller.tenantId, runIds)
  const heads = new Map(found.map((head) => [head.runId, head]))
  return runIds.map((runId) => {
    const head = heads.get(runId)
    if (!head) throw unknownRun(runId)
    return head
  })
}

const unquoted = (key: string): string => key.trim().replace(/^"(.*)"$/, '$1')

/** What is wrong is wrong with this item. */
async function at<Found>(n: number, check: () => Found | Promise<Found>): Promise<Found> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { detail, field, ...rest } = error.facts
    throw new Problem(error.code, { ...rest, detail, field: `[${n}].${field ?? ''}` })
  }
}
