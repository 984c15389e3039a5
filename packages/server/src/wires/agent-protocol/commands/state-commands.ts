/** Commands that read: the state of a thread, its checkpoints, and the tree of its runs. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../../http/api.ts'
import { findRun, findThread } from '../../../http/find.ts'
import { runDocument } from '../../../http/run-document.ts'
import { wireStatus } from '../../../http/wire/run-view.ts'
import { CheckpointId } from '../../langgraph/checkpoint.ts'
import { History, pastStates } from '../../langgraph/history.ts'
import { currentState } from '../../langgraph/threads.ts'
import { childNamespace, type Namespace } from '../tape/tape-event.ts'
import { type CommandRequest, type Handler, take } from './command.ts'

const Keys = z.object({ keys: z.array(z.string().max(200)).max(100).nullish() })

/** `state.get`: what was said, all of it or by key. */
export const getState: Handler = async (asked) => {
  const { keys } = take(Keys, asked.params)
  const state = await currentState(asked.api.read, await threadOf(asked))
  const values = Object.entries(state.values).filter(([key]) => !keys || keys.includes(key))
  const id = state.checkpoint.checkpoint_id
  return {
    values: Object.fromEntries(values),
    ...(id === null ? {} : { checkpoint: { id } }),
    next: state.next,
    tasks: state.tasks,
  }
}

const List = z.object({
  limit: z.number().int().min(1).max(limits.pageMax).nullish(),
  before: CheckpointId.nullish(),
})

/** `state.listCheckpoints`: newest first; the last `id` of a page is `before` of the next. */
export const listCheckpoints: Handler = async (asked) => {
  const { limit, before } = take(List, asked.params)
  const history = History.parse({ limit: limit ?? undefined, before })
  const states = await pastStates(asked.api.read, await threadOf(asked), history)
  const checkpoints = [...states].map(({ checkpoint, created_at, metadata, next }) => ({
    id: checkpoint.checkpoint_id,
    timestamp: created_at,
    step: metadata['step'],
    ...(next[0] === undefined ? {} : { node_name: next[0] }),
    metadata,
  }))
  return { checkpoints }
}

const threadOf = ({ api, caller, threadId }: CommandRequest) => findThread(api, caller, threadId)

const Tree = z.object({ run_id: z.string().max(200).nullish() })

interface Node {
  readonly namespace: Namespace
  readonly status: string
  readonly graph_name: string
  readonly children: readonly Node[]
  readonly metadata: Readonly<Record<string, unknown>>
}

/** `agent.getTree`: a run, by default the thread's last one, and the runs that it has started. */
export const getTree: Handler = async (asked) => {
  const { run_id } = take(Tree, asked.params)
  const { api, caller, threadId } = asked
  if (run_id) {
    const head = await findRun(api, caller, { run_id, thread_id: threadId })
    return { tree: await nodeOf(api, caller, { head, namespace: [] }) }
  }
  await threadOf(asked)
  const filter = { threadId, places: 'last', limit: 1 } as const
  const [head] = await api.read.runs(caller.tenantId, filter)
  if (head) return { tree: await nodeOf(api, caller, { head, namespace: [] }) }
  return { tree: { namespace: [], status: 'completed', graph_name: '', children: [] } }
}

/** Bounded by `limits.childDepthMax` and `limits.childrenMax`, as the runs themselves are. */
async function nodeOf(
  api: Api,
  caller: Identified,
  { head, namespace }: { readonly head: RunHead; readonly namespace: Namespace },
): Promise<Node> {
  const children: Node[] = []
  for (const { runId } of await api.children(head.runId)) {
    const child = await api.read.run(caller.tenantId, runId)
    if (!child) continue
    const { parent } = await runDocument(api.read, child)
    const segment = childNamespace(parent?.call_id ?? runId)
    children.push(await nodeOf(api, caller, { head: child, namespace: [...namespace, segment] }))
  }
  return {
    namespace,
    status: statuses[wireStatus(head)],
    graph_name: head.agent,
    children,
    metadata: { run_id: head.runId, thread_id: head.threadId, outcome: head.outcome },
  }
}

const statuses = {
  pending: 'started',
  running: 'running',
  success: 'completed',
  interrupted: 'interrupted',
  error: 'failed',
  timeout: 'failed',
} as const
