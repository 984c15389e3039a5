/** `input.inject`: something is said to the run of the thread that goes on, or to one below it. */
import { z } from '@hono/zod-openapi'
import type { RunHead } from '@signalbox/engine'
import { unknownThread } from '../../../http/find.ts'
import { injectInput } from '../../../http/inject-input.ts'
import { Problem } from '../../../http/problem.ts'
import { runDocument } from '../../../http/run-document.ts'
import { childNamespace, type Namespace } from '../tape/tape-event.ts'
import { type CommandRequest, type Handler, take } from './command.ts'
import { RunInput } from '../../../http/wire/run-create.ts'

const Message = z.object({
  id: z.string().nullish(),
  role: z.enum(['user', 'system'], 'takes "user" or "system"'),
  content: z.string(),
})

const Inject = z.object({
  namespace: z.array(z.string().max(200)).max(16).nullish(),
  message: Message,
})

/** The model is shown it before its next turn: one that ends the run is followed by another. */
export const inject: Handler = async (asked) => {
  const { namespace, message } = take(Inject, asked.params)
  const { id, role, content } = message
  const said = { messages: [{ role, content, ...(id == null ? {} : { id }) }] }
  const input = take(RunInput, said)
  const head = await runIn(asked, namespace ?? [])
  const { api, caller, idempotencyKey } = asked
  const [message_id] = await injectInput(api, caller, { head, input, idempotencyKey })
  return { run_id: head.runId, message_id }
}

/** The run that goes on, or waits its turn; below it, the one that each call of the namespace has started. */
async function runIn(asked: CommandRequest, namespace: Namespace): Promise<RunHead> {
  const { api, caller } = asked
  let head = await openRun(asked)
  for (const segment of namespace) {
    const below = []
    for (const { runId } of await api.children(head.runId)) {
      const child = await api.read.run(caller.tenantId, runId)
      const { parent } = child ? await runDocument(api.read, child) : {}
      if (child && childNamespace(parent?.call_id ?? runId) === segment) below.push(child)
    }
    const [child] = below
    if (!child)
      throw new Problem('unknown_run', {
        detail: `No run stands at the namespace ${JSON.stringify(namespace)}. agent.getTree says which do.`,
        field: 'params.namespace',
      })
    head = child
  }
  return head
}

async function openRun({ api, caller, threadId }: CommandRequest): Promise<RunHead> {
  const { tenantId } = caller
  const goingOn = { statuses: ['running', 'waiting'] as const, outcomes: [] }
  const [current] = await api.read.runs(tenantId, { threadId, among: goingOn, limit: 1 })
  if (current) return current
  const [queued] = await api.read.runs(tenantId, { threadId, status: 'queued', limit: 1 })
  if (queued) return queued
  if (!(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
  throw new Problem('nothing_runs', {
    detail: `No run of the thread ${threadId} goes on. run.start begins one.`,
    field: 'params',
  })
}
