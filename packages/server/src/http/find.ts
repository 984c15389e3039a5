/** Finds what an address names, or answers with the problem that says it is not there. */
import type { AgentDefinition } from '@signalbox/core'
import type { Caller, RunHead } from '@signalbox/engine'
import type { ThreadView } from '@signalbox/postgres'
import { suggestion } from '../config/nearest.ts'
import { assistantUuid } from '../wires/langgraph/assistant-id.ts'
import type { Api } from './api.ts'
import { Problem } from './problem.ts'

/** By run id, or by the client's own id or idempotency key. With a thread, the run must be of it. */
export async function findRun(
  api: Pick<Api, 'read'>,
  caller: Caller,
  address: { readonly run_id: string; readonly thread_id?: string },
): Promise<RunHead> {
  const head = await api.read.run(caller.tenantId, address.run_id)
  const elsewhere = address.thread_id !== undefined && head?.threadId !== address.thread_id
  if (head && !elsewhere) return head
  const where = address.thread_id === undefined ? '' : ` on the thread ${address.thread_id}`
  throw unknownRun(`${address.run_id}${where}`)
}

export const unknownRun = (which: string): Problem =>
  new Problem('unknown_run', {
    detail: `There is no run ${which}. Use the run id, or the idempotency key of its create.`,
    field: 'run_id',
  })

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const isMeantBy = (uuid: string) => (name: string) => assistantUuid(name) === uuid.toLowerCase()

/** The name of the agent that a name or a UUID stands for; any other text as it is. */
export function agentNamed(api: Pick<Api, 'agents'>, name: string): string {
  if (api.agents.has(name) || !isUuid.test(name)) return name
  return [...api.agents.keys()].find(isMeantBy(name)) ?? name
}

/** By name, or by the UUID that stands for it. `field` is where the caller named it. */
export function findAgent(
  api: Pick<Api, 'agents'>,
  name: string,
  field = 'assistant_id',
): AgentDefinition {
  const agent = api.agents.get(agentNamed(api, name))
  if (agent) return agent
  throw new Problem('unknown_agent', {
    detail: `There is no agent "${name}".${suggestion(name, [...api.agents.keys()])}`,
    field,
  })
}

/** As a page reads it: behind the cancels that arrived before. */
export async function findThread(
  { read, cancels }: Pick<Api, 'read' | 'cancels'>,
  { tenantId }: Caller,
  threadId: string,
): Promise<ThreadView> {
  await cancels.recorded(tenantId, threadId)
  const thread = await read.thread(tenantId, threadId)
  if (thread) return thread
  throw unknownThread(threadId)
}

export const unknownThread = (threadId: string): Problem =>
  new Problem('unknown_thread', {
    detail: `There is no thread ${threadId}. Create it with POST /threads.`,
    field: 'thread_id',
  })
