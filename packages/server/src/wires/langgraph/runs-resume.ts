/**
 * `command: { resume }`: the answer to what a run waits for. It goes to the run that asks, and makes no other.
 *
 * R1 Every value is looked at before the first is recorded: a request that fits nothing changes nothing.
 * R2 One value answers one call. Where several wait, each has its own, by its place or by its id, so that nobody approves a call
 *    that they have not seen.
 */
import type { RunHead } from '@signalbox/engine'
import { z } from '@hono/zod-openapi'
import { answerApproval, ApprovalDecision } from '../../http/answer-approval.ts'
import { answerInput } from '../../http/answer-input.ts'
import type { Api, Identified } from '../../http/api.ts'
import { waitingInTree } from '../../http/humans-asked.ts'
import { contradiction, contradicts } from '../../http/contradiction.ts'
import { declaredFields, type SaidFields } from '../../http/declared-fields.ts'
import { findRun, unknownThread } from '../../http/find.ts'
import { findAssistant } from '../../http/find-assistant.ts'
import { Problem } from '../../http/problem.ts'
import type { AskedApproval } from '../../http/wire/approval-view.ts'
import { questionAnswers } from './question-answers.ts'

const field = 'command.resume'

export interface Resume {
  readonly threadId: string | null
  /** The agent the caller names. */
  readonly agent: string
  readonly value: unknown
  /** What the client says of the run once more: the run that asked keeps what it was created with. */
  readonly said?: SaidFields
}

/** What was answered, and how much of the run was written before. */
export interface Resumed {
  readonly head: RunHead
  readonly before: number
}

/** Records the answers. @throws Problem unless all of them stand */
export async function resumeRun(api: Api, caller: Identified, resume: Resume): Promise<Resumed> {
  const { threadId, value } = resume
  if (threadId === null)
    throw misfit('answers a run of a thread; use /threads/{thread_id}/runs', field)
  const { definition: agent } = await findAssistant(api, caller, resume.agent)
  declaredFields(agent, resume.said ?? {})
  const head = await waitingRun(api, caller, threadId)
  if (head.agent !== agent.name)
    throw misfit(`takes "${head.agent}", the agent of the run that waits`, 'assistant_id')
  const waiting = await waitingInTree(api.read, head)
  const asked = waiting.filter((each) => each.for === 'approval')
  const questions = waiting.filter((each) => each.for === 'input')
  if (asked.length + questions.length === 0)
    throw nothingWaits(threadId, waiting.length > 0 ? head.runId : null)
  const { answers, rest } = questionAnswers(questions, { value, alone: asked.length === 0, field })
  const decided = rest === undefined ? [] : answersTo(asked, rest)
  // A run below asks for itself, and is answered by itself.
  for (const { asked: question, said, at } of answers) {
    const { call_id: callId, run_id: runId = head.runId } = question
    await answerInput(api, caller, { question: { runId, callId, field: at, at }, said })
  }
  for (const { call, said, at } of decided) {
    const about = { runId: call.run_id ?? head.runId, callId: call.call_id }
    await answerApproval(api, caller, { call: about, named: { id: call.call_id, field: at }, said })
  }
  return { head: await findRun(api, caller, { run_id: head.runId }), before: head.seq }
}

async function waitingRun(api: Api, { tenantId }: Identified, threadId: string): Promise<RunHead> {
  const among = { statuses: ['waiting'] as const, outcomes: [] }
  const [head] = await api.read.runs(tenantId, { threadId, among, limit: 1 })
  if (head) return head
  if (!(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
  throw nothingWaits(threadId, null)
}

const nothingWaits = (threadId: string, unknownIn: string | null): Problem =>
  new Problem('nothing_waits', {
    detail:
      unknownIn === null
        ? `No run of the thread ${threadId} waits for an answer.`
        : `The run ${unknownIn} waits for a word on an unknown outcome: POST /runs/${unknownIn}/effects/{effect_id}/resolve.`,
    field,
  })

const misfit = (takes: string, where: string): Problem =>
  new Problem('invalid_request', { detail: `${where}: ${takes}`, field: where })

interface Answer {
  readonly call: AskedApproval
  readonly said: ApprovalDecision
  /** Where in the request it stands. */
  readonly at: string
}

/** The answers that a value gives, edits first: only they can still be refused for what they say. */
function answersTo(asked: readonly AskedApproval[], value: unknown): readonly Answer[] {
  const given = valuesFor(asked, value).map(({ call, value: one, at }) => ({
    call,
    said: decisionOf(one, call, at),
    at,
  }))
  const other = contradiction(given.map((each) => ({ ...each, id: each.call.call_id })))
  if (other) throw misfit(contradicts, other.at)
  return given.toSorted(
    (a, b) => Number(b.said.decision === 'edit') - Number(a.said.decision === 'edit'),
  )
}

type Given = { readonly call: AskedApproval; readonly value: unknown; readonly at: string }

function valuesFor(asked: readonly AskedApproval[], value: unknown): readonly Given[] {
  const many = decisionsOf(value, field)
  if (many) return inOrder(asked, many.values, many.at)
  const fields = Fields.safeParse(value)
  if (fields.success && !('decision' in fields.data) && !('type' in fields.data)) {
    const keys = Object.keys(fields.data)
    const named = keys.map((key) => ({ key, call: asked.find((each) => isNamed(each, key)) }))
    const stranger = named.find(({ call }) => !call)
    if (keys.length === 0 || (stranger && named.every(({ call }) => !call)))
      throw misfit(
        'takes { "decision": "approve" | "reject" | "edit" }, or such values by interrupt id',
        field,
      )
    if (stranger) throw misfit('is no interrupt that waits', `${field}.${stranger.key}`)
    return named.flatMap(({ key, call }) => {
      if (!call) return []
      const at = `${field}.${key}`
      const list = decisionsOf(fields.data[key], at)
      if (!list) return [{ call, value: fields.data[key], at }]
      // The interrupt has the id of its first call: decisions under it are about all of its calls.
      return inOrder(keys.length === 1 && call === asked[0] ? asked : [call], list.values, list.at)
    })
  }
  const [only, ...others] = asked
  if (only && others.length === 0) return [{ call: only, value, at: field }]
  throw misfit(
    `takes ${asked.length} values, in a list or by interrupt id: as many calls wait`,
    field,
  )
}

const Fields = z.record(z.string(), z.unknown())
const Decisions = z.object({ decisions: z.array(z.unknown()) })

/** A list of values, also as LangChain's middleware for human answers sends it. */
function decisionsOf(value: unknown, at: string) {
  if (Array.isArray(value)) return { values: z.array(z.unknown()).parse(value), at }
  const wrapped = Decisions.safeParse(value)
  return wrapped.success ? { values: wrapped.data.decisions, at: `${at}.decisions` } : null
}

function inOrder(
  asked: readonly AskedApproval[],
  values: readonly unknown[],
  at: string,
): readonly Given[] {
  if (values.length !== asked.length)
    throw misfit(
      `takes ${asked.length} ${asked.length === 1 ? 'value' : 'values'}, one for each call that waits; there are ${values.length}`,
      at,
    )
  return asked.map((call, n) => ({ call, value: values[n], at: `${at}[${n}]` }))
}

const isNamed = (call: AskedApproval, id: string): boolean =>
  call.approval_id === id || call.call_id === id

const Action = z.object({ name: z.string().optional(), args: z.unknown() })

/** LangChain's words for a decision: `type` for its name, and the whole call for an edit. Its JavaScript spells that in camel case. */
const LangChainDecision = z.object({
  type: z.enum(['approve', 'reject', 'edit']),
  message: z.string().nullish(),
  edited_action: Action.nullish(),
  editedAction: Action.nullish(),
})

/** The same in our words; as it came where it is none of LangChain's. */
function ownWords(value: unknown, call: AskedApproval, at: string): unknown {
  if (typeof value === 'string') return { decision: value }
  const { data: given } = LangChainDecision.safeParse(value)
  if (!given) return value
  const [key, action] = given.edited_action
    ? ['edited_action', given.edited_action]
    : ['editedAction', given.editedAction]
  if (action?.name !== undefined && action.name !== call.tool)
    throw misfit(
      `takes "${call.tool}", the tool that was asked for: an edit changes the arguments`,
      `${at}.${key}.name`,
    )
  return {
    decision: given.type,
    ...(typeof given.message === 'string' ? { message: given.message } : {}),
    ...(action && given.type === 'edit' ? { args: action.args } : {}),
  }
}

function decisionOf(value: unknown, call: AskedApproval, at: string): ApprovalDecision {
  const said = ApprovalDecision.safeParse(ownWords(value, call, at))
  if (said.success) return said.data
  const [issue] = said.error.issues
  const where = [at, ...(issue?.path ?? [])].join('.')
  throw misfit(issue?.message ?? 'takes a decision', where)
}
