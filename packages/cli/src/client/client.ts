/** The API as commands use it. Ids go in as they were typed; the server says what is wrong with them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import {
  type ApprovalAnswer,
  answerApproval,
  findApproval,
  listApprovals,
  type Target,
} from './approvals.ts'
import { auditClient, type AuditQuery } from './audit.ts'
import { Accepted, Assistant, EventPage, Info, Run, UnknownEffect, Values } from './documents.ts'
import { evidenceClient } from './evidence.ts'
import { type Follow, followRun } from './follow-run.ts'
import { ask, inPath, sendRequest, type Server } from './http.ts'
import { inputsClient } from './inputs.ts'
import { isPassing } from './problem.ts'
import { pausesClient } from './pauses.ts'
import { runsClient } from './runs.ts'

export interface NewRun {
  readonly agent: string
  readonly prompt: string
  readonly thread: string | undefined
}

export type { AuditQuery, ExportPiece } from './audit.ts'

export type Client = ReturnType<typeof createClient>

const onRun = (runId: string, rest = ''): string => `/runs/${inPath(runId)}${rest}`

/** Makes a client. Every method throws a Failure for a refusal, and for a server that does not answer. */
export function createClient(server: Server) {
  return {
    url: server.url,
    health: () => ask(server, z.object({ ok: z.literal(true) }), { path: '/ok' }),
    info: () => ask(server, Info, { path: '/info' }),
    agents: () => ask(server, z.array(Assistant), { path: '/assistants' }),
    createRun: (run: NewRun) => createRun(server, run),
    run: (runId: string) => ask(server, Run, { path: onRun(runId) }),
    children: (runId: string) => ask(server, z.array(Run), { path: onRun(runId, '/children') }),
    ...runsClient(server),
    ...pausesClient(server),
    ...inputsClient(server),
    join: (runId: string, signal: AbortSignal) => join(server, runId, signal),
    follow: (follow: Follow) => followRun(server, follow),
    runEvents: (runId: string, query: { readonly after?: number; readonly limit?: number }) =>
      ask(server, EventPage, { path: onRun(runId, '/events'), query }),
    ...auditClient(server),
    ...evidenceClient(server),
    events: (query: AuditQuery) => ask(server, EventPage, { path: '/events', query }),
    cancel: async (runId: string, query: { readonly reason?: string; readonly wait?: 1 }) => {
      const path = onRun(runId, '/cancel')
      const { status } = await sendRequest(server, path, { method: 'POST', query })
      return { ended: status === 204 }
    },
    approvals: (runId?: string) => listApprovals(server, runId),
    approval: (approvalId: string) => findApproval(server, approvalId),
    answerApproval: (target: Target, answer: ApprovalAnswer) =>
      answerApproval(server, target, answer),
    unknown: () => ask(server, z.array(UnknownEffect), { path: '/unknown' }),
    resolve: (runId: string, effectId: string, body: Readonly<Record<string, string>>) =>
      ask(server, Accepted, {
        path: onRun(runId, `/effects/${inPath(effectId)}/resolve`),
        method: 'POST',
        body,
      }),
  }
}

/** With a key of its own, so that a create whose answer was lost can be repeated. */
async function createRun(server: Server, { agent, prompt, thread }: NewRun): Promise<Run> {
  const request = {
    path: thread === undefined ? '/runs' : `/threads/${inPath(thread)}/runs`,
    method: 'POST' as const,
    body: { assistant_id: agent, input: prompt },
    headers: { 'idempotency-key': `cli-${crypto.randomUUID()}` },
  }
  try {
    return await ask(server, Run, request)
  } catch (error) {
    if (!isPassing(error)) throw error
    return ask(server, Run, request)
  }
}

const joinAgainMs = 500

/** Waits for a run, however often the server or the network cuts the wait. */
async function join(server: Server, runId: string, signal: AbortSignal): Promise<Values> {
  for (let broken = 0; ;) {
    try {
      const path = onRun(runId, '/join')
      const values = await ask(server, Values, { path, signal })
      if (values.__error__?.error !== 'wait_interrupted') return values
    } catch (error) {
      broken += 1
      if (!isPassing(error) || broken > 10) throw error
    }
    await sleep(joinAgainMs, undefined, { signal })
  }
}
