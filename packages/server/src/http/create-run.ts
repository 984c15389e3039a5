/** From the body of a create to a run in the register. */
import { createHash } from 'node:crypto'
import { limits, type UserMessage } from '@signalbox/core'
import { canonical, type Caller, uuidOf } from '@signalbox/engine'
import type { Api, Identified } from './api.ts'
import { findAgent, unknownThread } from './find.ts'
import { Problem } from './problem.ts'
import { isId } from './wire/ids.ts'
import { iso } from './wire/iso.ts'
import { messagesOf, type RunCreate } from './wire/run-create.ts'

export interface CreateRequest {
  readonly body: RunCreate
  /** Null for a run without a thread of its own: it gets a new one. */
  readonly threadId: string | null
  /** The Idempotency-Key header as it came. */
  readonly idempotencyKey: string | undefined
}

/** A run that is durably there: made by this request, or by an earlier one with the same key. */
export interface CreatedRun {
  readonly runId: string
  readonly isNew: boolean
}

/** Creates a run, or finds the one that an earlier request with the same key and meaning made. */
export async function createRun(
  api: Api,
  caller: Identified,
  request: CreateRequest,
): Promise<CreatedRun> {
  const { body } = request
  const definition = findAgent(api, body.assistant_id)
  const key = readKey(request.idempotencyKey)
  const threadId = request.threadId ?? ownThread(api, caller, key)
  await ensureThread(api, caller, { threadId, mustExist: isStrict(request) })
  const input = messagesOf(body.input)
  const { metadata } = body
  const answer = await api.commands.createRun({
    ...caller,
    threadId,
    definition,
    input: userMessages(api, input),
    metadata,
    alias: key === null ? null : { key, bodyHash: meaningOf(request, caller) },
  })
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

/** Keys of this form are given by the engine alone: `child:<effect id>`. */
const childPrefix = 'child:'

function readKey(header: string | undefined): string | null {
  if (header === undefined) return null
  // The draft standard writes the key as a quoted text; most clients do not.
  const key = header.trim().replace(/^"(.*)"$/, '$1')
  if (key.startsWith(childPrefix))
    throw new Problem('invalid_header', {
      detail: `Keys that begin with "${childPrefix}" name runs that runs have started. Use another one.`,
      field: 'idempotency-key',
    })
  if (isId(key)) return key
  throw new Problem('invalid_header', {
    detail: `Idempotency-Key takes 1 to ${limits.idCharsMax} of A-Z a-z 0-9 . _ : -`,
    field: 'idempotency-key',
  })
}

/** A repeated create must not make a second thread, so with a key the thread's id follows from it. */
function ownThread(api: Api, caller: Caller, key: string | null): string {
  if (key === null) return api.random.uuid()
  return uuidOf(`thread of ${caller.tenantId} ${key}`)
}

async function ensureThread(
  api: Api,
  caller: Caller,
  thread: { readonly threadId: string; readonly mustExist: boolean },
): Promise<void> {
  const { threadId, mustExist } = thread
  if (mustExist) {
    if (!(await api.read.thread(caller.tenantId, threadId))) throw unknownThread(threadId)
    return
  }
  const stands = await api.threads.ensureThread({
    threadId,
    tenantId: caller.tenantId,
    metadata: {},
    createdAt: api.now(),
    contentKey: api.random.hex(32),
  })
  if (!stands) throw unknownThread(threadId)
}

const userMessages = (
  api: Pick<Api, 'random'>,
  input: ReturnType<typeof messagesOf>,
): readonly UserMessage[] =>
  input.map(({ id, role, texts }) => ({
    id: id ?? `u_${api.random.uuid()}`,
    role,
    parts: texts.map((text) => ({ type: 'text', text })),
  }))

/** What a request means, as a digest: two spellings of the same JSON agree, fields without effect do not count. */
function meaningOf({ body, threadId }: CreateRequest, { user }: Identified): string {
  const { assistant_id, metadata, if_not_exists } = body
  const input = messagesOf(body.input)
  // For somebody else it is another request.
  const whose = user === undefined ? {} : { user: user.id }
  const meaning = { assistant_id, metadata, if_not_exists, input, threadId, ...whose }
  return createHash('sha256').update(canonical(meaning)).digest('hex')
}
