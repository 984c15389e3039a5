/**
 * A run as a task of A2A's. What the agent does is its own business: a task shows what it said, and what it asks. Every
 * message of the model is an artifact with the id of the message; the last one is the answer.
 */
import { factSchemas, type ImagePart, imagesOf, legible, limits, partWords } from '@signalbox/core'
import type { UserMessage } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import type { Api } from '../../http/api.ts'
import { humansAsked } from '../../http/humans-asked.ts'
import { errorOfRun } from '../../http/run-document.ts'
import { imageAddress } from '../../http/wire/image-address.ts'
import { iso } from '../../http/wire/iso.ts'
import type { RunError } from '../../http/wire/run-error.ts'
import type { Waiting } from '../../http/wire/run-view.ts'
import { type ChatMessage, chatWords } from '../langgraph/messages.ts'
import { lastStep } from '../langgraph/state.ts'
import { stepTypes } from '../langgraph/state-steps.ts'
import { type TaskState, taskState } from './states.ts'

export interface A2aPart {
  readonly text?: string
  readonly data?: unknown
  /** Where the image is that the part shows, below the address of the API. */
  readonly url?: string
  readonly mediaType?: string
  readonly filename?: string
}

export interface A2aMessage {
  readonly messageId: string
  readonly contextId: string
  readonly taskId: string
  readonly role: 'ROLE_USER' | 'ROLE_AGENT'
  readonly parts: readonly A2aPart[]
}

export interface Artifact {
  readonly artifactId: string
  readonly parts: readonly A2aPart[]
}

export interface TaskStatus {
  readonly state: TaskState
  readonly timestamp: string
  readonly message?: A2aMessage
}

export interface Task {
  readonly id: string
  readonly contextId: string
  readonly status: TaskStatus
  readonly artifacts?: readonly Artifact[]
  readonly history?: readonly A2aMessage[]
  readonly metadata: object
}

/** What of a task somebody wants to see. */
export interface TaskWish {
  /** Messages of the history, at most; 0 leaves it out. */
  readonly historyLength?: number | undefined
  readonly withArtifacts?: boolean
}

/** The document of a task, as of the head that was read. */
export async function taskOf(
  api: Pick<Api, 'read'>,
  head: RunHead,
  { historyLength, withArtifacts = true }: TaskWish = {},
): Promise<Task> {
  const { runId } = head
  const [events, status] = await Promise.all([
    withArtifacts || historyLength !== 0 ? stepsOf(api, head) : [],
    statusOf(api, head),
  ])
  const input = historyLength === 0 ? [] : events.flatMap(inputOf)
  const history = historyLength === undefined ? input : input.slice(-historyLength)
  return {
    id: runId,
    contextId: head.threadId,
    status,
    ...(withArtifacts ? { artifacts: artifactsOf(events) } : {}),
    ...(history.length > 0 ? { history: history.map((said) => messageOf(head, said)) } : {}),
    metadata: {
      signalbox: { outcome: head.outcome, state: head.stateName, ...lastStep(events)?.artifacts },
    },
  }
}

/** Where a task stands; of one that waits, what for, and of one that failed, why. */
export async function statusOf(api: Pick<Api, 'read'>, head: RunHead): Promise<TaskStatus> {
  const status = { state: taskState(head), timestamp: iso(head.updatedAt) }
  const [waiting, error] = await Promise.all([
    humansAsked(api.read, head),
    errorOfRun(api.read, head),
  ])
  if (error) return { ...status, message: failure(head, error) }
  if (waiting.length === 0) return status
  return { ...status, message: question(head, waiting) }
}

const failure = ({ runId, threadId, seq }: RunHead, error: RunError): A2aMessage => ({
  messageId: `f_${runId}_${seq}`,
  contextId: threadId,
  taskId: runId,
  role: 'ROLE_AGENT',
  parts: [{ text: error.message }, { data: error }],
})

function question({ runId, threadId, seq }: RunHead, waiting: readonly Waiting[]): A2aMessage {
  const asked = waiting.flatMap((each) => (each.for === 'input' ? [each.question] : []))
  const decided = waiting.flatMap((each) => (each.for === 'input' ? [] : [each.tool ?? 'a call']))
  const decides = `Somebody must decide about: ${decided.join(', ')}. Answer with a data part for each.`
  const text = [...asked, ...(decided.length > 0 ? [decides] : [])].join('\n')
  return {
    messageId: `q_${runId}_${seq}`,
    contextId: threadId,
    taskId: runId,
    role: 'ROLE_AGENT',
    parts: [{ text }, ...waiting.map((each) => ({ data: each }))],
  }
}

function inputOf({ type, payload, salt }: StoredEvent): readonly UserMessage[] {
  if (salt === '') return []
  if (type === 'input.injected') return factSchemas[type].parse(payload).messages
  if (type !== 'run.created') return []
  const { input, files } = factSchemas[type].pick({ input: true, files: true }).parse(payload)
  const last = input.at(-1)
  const images = files ? imagesOf(files) : []
  // They stand behind the last of the words that they came with.
  return last ? [...input.slice(0, -1), { ...last, parts: [...last.parts, ...images] }] : []
}

const messageOf = ({ runId, threadId }: RunHead, { id, parts }: UserMessage): A2aMessage => ({
  messageId: id,
  contextId: threadId,
  taskId: runId,
  role: 'ROLE_USER',
  parts: parts.map((part) =>
    part.type === 'image' ? imagePart(threadId, part) : { text: partWords(part) },
  ),
})

const imagePart = (threadId: string, image: ImagePart): A2aPart => ({
  url: imageAddress(threadId, image),
  mediaType: image.mime,
  ...(image.name === undefined ? {} : { filename: image.name }),
})

/** What was said in the run; what was said before it on the thread is not part of it. */
const artifactsOf = (events: readonly StoredEvent[]): readonly Artifact[] =>
  (lastStep(events)?.messages ?? []).filter(isSaid).map(artifactOf)

/** The events of the run that its messages are folded from, up to the head. */
async function stepsOf(api: Pick<Api, 'read'>, head: RunHead): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let after = 0; after < head.seq;) {
    const page = { after, limit: limits.pageMax }
    const found = await api.read.runEvents(head.tenantId, head.runId, page)
    const last = found.at(-1)
    if (!last) break
    after = last.seq
    const steps = found.filter(({ type, seq }) => seq <= head.seq && stepTypes.includes(type))
    events.push(...steps.map(legible))
  }
  return events
}

/** Does it say anything that others may read? */
export const isSaid = (message: ChatMessage): boolean =>
  message.type === 'ai' && message.content !== ''

/** A message of the model as an artifact. */
export const artifactOf = (message: ChatMessage): Artifact => ({
  artifactId: message.id,
  parts: [{ text: chatWords(message) }],
})
