/**
 * `resume`: answers to what a thread waits for. They go to the run that asks, which goes on; the client's new `runId` is
 * only the name of the stream that shows how.
 *
 * R1 Every entry is looked at before the first is recorded: a request that fits nothing changes nothing.
 * R2 All that is asked is answered at once, or nothing is.
 * R3 The same answers again change nothing, and show the same.
 */
import type { RunHead } from '@signalbox/engine'
import { z } from 'zod'
import { answerApproval, ApprovalDecision } from '../../http/answer-approval.ts'
import { answerInput } from '../../http/answer-input.ts'
import type { Api, Identified } from '../../http/api.ts'
import { humansAsked } from '../../http/humans-asked.ts'
import { contradiction, contradicts } from '../../http/contradiction.ts'
import { Problem } from '../../http/problem.ts'
import { saidAnswer } from '../../http/said-answer.ts'
import { type AskedInput, waitsForInput } from '../../http/wire/input-view.ts'
import { type Waiting, waitingId } from '../../http/wire/run-view.ts'
import { agUiInterrupt } from './interrupts.ts'
import type { ResumeEntry } from './run-input.ts'

/** What an entry answers. */
type Question = { readonly runId: string; readonly id: string } & (
  | { readonly kind: 'approval'; readonly callId: string }
  | { readonly kind: 'outcome' }
  | { readonly kind: 'input'; readonly asked: AskedInput }
)

/** The run that goes on, and which of its questions were answered. */
export interface ResumedRun {
  readonly head: RunHead
  /** Calls and effects that the answers are about. */
  readonly about: ReadonlySet<string>
  /** Was all of it answered before, by this request or by others? */
  readonly isRepeat: boolean
  /** Entries that answer nothing that was ever asked on the thread. */
  readonly ignored: readonly string[]
}

interface Place {
  readonly threadId: string
  readonly agent: string
}

/** Records the answers; null where none of the entries names anything that was asked. @throws Problem unless all stand */
export async function resumeRun(
  api: Api,
  caller: Identified,
  { entries, ...place }: Place & { readonly entries: readonly ResumeEntry[] },
): Promise<ResumedRun | null> {
  const found = await Promise.all(entries.map((entry) => questionOf(api, caller, { entry, place })))
  const newest = found
    .flatMap((question) => question?.runId ?? [])
    .toSorted()
    .at(-1)
  const head = newest === undefined ? null : await api.read.run(caller.tenantId, newest)
  if (!head) return null
  if (head.agent !== place.agent)
    throw new Problem('invalid_request', {
      detail: `The run that waits is one of "${head.agent}": send the answers to its address.`,
      field: 'agent',
    })
  const pairs = entries.map((entry, n) => ({ entry, n, question: found[n] ?? null }))
  const meant = pairs.flatMap(({ entry, n, question }) =>
    question?.runId === head.runId ? [answerOf(entry, question, `resume[${n}]`)] : [],
  )
  const other = contradiction(meant.map((each) => ({ ...each, id: each.question.id })))
  if (other) throw misfit(other.at, contradicts)
  const ids = new Set(meant.map(({ question }) => question.id))
  const open = await humansAsked(api.read, head)
  if (open.some((waiting) => !ids.has(waitingId(waiting)))) throw interruptsOpen(open)
  let isRepeat = true
  for (const answer of meant.toSorted((a, b) => Number(b.isEdit) - Number(a.isEdit)))
    if (await answer.record(api, caller)) isRepeat = false
  return {
    head,
    isRepeat,
    about: new Set(
      meant.map(({ question: each }) => (each.kind === 'approval' ? each.callId : each.id)),
    ),
    ignored: pairs
      .filter(({ entry }) => !ids.has(entry.interruptId))
      .map((each) => each.entry.interruptId),
  }
}

/** The thread waits for answers, and takes nothing else; the problem says what for. */
export const interruptsOpen = (open: readonly Waiting[]): Problem =>
  new Problem('interrupts_open', {
    detail: `The thread waits for ${open.map(waitingId).join(', ')}. Answer all of it with \`resume\`.`,
    field: 'resume',
    more: { interrupts: open.map(agUiInterrupt) },
  })

async function questionOf(
  api: Pick<Api, 'read'>,
  { tenantId }: Identified,
  { entry, place }: { readonly entry: ResumeEntry; readonly place: Place },
): Promise<Question | null> {
  const id = entry.interruptId
  const approval = await api.read.approval(tenantId, id)
  if (approval?.threadId === place.threadId)
    return { kind: 'approval', id, runId: approval.runId, callId: approval.callId }
  const asked = await api.read.input(tenantId, { threadId: place.threadId, callId: id })
  if (asked) return { kind: 'input', id, runId: asked.runId, asked: waitsForInput(asked) }
  // An effect's id is that of its run and a number.
  const [, runId] = /^([0-9a-f-]{36})\.\d{1,9}$/.exec(id) ?? []
  const run = runId === undefined ? null : await api.read.run(tenantId, runId)
  return run?.threadId === place.threadId ? { kind: 'outcome', id, runId: run.runId } : null
}

interface Answer {
  readonly question: Question
  readonly said: unknown
  /** Where in the request it stands. */
  readonly at: string
  readonly isEdit: boolean
  /** Answers whether it was news. */
  readonly record: (api: Api, caller: Identified) => Promise<boolean>
}

function answerOf(entry: ResumeEntry, question: Question, at: string): Answer {
  switch (question.kind) {
    case 'approval':
      return approvalAnswer(entry, question, at)
    case 'input':
      return inputAnswer(entry, question, at)
    case 'outcome':
      return outcomeAnswer(entry, question, at)
  }
}

function inputAnswer(
  entry: ResumeEntry,
  question: Extract<Question, { kind: 'input' }>,
  at: string,
): Answer {
  const { asked, id, runId } = question
  const given = entry.status === 'cancelled' ? { declined: true } : entry.payload
  const said = saidAnswer(asked, given, `${at}.payload`)
  return {
    question,
    said,
    at,
    isEdit: false,
    record: async (api, caller) => {
      const about = { runId, callId: id, field: `${at}.interruptId`, at: `${at}.payload` }
      const { code } = await answerInput(api, caller, { question: about, said })
      return code === 'accepted'
    },
  }
}

/** AG-UI's own form of an answer, beside that of `POST /approvals/{id}`. */
const Approved = z
  .object({
    approved: z.boolean(),
    editedArgs: z.unknown().optional(),
    message: z.string().optional(),
    reason: z.string().optional(),
    scope: z.unknown().optional(),
  })
  .transform(({ approved, editedArgs, message, reason, scope }) => {
    const why = message ?? reason
    const edits = approved && editedArgs !== undefined && editedArgs !== null
    return {
      decision: approved ? (edits ? 'edit' : 'approve') : 'reject',
      ...(why === undefined ? {} : { message: why }),
      ...(edits ? { args: editedArgs } : {}),
      ...(scope === undefined || scope === null ? {} : { scope }),
    }
  })

function approvalAnswer(
  entry: ResumeEntry,
  question: Extract<Question, { kind: 'approval' }>,
  at: string,
): Answer {
  const { id, runId, callId } = question
  const given =
    entry.status === 'cancelled' ? abandoned : decisionOf(entry.payload, `${at}.payload`)
  return {
    question,
    said: given,
    at,
    isEdit: given.decision === 'edit',
    record: async (api, caller) => {
      const named = { id, field: `${at}.interruptId` }
      try {
        const call = { runId, callId }
        const { code } = await answerApproval(api, caller, { call, named, said: given })
        return code === 'accepted'
      } catch (error) {
        // Nobody answered in time, and nobody will: that is what the entry says too.
        const isLate = error instanceof Problem && error.code === 'approval_expired'
        if (entry.status === 'resolved' || !isLate) throw error
        return false
      }
    },
  }
}

const abandoned: ApprovalDecision = { decision: 'reject', message: 'Nobody decided about it.' }

function decisionOf(payload: unknown, at: string): ApprovalDecision {
  const form = typeof payload === 'boolean' ? { approved: payload } : payload
  const approved = Approved.safeParse(form)
  const said = ApprovalDecision.safeParse(approved.success ? approved.data : form)
  if (said.success) return said.data
  const [issue] = said.error.issues
  const isForm =
    approved.success || (typeof form === 'object' && form !== null && 'decision' in form)
  const path = isForm ? (issue?.path ?? []) : []
  throw misfit(
    [at, ...path].join('.'),
    (isForm && issue?.message) || 'takes { "approved": true }, or false',
  )
}

const misfit = (field: string, takes: string): Problem =>
  new Problem('invalid_request', { detail: `${field}: ${takes}`, field })

const Resolution = z.object({
  resolution: z.enum(['happened', 'not_happened', 'retry']),
  note: z.string().max(2000).optional(),
})

function outcomeAnswer(
  entry: ResumeEntry,
  question: Extract<Question, { kind: 'outcome' }>,
  at: string,
): Answer {
  const said = Resolution.safeParse(entry.payload)
  if (entry.status === 'cancelled')
    throw misfit(`${at}.status`, 'takes "resolved": somebody must say what became of the call')
  if (!said.success)
    throw misfit(`${at}.payload.resolution`, 'takes "happened", "not_happened" or "retry"')
  const { resolution, note } = said.data
  const { id: effectId, runId } = question
  return {
    question,
    said: said.data,
    at,
    isEdit: false,
    record: async (api, caller) => {
      const why = note === undefined ? {} : { note }
      const code = await api.commands.resolveUnknown({
        ...caller,
        runId,
        effectId,
        resolution,
        ...why,
      })
      if (code === 'conflict')
        throw new Problem('resolution_conflict', { detail: 'The call was resolved otherwise.' })
      if (code === 'ended')
        throw new Problem('run_ended', { detail: 'The run has ended meanwhile.' })
      if (code !== 'accepted' && code !== 'already')
        throw new Problem('unknown_effect', {
          detail: `Nothing is asked about ${effectId}.`,
          field: `${at}.interruptId`,
        })
      return code === 'accepted'
    },
  }
}
