/** From the body of a create to a run in the register. */
import { type EditMessage, type JsonObject, limits, seesImages } from '@signalbox/core'
import { type Caller, type CreateAnswer, type Moment, uuidOf } from '@signalbox/engine'
import type { Api, Asker } from './api.ts'
import { type BroughtFile, filesOfInput, withBrought } from './brought-files.ts'
import { declaredFields } from './declared-fields.ts'
import { unknownThread } from './find.ts'
import { givenFiles } from './given-files.ts'
import { findAssistant, type FoundAssistant, withinRecursion } from './find-assistant.ts'
import { meaningOf } from './meaning-of-create.ts'
import { newThread } from './new-thread.ts'
import { Problem } from './problem.ts'
import { checkWebhook } from './webhook.ts'
import { isId } from './wire/ids.ts'
import { assistantUuid } from '../wires/langgraph/assistant-id.ts'
import { momentOfId } from '../wires/langgraph/moments.ts'
import { newMessages, type NewInput, refuseAnswered } from '../wires/langgraph/new-messages.ts'
import { isDefault } from '../wires/langgraph/stream/modes.ts'
import { iso } from './wire/iso.ts'
import { baseOf, type RunCreate, uploadsIn } from './wire/run-create.ts'

export interface CreateRequest {
  readonly body: RunCreate
  /** Null for a run without a thread of its own: it gets a new one. */
  readonly threadId: string | null
  /** The Idempotency-Key header as it came. */
  readonly idempotencyKey: string | undefined
  /** A key of the server's own, in the place of the header. */
  readonly ownKey?: string
  /** Files that stand in the message itself. */
  readonly brought?: readonly BroughtFile[]
}

/** What a create stands on. */
export type CreateDeps = Pick<
  Api,
  | 'agents'
  | 'commands'
  | 'directories'
  | 'lanesOf'
  | 'now'
  | 'random'
  | 'read'
  | 'resources'
  | 'threads'
  | 'webhooks'
>

/** A run that is durably there: made by this request, or by an earlier one with the same key. */
export interface CreatedRun {
  readonly runId: string
  readonly isNew: boolean
}

/** Creates a run, or finds the one that an earlier request with the same key and meaning made. */
export async function createRun(
  api: CreateDeps,
  caller: Asker,
  request: CreateRequest,
): Promise<CreatedRun> {
  const found = await findAssistant(api, caller, request.body.assistant_id)
  const ready = readyCreate(api, caller, { request, found })
  const { threadId } = ready
  const metadata = threadMarks(found)
  await ensureThread(api, caller, { threadId, mustExist: isStrict(request), metadata })
  return enterRun(api, caller, ready)
}

/** A create whose agent and thread are known. */
export interface ReadyCreate {
  readonly request: CreateRequest
  readonly found: FoundAssistant
  readonly key: string | null
  readonly threadId: string
  /** What the client says of the run. */
  readonly fields: JsonObject
}

/** Says which thread a create is about. @throws Problem `invalid_header`, and for a field that cannot be taken */
export function readyCreate(
  api: Pick<Api, 'random'>,
  caller: Caller,
  { request, found }: Pick<ReadyCreate, 'request' | 'found'>,
): ReadyCreate {
  const key = request.ownKey ?? readIdempotencyKey(request.idempotencyKey)
  const fields = { ...found.fields, ...declaredFields(found.definition, request.body) }
  const threadId = request.threadId ?? ownThread(api, caller, key)
  return { request, found, key, threadId, fields }
}

/** Creates the run of a thread that is there, or finds the one that an earlier request made. */
export async function enterRun(
  api: CreateDeps,
  caller: Asker,
  ready: ReadyCreate,
): Promise<CreatedRun> {
  const { key, threadId, request } = ready
  const { tenantId } = caller
  const from = baseOf(request.body)
  const base = from === null ? null : await momentOfId(api.read, tenantId, from)
  if (from !== null && base === null) throw noCheckpoint()
  const place = { tenantId, threadId, checkpointId: from, key }
  const news = await newMessages(api.read, place, request.body.input)
  if (from !== null && news.own.length === 0)
    await refuseAnswered(api.read, { ...place, checkpointId: from })
  const files = [...(request.brought ?? []), ...filesOfInput(news.files)]
  // A request that is repeated means the run that is there: the register finds it, whatever it is given.
  const isKnown = files.length > 0 && key !== null && (await api.read.run(tenantId, key)) !== null
  const act = (brought: readonly string[]) =>
    enterGiven(api, caller, { ...ready, base, news, brought })
  return withBrought(api, caller, { threadId, files: isKnown ? [] : files, act })
}

/** A create of which it is known what it says that is new, and where. */
interface PlacedCreate extends ReadyCreate {
  readonly base: Moment | null
  readonly news: NewInput
  /** The uploads that were made of its files. */
  readonly brought: readonly string[]
}

/** The same, with uploads that were made for it. */
async function enterGiven(
  api: CreateDeps,
  caller: Asker,
  { request, found, key, threadId, fields, base, news, brought }: PlacedCreate,
): Promise<CreatedRun> {
  const { body } = request
  const { own, history } = news
  const recursionLimit = body.config?.recursion_limit ?? null
  const { definition, marks } = withinRecursion(found, recursionLimit)
  const { multitask_strategy: multitask, after_seconds: seconds } = body
  const told = checkWebhook(api.webhooks, body.webhook)
  const metadata = { ...body.metadata, ...marks }
  const uploadIds = [...uploadsIn(body.input), ...brought]
  const isInline = definition.uploads?.inline === true
  const sees = seesImages(definition, 0)
  const named = { threadId, base, uploadIds, key, isInline, seesImages: sees }
  const files = await givenFiles(api, caller, named)
  const answer = await api.commands.createRun({
    ...caller,
    threadId,
    definition,
    input: stored(api, own),
    ...(history.length > 0 ? { history: stored(api, history) } : {}),
    ...(files.length > 0 ? { files: [...files] } : {}),
    metadata,
    multitask,
    priority: body.priority,
    lanes: api.lanesOf({ agent: definition.name, ...caller }),
    delayMs: Math.round(seconds * 1000),
    ...(base ? { base } : {}),
    ...clientOf(body),
    ...saidOf(fields),
    ...(body.interactive === false ? { interactive: false } : {}),
    ...told,
    ...(body.memory === 'off' ? { memory: 'off' as const } : {}),
    alias: key === null ? null : { key, bodyHash: meaningOf(request, caller, fields) },
  })
  return runOrProblem(api, answer, { threadId, key })
}

/** The request that a create was made for. */
interface Asked {
  readonly threadId: string
  readonly key: string | null
  /** It is no create of a client, which says by `multitask_strategy` what is to become of the runs that are there. */
  readonly isEdit?: boolean
}

/** What became of a create: the run, or the problem that says why there is none. */
export function runOrProblem(
  api: Pick<Api, 'now'>,
  answer: CreateAnswer,
  { threadId, key, isEdit = false }: Asked,
): CreatedRun {
  switch (answer.code) {
    case 'created':
      return { runId: answer.runId, isNew: true }
    case 'existing':
      return { runId: answer.runId, isNew: false }
    case 'conflict':
      throw new Problem('idempotency_conflict', {
        detail: `The key "${key}" was used for another request. Use a new key for a new request.`,
        field: 'idempotency-key',
        more: { run_id: answer.runId },
      })
    case 'busy':
      throw isEdit ? taken(threadId) : busy()
    case 'no_base':
      throw noCheckpoint()
    case 'thread_full':
      throw new Problem('thread_full', {
        detail: `${limits.queuedPerThreadMax} runs wait on the thread ${threadId} already.`,
        headers: { 'retry-after': '5' },
      })
    case 'no_thread':
      throw unknownThread(threadId)
    case 'held':
      throw held(api, answer.until)
    case 'no_parent':
      throw new Error('unreachable: no run has asked for this one')
    case 'rejected':
      throw new Error(`the register rejected a create: ${answer.detail}`)
  }
}

/** In the words of LangGraph's server. */
const busy = (): Problem =>
  new Problem('thread_busy', {
    detail:
      'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
    field: 'multitask_strategy',
  })

const taken = (threadId: string): Problem =>
  new Problem('thread_busy', {
    detail: `A run of the thread ${threadId} is under way, or waits. Try again when it has ended, or cancel it.`,
    field: 'thread_id',
  })

const saidOf = (fields: JsonObject) => (Object.keys(fields).length === 0 ? {} : { fields })

/** What a client that comes back to the run takes for granted. */
function clientOf({ stream_mode: modes, config }: RunCreate) {
  const recursionLimit = config?.recursion_limit ?? null
  const client = {
    ...(isDefault(modes) ? {} : { streamModes: [...modes] }),
    ...(recursionLimit === null ? {} : { recursionLimit }),
  }
  return Object.keys(client).length === 0 ? {} : { client }
}

/** What a thread says of the agent of its first run: pages of LangGraph search their threads by it. */
export const threadMarks = ({ definition, marks }: FoundAssistant): JsonObject => ({
  graph_id: definition.name,
  assistant_id: marks['assistant_id'] ?? assistantUuid(definition.name),
})

/** For a checkpoint that the thread has not heard. */
export const noCheckpoint = (): Problem =>
  new Problem('unknown_checkpoint', {
    detail: 'There is no such checkpoint. Use one of GET /threads/{thread_id}/history.',
    field: 'checkpoint_id',
  })

function held(api: Pick<Api, 'now'>, until: number): Problem {
  const seconds = Math.max(1, Math.ceil((until - api.now()) / 1000))
  return new Problem('user_held', {
    detail: `Too many runs of this end user were stopped for safety. The next may start at ${iso(until)}.`,
    headers: { 'retry-after': String(seconds) },
    more: { until: iso(until) },
  })
}

const isStrict = (request: CreateRequest): boolean =>
  request.threadId !== null && request.body.if_not_exists === 'reject'

/** Keys of these forms are given by the server alone: `child:<effect id>`, `cron:<cron id>:<ms>`, `learn:<thread>:<run id>`, `retry:<run id>`. */
const ownPrefixes = ['child:', 'cron:', 'learn:', 'retry:']

/** The Idempotency-Key header, checked; null without one. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  // The draft standard writes the key as a quoted text; most clients do not.
  const key = header.trim().replace(/^"(.*)"$/, '$1')
  if (ownPrefixes.some((prefix) => key.startsWith(prefix)))
    throw new Problem('invalid_header', {
      detail: `Keys that begin with ${ownPrefixes.map((prefix) => `"${prefix}"`).join(' or ')} name runs that runs have started, crons, learnings, or retries. Use another one.`,
      field: 'idempotency-key',
    })
  if (isId(key)) return key
  throw new Problem('invalid_header', {
    detail: `Idempotency-Key takes 1 to ${limits.idCharsMax} of A-Z a-z 0-9 . _ : -`,
    field: 'idempotency-key',
  })
}

/** A repeated create must not make a second thread, so with a key the thread's id follows from it. */
export function ownThread(api: Pick<Api, 'random'>, caller: Caller, key: string | null): string {
  if (key === null) return api.random.uuid()
  return uuidOf(`thread of ${caller.tenantId} ${key}`)
}

/** Makes the thread unless it is there; one that is there gets what it lacks of the metadata. @throws Problem `unknown_thread` */
export async function ensureThread(
  api: Pick<Api, 'now' | 'random' | 'read' | 'threads'>,
  caller: Caller,
  thread: {
    readonly threadId: string
    readonly mustExist: boolean
    readonly metadata?: JsonObject
  },
): Promise<void> {
  const { threadId, mustExist, metadata = {} } = thread
  const { tenantId } = caller
  const stands = mustExist
    ? await api.read.thread(tenantId, threadId)
    : await api.threads.ensureThread(newThread(api, caller, { threadId, metadata }))
  if (!stands || ('isMemory' in stands && stands.isMemory)) throw unknownThread(threadId)
  const lacks = Object.entries(metadata).filter(([key]) => !Object.hasOwn(stands.metadata, key))
  if (lacks.length === 0) return
  // Where its metadata is full, the thread goes without.
  await api.threads.changeThread({ tenantId, threadId }, { metadata: Object.fromEntries(lacks) })
}

const stored = <Role extends EditMessage['role']>(
  api: Pick<Api, 'random'>,
  said: readonly {
    readonly id?: string | null
    readonly role: Role
    readonly texts: readonly string[]
  }[],
) =>
  said.map(({ id, role, texts }) => ({
    id: id ?? `u_${api.random.uuid()}`,
    role,
    parts: texts.map((text) => ({ type: 'text' as const, text })),
  }))
