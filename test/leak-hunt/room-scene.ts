/** Two tenants with threads of the same names, whose conversations are summed up again and again; what each is shown of it, and what the model is asked. */
import { z } from 'zod'
import { keyMaker, showing } from '../../packages/server/test/support/key-maker.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { scopes } from '../../packages/server/src/keys/scope.ts'
import { type Flock } from './canary.ts'
import { textsOf } from './other-wires.ts'
import type { Remains } from './remains.ts'
import { givenName, readTo, roomAgents, stopFor } from './room.ts'
import type { Processes } from './scene.ts'

export interface Tenant {
  readonly name: string
  /** Stands in the words of its users, and in what its tools answer. */
  readonly marks: Flock
  /** Stands in the files that its threads are given. */
  readonly files: Flock
  readonly headers: Readonly<Record<string, string>>
}

/** A tenant with a key for everything. */
export async function newTenant(
  adminUrl: string,
  name: string,
  flocks: Pick<Tenant, 'marks' | 'files'>,
): Promise<Tenant> {
  const { text } = await keyMaker(adminUrl).make(name, scopes)
  return { name, ...flocks, headers: showing(text) }
}

const Event = z.looseObject({ type: z.string(), payload: z.looseObject({}) })
const Log = z.looseObject({ events: z.array(Event) })

/** The answers that a tenant gets about a thread, the outcomes of its runs, and the types of its events: of a summary also how it was made. */
export interface Played {
  readonly threadId: string
  readonly remains: readonly Remains[]
  readonly outcomes: readonly string[]
  readonly types: readonly string[]
}

/** The names of threads: one for each agent, and for each page before which the provider cuts an answer for the first time. */
export const roomThreads = (starts: readonly number[]) =>
  roomAgents.flatMap((agent) =>
    starts.map((start) => ({ agent, start, threadId: `${agent}-${start}` })),
  )
type RoomThread = ReturnType<typeof roomThreads>[number]

/**
 * Seven runs on a thread: it is read, cut, read on, cut once more; and between them summed up by hand. Some threads begin with the cut. Answers
 * everything that the tenant is shown of it.
 */
async function playThread(
  { api }: Pick<Processes, 'api'>,
  { marks, files, headers, name }: Tenant,
  { agent, start, threadId }: RoomThread,
): Promise<Played> {
  const remains: Remains[] = []
  const keep = (where: string, text: string): void =>
    void remains.push({ where: `${name}: ${where}`, bytes: Buffer.from(text) })
  const outcomes: string[] = []
  const runs: string[] = []
  const mark = marks.next()
  const get = async (path: string): Promise<unknown> => {
    const { body } = await patiently(() => call(api, 'GET', path, { headers }))
    keep(path, JSON.stringify(body))
    return body
  }
  const give = async (): Promise<string> => {
    const thread = { thread_id: threadId }
    await patiently(() => call(api, 'POST', '/threads', { headers, body: thread }))
    const form = new FormData()
    form.append('files', new Blob([`A file of ${files.next()}.`]), givenName)
    const path = `${api}/threads/${threadId}/uploads`
    const response = await patiently(() => fetch(path, { method: 'POST', headers, body: form }))
    const [{ upload_id: id }] = Uploaded.parse(await response.json())
    return id
  }
  const say = async (words: string, given: readonly string[] = []): Promise<void> => {
    const input = given.length > 0 ? { prompt: words, files: given } : words
    const key = { 'idempotency-key': crypto.randomUUID() }
    const response = await patiently(() =>
      fetch(`${api}/threads/${threadId}/runs/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...key, ...headers },
        body: JSON.stringify({ assistant_id: agent, input, stream_mode: 'signalbox' }),
      }),
    )
    const text = await response.text()
    if (!response.ok) throw new Error(`${threadId}: ${text}`)
    const data = text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line): unknown => JSON.parse(line.slice('data: '.length)))
    keep(`the stream of ${threadId}`, `${text}\n${data.flatMap(textsOf).join('')}`)
    const { run_id: runId } = Begun.parse(data[0])
    runs.push(runId)
    outcomes.push(Joined.parse(await get(`/runs/${runId}/join`)).outcome)
  }
  /** A thread that has nothing to sum up says so. */
  const compact = async (): Promise<void> => {
    const path = `/threads/${threadId}/compact`
    const key = { 'idempotency-key': crypto.randomUUID() }
    const asking = { headers: { ...headers, ...key }, body: {} }
    const { status, body } = await patiently(() => call(api, 'POST', path, asking))
    keep(path, JSON.stringify(body))
    if (status !== 200 && status !== 422) throw new Error(`${path}: ${status}`)
    const { data } = Begun.safeParse(body)
    if (data) runs.push(data.run_id)
  }
  const first = [readTo(start, mark), stopFor(mark)]
  const [one = '', other = ''] = start % 2 === 0 ? first.toReversed() : first
  await say(one, [await give()])
  await say(other)
  await say(readTo(start + 3, mark))
  await compact()
  await say(readTo(start + 7, mark))
  await say(stopFor(mark))
  await say(readTo(start + 9, mark))
  await compact()
  await say(readTo(start + 14, mark))
  const types: string[] = []
  for (const runId of runs) {
    const log = Log.parse(await get(`/runs/${runId}/events?limit=1000`))
    types.push(...log.events.map(typeOf))
    for (const what of ['report', 'explanation']) await get(`/runs/${runId}/${what}`)
  }
  for (const what of ['', '/context', '/files', '/state', '/history'])
    await get(`/threads/${threadId}${what}`)
  return { threadId, remains, outcomes, types }
}

const Uploaded = z.tuple([z.looseObject({ upload_id: z.string() })])
const Begun = z.looseObject({ run_id: z.string() })
const Joined = z.looseObject({ outcome: z.string() })

/** A server that is too busy is asked again. */
const patiently = <Answer extends { readonly status: number }>(
  asking: () => Promise<Answer>,
): Promise<Answer> =>
  eventually(async () => {
    const answer = await asking()
    return answer.status === 503 ? undefined : answer
  }, patienceMs)

const patienceMs = 300_000

/** The type of an event, of a summary with how it was asked for. */
const typeOf = ({ type, payload }: z.output<typeof Event>): string =>
  type === 'context.compacted' ? `${type} ${String(payload['how'])}` : type

/** Plays threads, so many at once. */
export async function playThreads(
  processes: Pick<Processes, 'api'>,
  tenants: readonly Tenant[],
  threads: readonly RoomThread[],
): Promise<readonly Played[]> {
  const waiting = threads.flatMap((thread) => tenants.map((tenant) => ({ thread, tenant })))
  const played: Played[] = []
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      played.push(await playThread(processes, next.tenant, next.thread))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return played
}

const lanes = 4
