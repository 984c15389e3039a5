/**
 * Answers to approvals and to questions of the model that stand in a message.
 *
 * A1 What is asked, in which run, about which call: the register says so, never the message. A signature in it says nothing.
 * A2 Every answer is looked at before the first is recorded.
 */
import type { RunHead } from '@signalbox/engine'
import { answerApproval, unknownApproval } from '../../http/answer-approval.ts'
import { answerInput } from '../../http/answer-input.ts'
import type { Api, Identified } from '../../http/api.ts'
import { contradiction, contradicts } from '../../http/contradiction.ts'
import { findRun } from '../../http/find.ts'
import { Problem } from '../../http/problem.ts'
import { saidAnswer } from '../../http/said-answer.ts'
import { waitsForInput } from '../../http/wire/input-view.ts'
import type { AnsweredCall, AnsweredInput } from './chat-body.ts'
import { type Chat, threadOf } from './chat-names.ts'
import { runOfMessage } from './open-runs.ts'

/** Records them, and answers the run that goes on: that of the message, if none is new. @throws Problem unless all stand */
export async function answerCalls(
  api: Api,
  caller: Identified,
  sent: {
    readonly chat: Chat
    readonly id: string
    readonly answers: readonly AnsweredCall[]
    readonly inputs: readonly AnsweredInput[]
  },
): Promise<RunHead> {
  const { chat, id, answers, inputs } = sent
  const threadId = threadOf(chat)
  const told = await waitingAmong(api, caller, { threadId, inputs })
  const found = await Promise.all(
    answers.map(async (answer) => {
      const approval = await api.read.approval(caller.tenantId, answer.approvalId)
      const fits = approval?.threadId === threadId && approval.callId === answer.toolCallId
      if (!approval || !fits) throw unknownApproval({ id: answer.approvalId, field: answer.at })
      return { answer, runId: approval.runId, callId: approval.callId }
    }),
  )
  const [first] = [...found, ...told]
  const stranger = found.find(({ runId }) => runId !== first?.runId)
  if (!first) return runThatTold(api, chat, id)
  if (stranger) throw misfit('takes answers about the calls of one message', stranger.answer.at)
  const other = contradiction(
    found.map(({ answer: { at, approved, reason }, callId }) => ({
      id: callId,
      said: { approved, reason },
      at,
    })),
  )
  if (other) throw misfit(contradicts, other.at)
  for (const { answer, runId, callId } of found) {
    const { approvalId, approved, reason, at } = answer
    const said = {
      decision: approved ? ('approve' as const) : ('reject' as const),
      ...(reason === undefined ? {} : { message: reason }),
    }
    const named = { id: approvalId, field: at }
    await answerApproval(api, caller, { call: { runId, callId }, named, said })
  }
  for (const { runId, callId, said, at } of told)
    await answerInput(api, caller, { question: { runId, callId, field: at, at }, said })
  return findRun(api, caller, { run_id: first.runId })
}

/** The outputs that answer a question which waits: a message holds those of earlier ones, too. */
async function waitingAmong(
  api: Pick<Api, 'read'>,
  { tenantId }: Identified,
  { threadId, inputs }: { readonly threadId: string; readonly inputs: readonly AnsweredInput[] },
) {
  const answers = inputs.map(async ({ toolCallId: callId, output, at }) => {
    const asked = await api.read.input(tenantId, { threadId, callId })
    if (!asked) return []
    const { runId } = asked
    const waiting = await api.read.inputs(tenantId, { runId })
    if (!waiting.some((each) => each.callId === callId)) return []
    return [{ runId, callId, at, said: saidAnswer(waitsForInput(asked), output, at) }]
  })
  return (await Promise.all(answers)).flat()
}

/** Nothing is answered: the client has lost the stream, or brings along what tools are to have said, which nobody reads. */
async function runThatTold(api: Pick<Api, 'read'>, chat: Chat, id: string): Promise<RunHead> {
  const head = await runOfMessage(api, chat, id)
  if (head) return head
  throw misfit('takes a message of a user, or one of this chat that its agent has sent', 'messages')
}

const misfit = (takes: string, field: string): Problem =>
  new Problem('invalid_request', { detail: `${field}: ${takes}`, field })
