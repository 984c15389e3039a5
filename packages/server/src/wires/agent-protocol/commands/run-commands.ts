/** Commands that let a run begin, or go on. */
import { z } from '@hono/zod-openapi'
import { createRun } from '../../../http/create-run.ts'
import { findRun, unknownThread } from '../../../http/find.ts'
import { Problem } from '../../../http/problem.ts'
import { notYet } from '../../../http/wire/not-yet.ts'
import { RunCreate } from '../../../http/wire/run-create.ts'
import { parseCheckpointId } from '../../langgraph/checkpoint.ts'
import { resumeRun } from '../../langgraph/runs-resume.ts'
import { type CommandRequest, type Handler, take } from './command.ts'

const Config = z
  .object({ configurable: z.object({ checkpoint_id: z.string().nullish() }).nullish() })
  .nullish()

const Start = z.object({ multitaskStrategy: z.string().nullish(), config: Config })

/** `run.start`: a new run. One that waits for a human is not answered by it: that is what `input.respond` is for. */
export const startRunCommand: Handler = async (asked) => {
  const { multitaskStrategy, config } = take(Start, asked.params)
  const checkpoint_id = config?.configurable?.checkpoint_id
  return {
    run_id: await create(asked, {
      ...(multitaskStrategy ? { multitask_strategy: multitaskStrategy } : {}),
      ...asked.params,
      ...(checkpoint_id ? { checkpoint_id } : {}),
    }),
  }
}

const Fork = z.object({ checkpoint_id: z.string().max(100), input: z.unknown() })

/** `state.fork`: a run of the same thread that goes on from a checkpoint; what was said after it is not part of it. */
export const fork: Handler = async (asked) => {
  const { checkpoint_id, input } = take(Fork, asked.params)
  const { api, caller, threadId } = asked
  const place = parseCheckpointId(checkpoint_id)
  const base = place && (await api.read.run(caller.tenantId, place.runId, { hidden: true }))
  if (!base)
    throw new Problem('unknown_checkpoint', {
      detail: `There is no checkpoint "${checkpoint_id}". state.listCheckpoints names those of the thread.`,
      field: 'params.checkpoint_id',
    })
  const run_id = await create(asked, { assistant_id: base.agent, checkpoint_id, input })
  return { run_id, thread_id: threadId }
}

async function create(
  asked: CommandRequest,
  params: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { api, caller, threadId, idempotencyKey } = asked
  const body = take(RunCreate, params)
  return (await createRun(api, caller, { body, threadId, idempotencyKey })).runId
}

const extras = {
  update: notYet('A run goes on from what was said.'),
  goto: notYet('The machine decides what comes next.'),
}
const Entry = z.object({ interrupt_id: z.string().min(1).max(200), response: z.unknown() })
const Respond = z.union(
  [z.object({ responses: z.array(Entry).min(1).max(64), ...extras }), Entry.extend(extras)],
  'takes { "interrupt_id": "…", "response": { "decision": "approve" } }, or "responses": a list of such',
)

/** `input.respond`: the answers to one or several interrupts of the run that waits. All of them stand, or none. */
export const respond: Handler = async ({ api, caller, threadId, params }) => {
  const given = take(Respond, params)
  const entries = 'responses' in given ? given.responses : [given]
  const { tenantId } = caller
  const [waiting] = await api.read.runs(tenantId, { threadId, status: 'waiting', limit: 1 })
  if (!waiting) {
    if (!(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
    throw new Problem('nothing_waits', {
      detail: `No run of the thread ${threadId} waits for an answer.`,
      field: 'params',
    })
  }
  const value = Object.fromEntries(
    entries.map(({ interrupt_id, response }) => [interrupt_id, response]),
  )
  const { head } = await resumeRun(api, caller, { threadId, agent: waiting.agent, value })
  return { run_id: (await findRun(api, caller, { run_id: head.runId })).runId }
}
