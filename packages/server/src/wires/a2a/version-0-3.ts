/**
 * Clients of A2A 0.3, over JSON-RPC: their methods are ours by other names, and what they send and read differs in its form
 * alone. Nothing is done for them that is not done for clients of 1.0. Those that speak HTTP+JSON have a form of their own.
 */
import { z } from 'zod'
import { A2aError } from './errors.ts'
import type { A2aOperation } from './operations.ts'
import { readRequest } from './requests.ts'
import type { TaskState } from './states.ts'
import type { StreamResponse } from './stream.ts'
import type { A2aMessage, A2aPart, Artifact, Task, TaskStatus } from './task.ts'

const methods = new Map<string, A2aOperation>([
  ['message/send', 'SendMessage'],
  ['message/stream', 'SendStreamingMessage'],
  ['tasks/get', 'GetTask'],
  ['tasks/cancel', 'CancelTask'],
  ['tasks/resubscribe', 'SubscribeToTask'],
  ['tasks/pushNotificationConfig/set', 'CreateTaskPushNotificationConfig'],
  ['tasks/pushNotificationConfig/get', 'GetTaskPushNotificationConfig'],
  ['tasks/pushNotificationConfig/list', 'ListTaskPushNotificationConfigs'],
  ['tasks/pushNotificationConfig/delete', 'DeleteTaskPushNotificationConfig'],
  ['agent/getAuthenticatedExtendedCard', 'GetExtendedAgentCard'],
])

/** Values of `A2A-Version` that such clients send. */
export const olderVersions: ReadonlySet<string> = new Set(['', '0.3', '0.3.0'])

/** The operation that a method of 0.3 is; undefined if it is none. */
export const olderMethod = (method: string): A2aOperation | undefined => methods.get(method)

const roles = { user: 'ROLE_USER', agent: 'ROLE_AGENT' } as const

/** A file of 0.3 stands in an object of its own. */
const OlderPart = z.looseObject({
  kind: z.string().optional(),
  file: z
    .looseObject({
      bytes: z.string().optional(),
      uri: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
})

const OlderSend = z.looseObject({
  message: z.looseObject({
    role: z.enum(['user', 'agent'], 'takes "user"'),
    parts: z.array(OlderPart),
  }),
  configuration: z
    .looseObject({
      blocking: z.boolean().optional(),
      pushNotificationConfig: z.unknown().optional(),
    })
    .nullish(),
})

/** Params as 1.0 has them. @throws A2aError that names the first field that is wrong */
export function fromOlder(name: A2aOperation, params: unknown): unknown {
  if (name === 'GetExtendedAgentCard')
    throw new A2aError('EXTENDED_CARD_NOT_CONFIGURED', 'The card of the agent says all there is.')
  if (name !== 'SendMessage' && name !== 'SendStreamingMessage') return params
  const { message, configuration, ...rest } = readRequest(OlderSend, params ?? {})
  const { blocking, pushNotificationConfig, ...wishes } = configuration ?? {}
  return {
    ...rest,
    message: {
      ...message,
      role: roles[message.role],
      // The kind says what a part has, and that is what 1.0 looks at.
      parts: message.parts.map(newerPart),
    },
    configuration: {
      ...wishes,
      returnImmediately: blocking === false,
      taskPushNotificationConfig: pushNotificationConfig,
    },
  }
}

function newerPart({ kind: _, file, ...part }: z.output<typeof OlderPart>): object {
  if (!file) return part
  const { bytes, uri, name } = file
  return { ...part, ...(bytes === undefined ? { url: uri } : { raw: bytes }), filename: name }
}

/** A result, or an update, as 0.3 has it. */
export function toOlder(result: unknown): unknown {
  if (isTask(result)) return olderTask(result)
  if (!isUpdate(result)) return result
  if ('task' in result) return olderTask(result.task)
  if ('artifactUpdate' in result) {
    const { artifact, ...update } = result.artifactUpdate
    return { kind: 'artifact-update', ...update, artifact: olderArtifact(artifact) }
  }
  const { status, ...update } = result.statusUpdate
  return { kind: 'status-update', ...update, status: olderStatus(status), final: isLast(status) }
}

export const isTask = (value: unknown): value is Task =>
  typeof value === 'object' && value !== null && 'contextId' in value && 'status' in value

export const isUpdate = (value: unknown): value is StreamResponse =>
  typeof value === 'object' &&
  value !== null &&
  ('task' in value || 'statusUpdate' in value || 'artifactUpdate' in value)

/** A stream ends where a task is over, or waits for somebody. */
export const isLast = ({ state }: TaskStatus): boolean =>
  state !== 'TASK_STATE_SUBMITTED' && state !== 'TASK_STATE_WORKING'

/** `TASK_STATE_INPUT_REQUIRED` is `input-required`. */
const olderState = (state: TaskState): string =>
  state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')

function olderPart({ url, mediaType, filename, ...part }: A2aPart): object {
  if (url !== undefined)
    return { kind: 'file', file: { uri: url, mimeType: mediaType, name: filename } }
  return { kind: part.text === undefined ? 'data' : 'text', ...part }
}

const olderMessage = (message: A2aMessage): object => ({
  kind: 'message',
  ...message,
  role: message.role === 'ROLE_USER' ? 'user' : 'agent',
  parts: message.parts.map(olderPart),
})

const olderArtifact = (artifact: Artifact): object => ({
  ...artifact,
  parts: artifact.parts.map(olderPart),
})

const olderStatus = ({ state, message, ...status }: TaskStatus): object => ({
  ...status,
  state: olderState(state),
  ...(message ? { message: olderMessage(message) } : {}),
})

const olderTask = ({ status, artifacts, history, ...task }: Task): object => ({
  kind: 'task',
  ...task,
  status: olderStatus(status),
  ...(artifacts ? { artifacts: artifacts.map(olderArtifact) } : {}),
  ...(history ? { history: history.map(olderMessage) } : {}),
})
