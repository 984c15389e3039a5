/** From the body of a rerun to a run in the register, on a thread of its own. */
import { createHash } from 'node:crypto'
import type { AgentDefinition, JsonObject } from '@signalbox/core'
import { canonical, type RerunAnswer, type RunHead } from '@signalbox/engine'
import { checkOverride, overridden, readOverride } from '../assistants/override.ts'
import type { Api, Asker } from './api.ts'
import { type CreatedRun, ownThread, readIdempotencyKey, runOrProblem } from './create-run.ts'
import { unknownRun } from './find.ts'
import { findAssistant } from './find-assistant.ts'
import { Problem } from './problem.ts'
import { checkWebhook } from './webhook.ts'
import type { RunRerun } from './wire/run-rerun.ts'

export interface RerunRequest {
  /** What is repeated, as its tenant sees it. */
  readonly head: RunHead
  readonly body: RunRerun
  /** The Idempotency-Key header as it came. */
  readonly idempotencyKey: string | undefined
}

/** Creates a rerun, or finds the one that an earlier request with the same key and meaning made. */
export async function rerunRun(
  api: Api,
  caller: Asker,
  { head, body, idempotencyKey }: RerunRequest,
): Promise<CreatedRun> {
  const { runId } = head
  const { assistant_id: name, context } = body
  const found = name === null || name === undefined ? null : await findAssistant(api, caller, name)
  const key = readIdempotencyKey(idempotencyKey)
  const threadId = ownThread(api, caller, key)
  const agent = found?.definition.name ?? head.agent
  const answer = await api.commands.rerun({
    ...caller,
    runId,
    threadId,
    definition: found?.definition ?? null,
    change: (definition) => changed(definition, context),
    metadata: { ...body.metadata, ...found?.marks },
    ...(body.memory === 'now' ? { memory: 'now' as const } : {}),
    priority: body.priority,
    lanes: api.lanesOf({ agent, ...caller }),
    ...checkWebhook(api.webhooks, body.webhook),
    alias: key === null ? null : { key, bodyHash: meaningOf(head, body, caller) },
  })
  return runOrProblem(api, refusing(answer, head), { threadId, key })
}

/** The agent as the request has it. @throws Problem `invalid_request` */
function changed(agent: AgentDefinition, context: JsonObject): AgentDefinition {
  const places = { config: {}, context }
  // A rerun has the fields of the run that it repeats.
  const bare = { ...agent, fields: undefined }
  const mistake = checkOverride(bare, places)
  const read = readOverride(places, bare)
  const definition = mistake || 'mistake' in read ? null : overridden(agent, read.override)
  if (definition) return definition
  const { field, message } = mistake ?? { field: 'context', message: 'takes another value' }
  throw new Problem('invalid_request', { detail: `${field}: ${message}`, field })
}

/** What became of a rerun as of any create, or the problem that says why the run cannot be repeated. */
function refusing(answer: RerunAnswer, { runId }: RunHead) {
  switch (answer.code) {
    case 'no_run':
      throw unknownRun(runId)
    case 'run_open':
      throw new Problem('run_not_ended', {
        detail: `The run ${runId} is under way. Wait for its end, or cancel it; then it can be repeated.`,
        field: 'run_id',
        more: { run_id: runId },
      })
    case 'edit':
      throw new Problem('rerun_refused', {
        detail: `The run ${runId} is an edit: it asked no model. Repeat one that did.`,
        field: 'run_id',
      })
    case 'summary':
      throw new Problem('rerun_refused', {
        detail: `The run ${runId} did nothing but sum up its thread: there is no turn to repeat. Have the thread summed up again by POST /threads/{thread_id}/compact.`,
        field: 'run_id',
      })
    case 'erased':
      throw new Problem('rerun_refused', {
        detail: `The input of the run ${runId} was erased. Create a run with an input of your own.`,
        field: 'run_id',
      })
    default:
      return answer
  }
}

function meaningOf({ runId }: RunHead, body: RunRerun, { user }: Asker): string {
  const { assistant_id = null, context, metadata, priority, webhook = null, memory } = body
  const shown = memory === 'now' ? { memory } : {}
  // For somebody else it is another request.
  const whose = user === undefined ? {} : { user: user.id }
  const asked = { assistant_id, context, metadata, priority, webhook, ...shown }
  const meaning = { rerun: runId, ...asked, ...whose }
  return createHash('sha256').update(canonical(meaning)).digest('hex')
}
