/** The operations of A2A, the same for each binding: what one answers, or the updates it streams. */
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { cancelRun } from '../../http/cancel-run.ts'
import { findAgent } from '../../http/find.ts'
import { Problem } from '../../http/problem.ts'
import { waitForRun } from '../../stream/wait-for-run.ts'
import { A2aError } from './errors.ts'
import { ListTasks, readRequest, SendMessage, TaskName } from './requests.ts'
import { send, taskNamed } from './send.ts'
import { amongState } from './states.ts'
import { statusOf, taskOf } from './task.ts'
import { type StreamResponse, taskUpdates } from './stream.ts'

/** Updates of a task until the client is gone. Null: nothing happens. */
export type Updates = (gone: AbortSignal) => AsyncGenerator<StreamResponse | null, void, undefined>

/** Who calls which agent. */
export interface OperationCall {
  readonly api: Api
  readonly caller: Identified
  readonly agent: string
  readonly params: unknown
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
}

type Operation = (
  call: OperationCall,
) => Promise<{ readonly result: unknown } | { readonly updates: Updates }>

const sendMessage: Operation = async ({ api, caller, agent, params, gone }) => {
  const request = readRequest(SendMessage, params)
  const { returnImmediately = false, historyLength } = request.configuration ?? {}
  const head = await send(api, caller, { agent, request })
  const after = returnImmediately ? head : await settled(api, head, gone)
  return { result: { task: await taskOf(api, after, { historyLength }) } }
}

/** The run once it has ended or waits, or when the time to wait is over. */
async function settled(api: Api, head: RunHead, gone: AbortSignal): Promise<RunHead> {
  const { waitMsMax, pollMs } = api.settings
  const signal = AbortSignal.any([gone, api.stopping, AbortSignal.timeout(waitMsMax)])
  return (await waitForRun({ ...api, pollMs }, head, signal)).head ?? head
}

const sendStreamingMessage: Operation = async ({ api, caller, agent, params }) => {
  const request = readRequest(SendMessage, params)
  const head = await send(api, caller, { agent, request })
  return { updates: updatesOf(api, head, request.configuration?.historyLength) }
}

const updatesOf = (api: Api, head: RunHead, historyLength?: number): Updates =>
  async function* updates(gone) {
    const task = await taskOf(api, head, { historyLength })
    const sources = { ...api, ...api.settings, statusOf: (now: RunHead) => statusOf(api, now) }
    yield* taskUpdates(sources, { head, task, gone })
  }

const getTask: Operation = async ({ api, caller, agent, params }) => {
  const { id, historyLength } = readRequest(TaskName, params)
  const head = await taskNamed(api, caller, { agent, id })
  return { result: await taskOf(api, head, { historyLength }) }
}

const cancelTask: Operation = async ({ api, caller, agent, params }) => {
  const { id } = readRequest(TaskName, params)
  const find = () => taskNamed(api, caller, { agent, id })
  try {
    return { result: await taskOf(api, await cancelRun(api, { caller, find, wait: true })) }
  } catch (error) {
    if (error instanceof Problem && error.code === 'run_ended')
      throw new A2aError('TASK_NOT_CANCELABLE', error.facts.detail, 'id')
    throw error
  }
}

const subscribeToTask: Operation = async ({ api, caller, agent, params }) => {
  const { id } = readRequest(TaskName, params)
  const head = await taskNamed(api, caller, { agent, id })
  if (head.outcome !== null)
    throw new A2aError('UNSUPPORTED_OPERATION', `The task has ended: get it instead.`, 'id')
  return { updates: updatesOf(api, head) }
}

const listTasks: Operation = async ({ api, caller, agent, params }) => {
  const { contextId, status, pageSize, pageToken, historyLength, includeArtifacts } = readRequest(
    ListTasks,
    params,
  )
  const offset = Number(pageToken)
  const found = await api.read.runs(caller.tenantId, {
    agent,
    limit: pageSize + 1,
    offset,
    ...(contextId === undefined ? {} : { threadId: contextId }),
    ...(status === undefined ? {} : { among: amongState(status) }),
  })
  const wish = { historyLength: historyLength ?? 0, withArtifacts: includeArtifacts }
  const heads = found.slice(0, pageSize)
  const tasks = await Promise.all(heads.map((head) => taskOf(api, head, wish)))
  const nextPageToken = found.length > pageSize ? String(offset + pageSize) : ''
  return { result: { tasks, nextPageToken, pageSize } }
}

const noPush: Operation = () => {
  throw new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'Follow the task, or get it again.')
}

const noExtendedCard: Operation = () => {
  throw new A2aError('UNSUPPORTED_OPERATION', 'The card of the agent says all there is.')
}

const operations = {
  SendMessage: sendMessage,
  SendStreamingMessage: sendStreamingMessage,
  GetTask: getTask,
  ListTasks: listTasks,
  CancelTask: cancelTask,
  SubscribeToTask: subscribeToTask,
  CreateTaskPushNotificationConfig: noPush,
  GetTaskPushNotificationConfig: noPush,
  ListTaskPushNotificationConfigs: noPush,
  DeleteTaskPushNotificationConfig: noPush,
  GetExtendedAgentCard: noExtendedCard,
} as const satisfies Readonly<Record<string, Operation>>

/** Names of operations: the methods of JSON-RPC. */
export type A2aOperation = keyof typeof operations

/** Is there an operation of this name? */
export const isOperation = (name: string): name is A2aOperation => Object.hasOwn(operations, name)

/** Does what the operation says. @throws A2aError, Problem */
export async function performOperation(name: A2aOperation, call: OperationCall) {
  findAgent(call.api, call.agent)
  return operations[name](call)
}
