/** What a step did to the state of a run: `updates`, `tasks`, `values`, `checkpoints`, `debug`, `error`. */
import type { RunHead } from '@signalbox/engine'
import { parentOf } from '../../../http/run-document.ts'
import { iso } from '../../../http/wire/iso.ts'
import { runView } from '../../../http/wire/run-view.ts'
import { type Values, withRole } from '../../../http/wire/values.ts'
import { checkpointId, checkpointOf } from '../checkpoint.ts'
import type { RunFailure } from '../failure.ts'
import type { ChatMessage } from '../messages.ts'
import { type RunLeft, runValues } from '../run-values.ts'
import { type StreamFrame, type Node } from './frame.ts'
import { toolEvent, chatEvent } from './lang-chain-events.ts'
import { type Change, completePlace, type FramePlace } from './message-frames.ts'
import type { StreamStep, NodeTask } from './step.ts'

/** The state of a run after a step. */
export interface State extends RunLeft {
  /** The run as it was then. */
  readonly head: RunHead
  readonly messages: readonly ChatMessage[]
  /** Of its end; null if it was none. */
  readonly failure: RunFailure | null
}

export interface ShownMoment {
  readonly step: StreamStep
  readonly state: State
  readonly changes: readonly Change[]
}

/** The full state, as `values` shows it. */
export const valuesOf = ({ messages, head, ...left }: Omit<State, 'failure'>): Values => ({
  messages: messages.map(withRole),
  ...runValues(left),
  outcome: head.outcome,
  // Which call of the parent it works for stands in the document of the run.
  run: runView(head, { parent: parentOf(head) }),
})

/** The places of a step, in LangGraph's order. Their number depends on nothing but the log. */
export function stateFrames(moment: ShownMoment): readonly FramePlace[] {
  const { step, state } = moment
  const isOther = moment.changes.length > 0 || step.outcome !== null
  const values: StreamFrame = { mode: 'values', event: 'values', data: () => valuesOf(state) }
  return [
    ...(['model', 'tools'] as const).map((node) => update(moment, node)),
    ...step.done.flatMap((task) => taskDone(moment, task)),
    isOther ? values : null,
    ...moment.changes.map(completePlace),
    ...checkpoint(moment),
    ...step.begun.flatMap((task) => taskBegun(moment, task)),
    state.failure && { mode: null, event: 'error', data: () => state.failure },
  ]
}

const isOf = (node: Node, { now }: Change): boolean =>
  now?.type === (node === 'model' ? 'ai' : 'tool')

function update({ changes }: ShownMoment, node: Node): FramePlace {
  const messages = changes.filter((change) => isOf(node, change)).map(({ now }) => now)
  if (messages.length === 0) return null
  return { mode: 'updates', event: 'updates', data: () => ({ [node]: { messages } }) }
}

/** The same payload as a frame of its own, and in the frame of `debug`. */
function twice(
  { step }: ShownMoment,
  what: { readonly mode: 'tasks' | 'checkpoints'; readonly type: string },
  payload: () => unknown,
): readonly StreamFrame[] {
  const { mode, type } = what
  const about = { type, step: step.number, timestamp: iso(step.at) }
  return [
    { mode, event: mode, data: payload },
    { mode: 'debug', event: 'debug', data: () => ({ ...about, payload: payload() }) },
  ]
}

function taskBegun(moment: ShownMoment, task: NodeTask): readonly FramePlace[] {
  const { step, state } = moment
  const input = () => inputOf(task, state.messages)
  const payload = () => ({
    id: task.id,
    name: task.node,
    input: input(),
    triggers: [],
    interrupts: [],
  })
  const at = { step: step.number, data: () => ({ input: input() }) }
  const begins =
    'tool' in task.about
      ? toolEvent(state.head, task.about.tool, { name: 'on_tool_start', ...at })
      : chatEvent(state.head, { name: 'on_chat_model_start', ...at })
  const frames = twice(moment, { mode: 'tasks', type: 'task' }, payload)
  return [...frames, { mode: 'events', ...begins }]
}

/** A call as it was cleared; of the model, which message it writes. */
function inputOf({ about }: NodeTask, messages: readonly ChatMessage[]): unknown {
  if ('messageId' in about) return { message_id: about.messageId }
  const calls = messages.flatMap((message) => (message.type === 'ai' ? message.tool_calls : []))
  return { call: calls.find(({ id }) => id === about.callId) ?? null }
}

function taskDone(moment: ShownMoment, task: NodeTask): readonly FramePlace[] {
  const payload = () => ({
    id: task.id,
    name: task.node,
    error: null,
    interrupts: [],
    result: [['messages', resultOf(task, moment.state.messages)]],
  })
  return twice(moment, { mode: 'tasks', type: 'task_result' }, payload)
}

const resultOf = ({ about }: NodeTask, messages: readonly ChatMessage[]) =>
  messages.filter((message) =>
    'messageId' in about
      ? message.id === about.messageId
      : message.type === 'tool' && message.tool_call_id === about.callId,
  )

function checkpoint(moment: ShownMoment): readonly FramePlace[] {
  const { step, state } = moment
  const { threadId, runId } = state.head
  const at = checkpointOf(threadId, checkpointId(runId, step.seq))
  const parent = step.parentId === null ? null : checkpointOf(threadId, step.parentId)
  const source = step.isInput ? 'input' : 'loop'
  const payload = () => ({
    checkpoint: at,
    parent_checkpoint: parent,
    // The older names, which LangGraph's server still sends.
    config: { configurable: at },
    parent_config: parent && { configurable: parent },
    values: valuesOf(state),
    next: step.outcome === null ? [step.state] : [],
    metadata: { source, step: step.number, run_id: runId, parents: {} },
    tasks: step.open.map(({ id, node }) => ({ id, name: node, interrupts: [] })),
  })
  return twice(moment, { mode: 'checkpoints', type: 'checkpoint' }, payload)
}
