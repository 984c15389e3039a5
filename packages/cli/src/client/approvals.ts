/** Approvals over the API: what waits, what became of one, and a human's answer. */
import { z } from 'zod'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { Accepted, Approval } from './documents.ts'
import { ask, inPath, type Server } from './http.ts'

/** What a human decides. `edit` executes other arguments than those the model asked for. */
export type HumanDecision = 'approve' | 'reject' | 'edit'

/** A human's answer as the wire has it. */
export interface ApprovalAnswer {
  readonly decision: HumanDecision
  readonly message?: string
  readonly scope?: string
  /** For `edit`, and only for it. */
  readonly args?: unknown
}

/** What is answered: an approval, or the call of a run. */
export type Target =
  | { readonly approvalId: string }
  | { readonly runId: string; readonly callId: string }

const pageMax = 1000
const Page = z.array(Approval.extend({ position: z.string() }))

/** All that waits, oldest first; of one run and those below it, or of all of them. @throws Failure */
export async function listApprovals(server: Server, runId?: string): Promise<Approval[]> {
  const all: Approval[] = []
  for (let after: string | undefined; ;) {
    const query = { tree: runId, after, limit: pageMax }
    const page = await ask(server, Page, { path: '/approvals', query })
    all.push(...page)
    if (page.length < pageMax) return all
    after = page.at(-1)?.position
  }
}

/** One approval, whatever became of it. Null if there is none, or no more. @throws Failure */
export async function findApproval(server: Server, approvalId: string): Promise<Approval | null> {
  try {
    return await ask(server, Approval, { path: onApproval(approvalId) })
  } catch (error) {
    if (error instanceof Failure && error.exitCode === exitCodes.notFound) return null
    throw error
  }
}

/** Answers. The first decision stands; the same again is no failure. @throws Failure */
export function answerApproval(
  server: Server,
  target: Target,
  answer: ApprovalAnswer,
): Promise<z.infer<typeof Accepted>> {
  const path =
    'approvalId' in target
      ? onApproval(target.approvalId)
      : `/runs/${inPath(target.runId)}/approvals/${inPath(target.callId)}`
  return ask(server, Accepted, { path, method: 'POST', body: answer })
}

const onApproval = (approvalId: string): string => `/approvals/${inPath(approvalId)}`
