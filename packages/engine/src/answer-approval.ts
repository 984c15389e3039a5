/**
 * A human's answer about a call that waits for one.
 *
 * H1 The first decision stands; the same one again is no error, another is a conflict.
 * H2 It is about exactly the call that was asked about: tool and arguments' hash are copied from the request.
 * H3 Who may decide is checked before anything is written: roles, and, if the agent says so, not whoever the run works for.
 * H4 Edited arguments fit the tool's schema, and the policies allow them, before they are recorded. The decision and the
 *    worker judge them once more.
 * H5 A key is an identity where no person is known: `forbidRequester` tells the key that asked for the run from others.
 */
import {
  type AgentDefinition,
  approvalTimer,
  callsOf,
  decisionSchemas,
  factSchemas,
  type JsonObject,
  payloadOf,
  readsArguments,
  type ToolSpec,
} from '@signalbox/core'
import type { AnswerApproval, ApprovalAnswer, Person } from './engine.ts'
import type { Register, RunHead, StoredEvent } from './ports.ts'
import { recheck, type RecheckDeps } from './perform/recheck.ts'
import type { Digests } from './record/digests.ts'
import type { Writer } from './record/draft.ts'
import { insist, type Patience } from './record/patience.ts'
import type { Recorder } from './record/recorder.ts'
import { sanitiseObject } from './record/sanitise.ts'
import { firstAnswer, isAbout, answerStanding } from './standing-answer.ts'

/** What is wrong with arguments for a tool, null if nothing. */
export type CheckArguments = (spec: ToolSpec, args: JsonObject) => string | null

export interface ApprovalDeps extends Patience, RecheckDeps {
  readonly register: Register
  readonly recorder: Recorder
  readonly writer: Writer
  readonly digests: Digests
  readonly checkArguments: CheckArguments
}

interface Asked {
  readonly head: RunHead
  readonly events: readonly StoredEvent[]
  readonly agent: AgentDefinition
  readonly tool: string
  readonly argsHash: string
}

/** Records the answer, unless it may not be given, or another one stands. */
export async function answerApproval(
  deps: ApprovalDeps,
  request: AnswerApproval,
): Promise<ApprovalAnswer> {
  const { runId, tenantId, callId } = request
  const head = await insist(deps, 'read run', () => deps.register.head(runId))
  if (!head || head.tenantId !== tenantId) return { code: 'no_run' }
  const events = await insist(deps, 'read events', () => deps.register.events(runId, {}))
  const asking = events.find((event) => isAbout(event, 'approval.requested', callId))
  if (!asking) return { code: 'not_asked' }
  const { tool, argsHash } = payloadOf(decisionSchemas['approval.requested'], asking)
  if (events.some((event) => isAbout(event, 'approval.expired', callId))) return { code: 'expired' }
  const isAnswered = events.some((event) => isAbout(event, 'approval.answered', callId))
  // Nobody is asked any more, and an answer would still reach other runs.
  if (head.cancelRequested && !isAnswered) return { code: 'ended' }
  const agent = await deps.views.definitionOf(head)
  const asked = { head, events, agent, tool, argsHash }
  const refused = (await refusal(deps, request, asked)) ?? (await editRefusal(deps, request, asked))
  return refused ?? record(deps, request, asked)
}

async function refusal(
  deps: ApprovalDeps,
  { by, decision, args }: AnswerApproval,
  { agent, events, tool }: Asked,
): Promise<ApprovalAnswer | null> {
  const { roles, forbidRequester } = agent.approvals
  if (roles && !(by?.role && roles.includes(by.role))) {
    const detail = `calls of ${agent.name} are approved by ${roles.join(' or ')}`
    return { code: 'forbidden', detail }
  }
  if (forbidRequester && !(by && isAnother(identityOf(by), await requesterOf(deps, events))))
    return { code: 'forbidden', detail: 'whoever a run works for may not approve its calls' }
  if (decision !== 'edit') return null
  const spec = agent.tools.find((each) => each.name === tool)
  if (!args || !spec) return { code: 'invalid_arguments', detail: 'an edit needs arguments' }
  const problem = deps.checkArguments(spec, args)
  return problem === null ? null : { code: 'invalid_arguments', detail: problem }
}

/** An identity that a key stands for begins with this, and is its role as well. */
const keyPrefix = 'key:'
const personPrefix = 'user:'

/** As actors are written: a person may have the name of a key. */
const identityOf = ({ id, role }: Person): string =>
  id.startsWith(keyPrefix) && role === id ? id : `${personPrefix}${id}`

/**
 * An unknown approver may be the requester. A key may be held by the person who asked, so it approves only for runs that
 * another key asked for.
 */
const isAnother = (approver: string, requester: string): boolean =>
  approver !== requester && (!approver.startsWith(keyPrefix) || requester.startsWith(keyPrefix))

/** The person that a run works for; where none is known, who asked for the run at the top of its tree. */
async function requesterOf(
  { register }: ApprovalDeps,
  [first]: readonly StoredEvent[],
): Promise<string> {
  if (!first) return ''
  const { user, parent } = payloadOf(factSchemas['run.created'], first)
  if (user) return `${personPrefix}${user.id}`
  if (!parent) return first.actor
  const [root] = await register.events(parent.rootId, { limit: 1 })
  return root?.actor ?? ''
}

/** What the policies have against edited arguments. Whoever edits is told, and may edit again. */
async function editRefusal(
  deps: ApprovalDeps,
  { callId, decision, args }: AnswerApproval,
  { head, events, agent, tool }: Asked,
): Promise<ApprovalAnswer | null> {
  const isOver =
    head.status === 'ended' || events.some((event) => isAbout(event, 'approval.answered', callId))
  if (decision !== 'edit' || !args || isOver) return null
  // Where this process cannot judge, the decision does.
  if ((await deps.preparations.lackOf(head.definitionHash, agent)) !== null) return null
  const edited = await editOf(deps, { head, agent }, args)
  const call = { type: 'tool_call', id: callId, name: tool, ...edited } as const
  const denial = await recheck(deps, { row: head, effect: { approval: 0 }, call }, never)
  return denial && { code: 'edit_denied', answer: denial.answer }
}

/** A question to a policy is bounded by its own timeout. */
const never = new AbortController().signal

async function record(
  deps: ApprovalDeps,
  request: AnswerApproval,
  asked: Asked,
): Promise<ApprovalAnswer> {
  const { head, events, tool, argsHash } = asked
  const { runId, tenantId, callId, decision, note, by, actor } = request
  const edited =
    request.args && decision === 'edit' ? await editOf(deps, asked, request.args) : null
  const scope = decision === 'approve' ? (request.scope ?? 'once') : undefined
  const [first] = events
  const created = first && payloadOf(factSchemas['run.created'], first)
  const from = { user: created?.user ?? null, isSubagent: created?.parent !== undefined }
  const fact = deps.writer.fact(
    'approval.answered',
    {
      callId,
      tool,
      argsHash,
      decision,
      ...(note === undefined ? {} : { note }),
      ...(scope === undefined ? {} : { scope }),
      ...(edited ? { edited, caller: from } : {}),
      ...neededArgs(asked, request),
      ...(by ? { by } : {}),
    },
    { key: `approval:${callId}`, actor, tool, verdict: decision },
  )
  const result = await deps.recorder.record({ runId, tenantId }, [fact])
  const code = result.factCodes[0]
  const answered = events.find((event) => isAbout(event, 'approval.answered', callId))
  const stands =
    answered ??
    (code === 'duplicate'
      ? await firstAnswer(deps, runId, { type: 'approval.answered', callId })
      : null)
  // Only an approval has a scope; who names none asks for none in particular.
  const named = decision === 'approve' ? request.scope : undefined
  const told = code !== 'ok' && stands ? compare(stands, { decision, scope: named, edited }) : null
  if (told?.code === 'conflict') return told
  if (told || code === 'ok') {
    const effect = await answerStanding(deps, runId, {
      type: 'approval.answered',
      callId,
      timerId: approvalTimer(callId),
    })
    return told && effect === 'accepted' ? told : { code: effect }
  }
  return { code: head.status === 'ended' || code === 'ended' ? 'ended' : 'no_run' }
}

/** The arguments of a call, where the decision that takes the answer needs them: it knows nothing else of them. */
function neededArgs(
  { agent, events, tool }: Asked,
  { callId, decision }: AnswerApproval,
): { readonly args?: JsonObject } {
  const spec = agent.tools.find(({ name }) => name === tool)
  if (!spec || !readsArguments(spec) || decision !== 'approve') return {}
  const calls = events.flatMap((event) =>
    event.type === 'model.completed'
      ? callsOf(payloadOf(factSchemas['model.completed'], event).turn)
      : [],
  )
  const call = calls.find(({ id }) => id === callId)
  return call ? { args: call.args } : {}
}

/** Known by the digest that the run makes of arguments, as what the model asked for. */
async function editOf(
  { digests }: ApprovalDeps,
  { head, agent }: Pick<Asked, 'head' | 'agent'>,
  args: JsonObject,
): Promise<{ readonly args: JsonObject; readonly argsHash: string }> {
  const clean = sanitiseObject(args)
  return { args: clean, argsHash: (await digests.by(head.tenantId, agent)).argsHash(clean) }
}

function compare(
  stands: StoredEvent,
  said: {
    readonly decision: string
    readonly scope: string | undefined
    readonly edited: { readonly argsHash: string } | null
  },
): ApprovalAnswer {
  const first = payloadOf(factSchemas['approval.answered'], stands)
  const same =
    first.decision === said.decision &&
    (said.scope === undefined || first.scope === said.scope) &&
    first.edited?.argsHash === said.edited?.argsHash
  return same ? { code: 'already' } : { code: 'conflict', decision: first.decision }
}
