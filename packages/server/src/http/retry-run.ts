/** From the id of a run that has ended to one that asks the same once more, in the register. */
import { createHash } from 'node:crypto'
import type { Caller, RetryAnswer, RunHead } from '@signalbox/engine'
import type { Api } from './api.ts'
import { type CreatedRun, readIdempotencyKey, runOrProblem } from './create-run.ts'
import { unknownRun } from './find.ts'
import { findAssistant, type FoundAssistant } from './find-assistant.ts'
import { Problem } from './problem.ts'

export interface RetryRequest {
  /** What is asked again, as its tenant sees it. */
  readonly head: RunHead
  /** Another retry, though there is one. */
  readonly again: boolean
  /** The Idempotency-Key header as it came: names the retry where `again` wants another one. */
  readonly idempotencyKey: string | undefined
}

/** Creates the retry, or finds the one that an earlier request made. @throws Problem */
export async function retryRun(
  api: Api,
  caller: Caller,
  { head, again, idempotencyKey }: RetryRequest,
): Promise<CreatedRun> {
  const { runId, threadId } = head
  const key = readIdempotencyKey(idempotencyKey)
  if (head.outcome === null) throw refusal('run_open', head)
  const { definition, marks } = await agentOf(api, caller, head)
  const answer = await api.commands.retry({
    tenantId: caller.tenantId,
    actor: caller.actor,
    runId,
    definition,
    marks,
    lanesOf: (whom) => api.lanesOf({ agent: definition.name, ...whom }),
    name: again ? nameOf(key ?? api.random.uuid()) : null,
  })
  return runOrProblem(api, refusing(answer, head), { threadId, key })
}

const nameOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

/** The agent or the assistant that the run had, as it is now. @throws Problem `unknown_agent`, `assistant_outdated` */
function agentOf(api: Api, caller: Caller, { agent, metadata }: RunHead): Promise<FoundAssistant> {
  const { assistant_id: id, assistant_version: version } = metadata
  // What an assistant lowers must stay lowered: where it is gone, its agent does not stand in for it.
  const isAssistants = typeof id === 'string' && typeof version === 'number'
  return findAssistant(api, caller, isAssistants ? id : agent)
}

/** What became of a retry as of any create, or the problem that says why the run cannot be retried. */
function refusing(answer: RetryAnswer, head: RunHead) {
  switch (answer.code) {
    case 'no_run':
    case 'run_open':
    case 'edit':
    case 'summary':
    case 'erased':
    case 'child':
    case 'rerun':
      throw refusal(answer.code, head)
    default:
      return answer
  }
}

type Refused = Extract<
  RetryAnswer,
  { code: 'no_run' | 'run_open' | 'edit' | 'summary' | 'erased' | 'child' | 'rerun' }
>['code']

/** Why the run cannot be retried. */
function refusal(code: Refused, { runId, parent }: RunHead): Problem {
  if (code === 'no_run') return unknownRun(runId)
  if (code === 'run_open')
    return new Problem('run_not_ended', {
      detail: `The run ${runId} is under way. Wait for its end, or cancel it; then it can be retried.`,
      field: 'run_id',
      more: { run_id: runId },
    })
  const why = {
    edit: 'is an edit: it asked no model. Retry one that did.',
    summary:
      'did nothing but sum up its thread: there is no turn to ask again. Have the thread summed up again by POST /threads/{thread_id}/compact.',
    erased: 'has lost its input: it was erased. Create a run with an input of your own.',
    child: `was started by the run ${parent?.runId ?? ''}. Retry that one.`,
    rerun: 'is a rerun: none of its calls was to execute. Repeat it with /rerun.',
  }[code]
  return new Problem('retry_refused', { detail: `The run ${runId} ${why}`, field: 'run_id' })
}
