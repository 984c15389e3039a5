/**
 * Editing a conversation: a run that asks no model, says what it is given, and ends. It takes its turn as every run does, so an
 * edit stands where it stands for everybody, and what was said before it is still in the log.
 */
import { createHash } from 'node:crypto'
import type { AgentDefinition, EditMessage } from '@signalbox/core'
import { canonical, type CreateRun, type RunHead } from '@signalbox/engine'
import type { ThreadView } from '@signalbox/postgres'
import { waitForRun } from '../stream/wait-for-run.ts'
import { stateAt } from '../wires/langgraph/history.ts'
import { momentOfId } from '../wires/langgraph/moments.ts'
import { lastStep, threadEvents, throughHead } from '../wires/langgraph/state.ts'
import type { StateUpdate } from '../wires/langgraph/state-update.ts'
import { currentState } from '../wires/langgraph/threads.ts'
import type { Api, Identified } from './api.ts'
import { noCheckpoint, readIdempotencyKey, runOrProblem } from './create-run.ts'
import { findRun } from './find.ts'
import { Problem } from './problem.ts'

export interface Edit {
  readonly thread: ThreadView
  readonly update: StateUpdate
  /** The Idempotency-Key header as it came. */
  readonly idempotencyKey: string | undefined
}

/** Puts messages behind a checkpoint, or behind the end of a thread. Answers the id of the checkpoint that follows. */
export async function editThread(api: Api, caller: Identified, edit: Edit): Promise<string> {
  const { thread, update } = edit
  const { threadId, tenantId } = thread
  const { checkpointId } = update
  const { user } = caller
  const key = readIdempotencyKey(edit.idempotencyKey)
  const bodyHash = createHash('sha256')
    // For somebody else it is another request.
    .update(canonical({ threadId, ...update, ...(user ? { user: user.id } : {}) }))
    .digest('hex')
  const alias = key === null ? null : { key, bodyHash }
  const base = checkpointId === null ? null : await momentOfId(api.read, tenantId, checkpointId)
  if (checkpointId !== null && base === null) throw noCheckpoint()
  if (!(key !== null && (await api.read.run(tenantId, key)))) await refuseKnown(api, thread, update)
  const said = { messages: messagesOf(api, update) }
  const change = { edit: said, ...(base ? { base } : {}) }
  const head = await enterEdit(api, caller, { thread, alias, change })
  const step = lastStep(await threadEvents(api.read, thread, throughHead(head)))
  if (step?.runId === head.runId) return step.id
  throw waits(head)
}

/** An edit to be made: a run that asks no model. */
export interface NewEdit {
  readonly thread: ThreadView
  readonly alias: CreateRun['alias']
  readonly change: Required<Pick<CreateRun, 'edit'>> & Pick<CreateRun, 'base' | 'files'>
}

/** Makes an edit, and waits for its turn on the thread. Answers the run, which may still wait if the time was not enough. */
export async function enterEdit(
  api: Api,
  caller: Identified,
  { thread, alias, change }: NewEdit,
): Promise<RunHead> {
  const { threadId } = thread
  const answer = await api.commands.createRun({
    ...caller,
    threadId,
    definition: await anyAgent(api, thread),
    input: [],
    ...change,
    metadata: {},
    multitask: 'reject',
    alias,
  })
  const { runId } = runOrProblem(api, answer, {
    threadId,
    key: alias?.key ?? null,
    isEdit: true,
  })
  const head = await findRun(api, caller, { run_id: runId })
  const signal = AbortSignal.any([api.stopping, AbortSignal.timeout(api.settings.waitMsMax)])
  const sources = { ...api, pollMs: api.settings.pollMs }
  const { head: ended } = await waitForRun(sources, head, signal)
  return ended ?? head
}

/** For an edit whose turn did not come while its request waited. It is made when it comes. */
export const waits = ({ runId, threadId }: RunHead): Problem =>
  new Problem('thread_busy', {
    detail: `The edit ${runId} waits for its turn on the thread ${threadId}.`,
    more: { run_id: runId },
  })

const messagesOf = (api: Api, { messages }: StateUpdate): readonly EditMessage[] =>
  messages.map(({ id, role, texts }) => ({
    id: id ?? `e_${api.random.uuid()}`,
    role,
    parts: texts.map((text) => ({ type: 'text', text })),
  }))

/** What was said is not said over: who wants it otherwise goes on from before it. */
async function refuseKnown(
  api: Api,
  thread: ThreadView,
  { messages, checkpointId }: StateUpdate,
): Promise<void> {
  if (messages.every(({ id }) => id === null)) return
  const state =
    checkpointId === null
      ? await currentState(api.read, thread)
      : await stateAt(api.read, thread, checkpointId)
  const known = new Set(state?.values.messages.map(({ id }) => id))
  const again = messages.find(({ id }) => id !== null && known.has(id))
  if (!again) return
  throw new Problem('invalid_request', {
    detail: `values.messages: "${again.id}" was said already. Use the checkpoint_id of a state before it.`,
    field: 'values.messages',
  })
}

/** A run has an agent, though this one asks nothing of it: that of the thread, as far as it is still there. */
export async function anyAgent(
  api: Pick<Api, 'agents' | 'read'>,
  { tenantId, threadId }: Pick<ThreadView, 'tenantId' | 'threadId'>,
): Promise<AgentDefinition> {
  const [last] = await api.read.runs(tenantId, { threadId, limit: 1 })
  const [first] = api.agents.values()
  const agent = api.agents.get(last?.agent ?? '') ?? first
  if (agent) return agent
  throw new Problem('unknown_agent', { detail: 'There is no agent.' })
}
