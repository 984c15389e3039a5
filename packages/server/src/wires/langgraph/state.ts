/** What LangGraph calls the state of a thread, at the end of it or at one of its checkpoints. */
import { z } from '@hono/zod-openapi'
import { legible, limits } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { iso } from '../../http/wire/iso.ts'
import type { ReadModel } from '../../read-model.ts'
import { Checkpoint, checkpointOf } from './checkpoint.ts'
import { Interrupt, interruptsOf } from './interrupt.ts'
import { ChatMessage } from './messages.ts'
import { runValueFields, runValues } from './run-values.ts'
import { foldSteps, type StateStep, type StepHead, stepHeads, stepTypes } from './state-steps.ts'

const Task = z.object({
  id: z.string(),
  /** The node: the state of the machine that waits for it. */
  name: z.string(),
  error: z.string().nullable(),
  interrupts: z.array(Interrupt),
  checkpoint: z.null(),
  state: z.null(),
  result: z.null(),
})

/** A thread as it was left by a decision. */
export const ThreadState = z
  .object({
    /** `title`: what the thread is called; absent where it has none, and in states of the past. */
    values: z.object({
      messages: z.array(ChatMessage),
      title: z.string().optional(),
      ...runValueFields,
    }),
    /** The state of the machine; empty where the run has ended. */
    next: z.array(z.string()),
    tasks: z.array(Task),
    checkpoint: Checkpoint,
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.string().nullable(),
    // A reference that is nullable is not written as one.
    parent_checkpoint: z.union([Checkpoint, z.null()]),
  })
  .openapi('ThreadState')
export type ThreadState = z.infer<typeof ThreadState>

/** Where in a thread to look, and up to where: later runs are not read. */
export interface Through {
  readonly runId: string
  /** Nothing of this run after it. */
  readonly seq: number
}

/** The events that the steps of a conversation, or of all those of a thread, are folded from, oldest first. */
export async function threadEvents(
  read: Pick<ReadModel, 'threadEvents'>,
  thread: { readonly tenantId: string; readonly threadId: string },
  through?: Through | 'branches',
): Promise<readonly StoredEvent[]> {
  const isOne = through !== undefined && through !== 'branches'
  const which = isOne ? { throughRun: through.runId } : { branches: through === 'branches' }
  const events: StoredEvent[] = []
  for (;;) {
    const last = events.at(-1)
    const page = await read.threadEvents(thread.tenantId, thread.threadId, {
      types: stepTypes,
      limit: limits.pageMax,
      ...(last ? { after: last } : {}),
      ...which,
    })
    events.push(...page)
    if (page.length < limits.pageMax) break
  }
  const shown = events.map(legible)
  if (!isOne) return shown
  return shown.filter(({ runId, seq }) => runId !== through.runId || seq <= through.seq)
}

/** The last step of these events; null where nothing was decided yet. */
export const lastStep = (events: readonly StoredEvent[]): StateStep | null =>
  foldSteps(events, stepHeads(events).slice(-1))[0] ?? null

/** What LangGraph says of a checkpoint. */
export const checkpointMetadata = ({ isInput, isEdit, n, runId }: StepHead) => ({
  source: isEdit ? 'update' : isInput ? 'input' : 'loop',
  step: n,
  run_id: runId,
  parents: {},
})

/** A step as LangGraph shows it. */
export function stateOf(threadId: string, step: StateStep): ThreadState {
  const { id, parentId, state, outcome, at, isCancelled } = step
  return {
    values: { messages: [...step.messages], ...runValues(step) },
    // Pages show a state with something next, and no question, as a breakpoint.
    next: outcome === null && !isCancelled ? [state] : [],
    tasks: [...tasksOf(step)],
    checkpoint: checkpointOf(threadId, id),
    metadata: checkpointMetadata(step),
    created_at: iso(at),
    parent_checkpoint: parentId === null ? null : checkpointOf(threadId, parentId),
  }
}

/** A thread in which nothing has been said. */
export const emptyState = (threadId: string): ThreadState => ({
  values: { messages: [] },
  next: [],
  tasks: [],
  checkpoint: checkpointOf(threadId, null),
  metadata: {},
  created_at: null,
  parent_checkpoint: null,
})

type Task = z.infer<typeof Task>

const task = (id: string, name: string, over: Partial<Task> = {}): Task => ({
  id,
  name,
  error: null,
  interrupts: [],
  checkpoint: null,
  state: null,
  result: null,
  ...over,
})

function tasksOf(step: StateStep): readonly Task[] {
  const { id, asked, open, outcome, isCancelled, failure } = step
  if (failure) return [task(id, step.state, { error: failure.message })]
  if (outcome !== null || isCancelled) return []
  const effects = [...open].map(([effectId, name]) => task(effectId, name))
  if (asked.length === 0) return effects
  return [...effects, task(id, 'approval', { interrupts: [...interruptsOf(asked)] })]
}

/** A run that is asked to end waits for nothing, whether or not its events tell so yet. */
export const withoutNext = (state: ThreadState): ThreadState => ({ ...state, next: [], tasks: [] })

/** What the run waits for now is known better than its events tell: answers may have come that nobody has read yet. */
export function withWaiting(state: ThreadState, interrupts: readonly Interrupt[]): ThreadState {
  const { checkpoint_id } = state.checkpoint
  if (checkpoint_id === null) return state
  const others = state.tasks.filter((each) => each.interrupts.length === 0)
  if (interrupts.length === 0) return { ...state, tasks: others }
  const name = state.next[0] ?? 'approval'
  return {
    ...state,
    tasks: [...others, task(checkpoint_id, name, { interrupts: [...interrupts] })],
  }
}

/** Up to the last event of a run that the caller has seen the head of. */
export const throughHead = ({ runId, seq }: RunHead): Through => ({ runId, seq })
