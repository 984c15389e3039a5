/** Approvals: calls that wait for a human, and the human's answer. */
import type { SignalboxError } from './error.ts'
import { orElse } from './expected.ts'
import type { Approval, ApprovalDecision, ListedApproval } from './generated.ts'
import { clientLimits } from './options.ts'
import type { Request } from './request.ts'
import type { Abortable } from './runs.ts'

/** What is answered: an approval by its id, or a call of a run. */
export type Asked = string | { readonly runId: string; readonly callId: string }

/** What an answer came to. The first decision about a call stands. */
export type Answered =
  /** `already`: the same was said before. */
  | { readonly is: 'accepted'; readonly already: boolean }
  /** Somebody decided the other way: `decision` says how, if the server did. */
  | { readonly is: 'conflict'; readonly decision: string | null }
  | { readonly is: 'expired' }
  /** The run has ended meanwhile. */
  | { readonly is: 'run_ended' }
  | { readonly is: 'unknown' }

/** What is said beside the decision. */
export interface Note extends Abortable {
  /** Stands in the log; of a rejection the model reads it. */
  readonly message?: string | undefined
}

/** What an approval is for: this call, this tool with these arguments in this run, or in every run of the agent. */
export interface Approve extends Note {
  readonly scope?: 'once' | 'run' | 'always' | undefined
}

/** Methods reject with a SignalboxError for refusals that they do not name. */
export type Approvals = ReturnType<typeof approvalsOf>

/** Makes the methods. */
export function approvalsOf(request: Request) {
  return {
    /** All that waits now, oldest first, page by page; of one run or of all. */
    list: (of?: Abortable & { readonly runId?: string }) => list(request, of),
    /** Whatever became of it. Null if there is none. */
    get: (approvalId: string, { signal }: Abortable = {}): Promise<Approval | null> =>
      orElse(
        request('GET /approvals/{approval_id}', { path: { approval_id: approvalId }, signal }),
        { unknown_approval: () => null },
      ),
    approve: (asked: Asked, { scope, ...note }: Approve = {}) =>
      answer(request, asked, {
        ...note,
        said: { decision: 'approve', ...(scope === undefined ? {} : { scope }) },
      }),
    reject: (asked: Asked, note: Note = {}) =>
      answer(request, asked, { ...note, said: { decision: 'reject' } }),
    /** Executes other arguments than those the model asked for. They must fit the schema of the tool. */
    edit: (asked: Asked, args: Readonly<Record<string, unknown>>, note: Note = {}) =>
      answer(request, asked, { ...note, said: { decision: 'edit', args: { ...args } } }),
  }
}

async function* list(
  request: Request,
  { runId, signal }: Abortable & { readonly runId?: string } = {},
): AsyncGenerator<ListedApproval, void, undefined> {
  for (let after: string | undefined; ;) {
    const page: ListedApproval[] = await request('GET /approvals', {
      query: {
        limit: clientLimits.pageMax,
        ...(runId === undefined ? {} : { run_id: runId }),
        ...(after === undefined ? {} : { after }),
      },
      signal,
    })
    yield* page
    if (page.length < clientLimits.pageMax) return
    after = page.at(-1)?.position
  }
}

function answer(
  request: Request,
  asked: Asked,
  { said, message, signal }: Note & { readonly said: ApprovalDecision },
): Promise<Answered> {
  const body = { ...said, ...(message === undefined ? {} : { message }) }
  const wish = { body, signal, repeatable: true }
  const told =
    typeof asked === 'string'
      ? request('POST /approvals/{approval_id}', { ...wish, path: { approval_id: asked } })
      : request('POST /runs/{run_id}/approvals/{call_id}', {
          ...wish,
          path: { run_id: asked.runId, call_id: asked.callId },
        })
  const good = told.then(({ code }): Answered => ({ is: 'accepted', already: code === 'already' }))
  return orElse<Answered, Answered>(good, {
    approval_conflict: (error) => ({ is: 'conflict', decision: decisionOf(error) }),
    approval_expired: () => ({ is: 'expired' }),
    run_ended: () => ({ is: 'run_ended' }),
    unknown_approval: () => ({ is: 'unknown' }),
    unknown_run: () => ({ is: 'unknown' }),
  })
}

const decisionOf = ({ problem }: SignalboxError): string | null => problem?.decision ?? null
