/** What a step did, on the channels that show state and tools. Their number depends on nothing but the log. */
import { wireStatus } from '../../../http/wire/run-view.ts'
import { checkpointId } from '../../langgraph/checkpoint.ts'
import { chatWords } from '../../langgraph/messages.ts'
import type { StreamMode } from '../../langgraph/stream/modes.ts'
import { type ShownMoment, stateFrames } from '../../langgraph/stream/state-frames.ts'
import type { Channel, TapeEvent } from './tape-event.ts'

/** Null: a place where there could have been one. */
export type TapeSlot = TapeEvent | null

const channelOf: Partial<Record<StreamMode, Channel>> = {
  values: 'values',
  updates: 'updates',
  tasks: 'tasks',
}

/** The states as LangGraph's other wire shows them, and the tools that answered and that begin. */
export function stepEvents(moment: ShownMoment): readonly TapeSlot[] {
  return [...toolsDone(moment), ...states(moment), checkpoint(moment), ...toolsBegun(moment)]
}

/** The run has come to an end with this step. */
export function endEvent(moment: ShownMoment): TapeSlot {
  const { head, failure } = moment.state
  const { outcome } = moment.step
  if (outcome === null) return null
  const status = wireStatus({ status: 'ended', outcome })
  const said = status === 'success' ? 'completed' : status === 'interrupted' ? status : 'failed'
  const cause = failure?.cause ? { cause: failure.cause } : {}
  const error = said === 'failed' && failure ? { error: failure.message, ...cause } : {}
  return lifecycle(idOf(moment, 'end'), {
    event: said,
    graph_name: head.agent,
    run_id: head.runId,
    outcome,
    checkpoint: { id: checkpointId(head.runId, moment.step.seq) },
    ...error,
  })
}

/** A turn in the life of a run. */
export const lifecycle = (
  id: string,
  data: Readonly<Record<string, unknown>>,
  namespace: readonly string[] = [],
): TapeEvent => ({ id, method: 'lifecycle', channel: 'lifecycle', namespace, data: () => data })

/** The same for the same step, whoever asks. */
export const idOf = ({ step, state }: ShownMoment, part: string): string =>
  `${state.head.runId}:${step.seq}:${part}`

const states = (moment: ShownMoment): readonly TapeSlot[] =>
  stateFrames(moment).map((frame, n) => {
    const channel = frame?.mode ? channelOf[frame.mode] : undefined
    if (!frame || channel === undefined) return null
    const data = () => dataOf(channel, frame.data())
    return { id: idOf(moment, `s${n}`), method: channel, channel, namespace: [], data }
  })

function dataOf(channel: Channel, data: unknown): Readonly<Record<string, unknown>> {
  const fields = Object.entries(data ?? {})
  const [only] = fields
  // `{ node: delta }` there is `{ node, values }` here.
  if (channel === 'updates' && only) return { node: only[0], values: only[1] }
  return Object.fromEntries(fields)
}

function checkpoint(moment: ShownMoment): TapeEvent {
  const { step, state } = moment
  const data = () => ({
    id: checkpointId(state.head.runId, step.seq),
    ...(step.parentId === null ? {} : { parent_id: step.parentId }),
    step: step.number,
    source: step.isInput ? 'input' : 'loop',
  })
  return {
    id: idOf(moment, 'checkpoint'),
    method: 'checkpoints',
    channel: 'checkpoints',
    namespace: [],
    data,
  }
}

const toolsBegun = (moment: ShownMoment): readonly TapeSlot[] =>
  moment.step.begun.map(({ about }, n) => {
    if (!('callId' in about)) return null
    const { callId, tool } = about
    const calls = moment.state.messages.flatMap((message) =>
      message.type === 'ai' ? message.tool_calls : [],
    )
    const input = calls.find(({ id }) => id === callId)?.args ?? null
    const data = { event: 'tool-started', tool_call_id: callId, tool_name: tool, input }
    return toolEvent(idOf(moment, `t${n}`), data)
  })

const toolsDone = (moment: ShownMoment): readonly TapeSlot[] =>
  moment.changes.map(({ now, before }, n) => {
    if (now?.type !== 'tool' || before) return null
    const about = { tool_call_id: now.tool_call_id }
    const data =
      now.status === 'success'
        ? { event: 'tool-finished', ...about, output: now }
        : { event: 'tool-error', ...about, message: chatWords(now) }
    return toolEvent(idOf(moment, `r${n}`), data)
  })

/** Something about a tool. */
export const toolEvent = (id: string, data: Readonly<Record<string, unknown>>): TapeEvent => ({
  id,
  method: 'tools',
  channel: 'tools',
  namespace: [],
  node: 'tools',
  data: () => data,
})
