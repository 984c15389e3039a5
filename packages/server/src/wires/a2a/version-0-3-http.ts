/**
 * Clients of A2A 0.3 over HTTP+JSON: ProtoJSON of that version's `a2a.proto`, in which a message has `content` and data stands in
 * an object of its own. The objects of JSON-RPC, with `parts` and `kind`, are read as well, since the specification shows both.
 */
import { z } from 'zod'
import type { A2aOperation } from './operations.ts'
import { readRequest } from './requests.ts'
import type { TaskState } from './states.ts'
import type { A2aMessage, A2aPart, Artifact, Task, TaskStatus } from './task.ts'
import { fromOlder, isLast, isTask, isUpdate } from './version-0-3.ts'

const ProtoPart = z.looseObject({
  data: z.looseObject({ data: z.unknown().optional() }).optional(),
  file: z
    .looseObject({
      fileWithBytes: z.string().optional(),
      fileWithUri: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
})

const ProtoSend = z.looseObject({
  message: z.looseObject({ content: z.array(ProtoPart).optional() }),
  configuration: z
    .looseObject({
      blocking: z.boolean().optional(),
      historyLength: z.number().optional(),
      pushNotification: z.unknown().optional(),
    })
    .nullish(),
})

/** Params as 1.0 has them. @throws A2aError that names the first field that is wrong */
export function fromOlderHttp(name: A2aOperation, params: unknown): unknown {
  if (name !== 'SendMessage' && name !== 'SendStreamingMessage') return fromOlder(name, params)
  const { message, configuration, ...rest } = readRequest(ProtoSend, params ?? {})
  const { content, ...about } = message
  if (content === undefined) return fromOlder(name, params)
  const parts = content.map(newerPart)
  return {
    ...rest,
    message: { ...about, parts },
    ...(configuration ? { configuration: wishesOf(configuration) } : {}),
  }
}

function newerPart({ data, file, ...part }: z.output<typeof ProtoPart>): object {
  if (data) return { ...part, data: data.data }
  if (!file) return part
  const { fileWithBytes: raw, fileWithUri: url, name: filename } = file
  return { ...part, filename, ...(raw === undefined ? { url } : { raw }) }
}

/** ProtoJSON leaves out what is false or 0: a configuration that does not block is one that does not wait. */
function wishesOf(configuration: NonNullable<z.output<typeof ProtoSend>['configuration']>) {
  const { blocking = false, historyLength = 0, pushNotification, ...wishes } = configuration
  return {
    ...wishes,
    returnImmediately: !blocking,
    ...(historyLength === 0 ? {} : { historyLength }),
    taskPushNotificationConfig: pushNotification,
  }
}

/** A result, or an update, as 0.3 has it over HTTP. */
export function toOlderHttp(result: unknown): unknown {
  if (isTask(result)) return protoTask(result)
  if (!isUpdate(result)) return result
  if ('task' in result) return { task: protoTask(result.task) }
  if ('artifactUpdate' in result) {
    const { artifact, ...update } = result.artifactUpdate
    return { artifactUpdate: { ...update, artifact: protoArtifact(artifact) } }
  }
  const { status, ...update } = result.statusUpdate
  return { statusUpdate: { ...update, status: protoStatus(status), final: isLast(status) } }
}

/** The proto of 0.3 has another spelling. */
const protoState = (state: TaskState): string =>
  state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state

function protoPart({ text, data, url, mediaType, filename }: A2aPart): object {
  if (url !== undefined) return { file: { fileWithUri: url, mimeType: mediaType, name: filename } }
  return text === undefined ? { data: { data } } : { text }
}

const protoMessage = ({ parts, ...message }: A2aMessage): object => ({
  ...message,
  content: parts.map(protoPart),
})

const protoArtifact = ({ parts, ...artifact }: Artifact): object => ({
  ...artifact,
  parts: parts.map(protoPart),
})

const protoStatus = ({ state, message, ...status }: TaskStatus): object => ({
  ...status,
  state: protoState(state),
  ...(message ? { message: protoMessage(message) } : {}),
})

const protoTask = ({ status, artifacts, history, ...task }: Task): object => ({
  ...task,
  status: protoStatus(status),
  ...(artifacts ? { artifacts: artifacts.map(protoArtifact) } : {}),
  ...(history ? { history: history.map(protoMessage) } : {}),
})
