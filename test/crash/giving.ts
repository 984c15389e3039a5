/**
 * A user gives files to a run, and changes some by hand when it has ended. Whatever is killed meanwhile: the upload is repeated until it is there,
 * a call finds what was given whole, and the thread has each file once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Client } from './client.ts'
import { aboutText, givenPath, givenText, keptPath } from './given.ts'
import { create, type Part, type Setting } from './sending.ts'

const pauseMs = 100
const notes = 'notes/plan.txt'
const aside = 'uploads/aside.txt'

const Uploaded = z.array(z.object({ upload_id: z.string() }))
const Seen = z.looseObject({ run_id: z.string(), outcome: z.string().nullable() })
const Files = z.array(z.looseObject({ path: z.string() }))

export const giving: Part = async (setting) => {
  const { client, name } = setting
  const threadId = `${name}-giving`
  const thread = `/threads/${threadId}`
  await client.request('POST', '/threads', {
    body: { thread_id: threadId, if_exists: 'do_nothing' },
  })
  const files = await upload(setting, thread)
  const plan = { name: 'giving', turns: [['keep', 'look'], ['keep']] }
  const runId = await create(setting, plan, { agent: 'keeper', files })
  const outcome = await endOf(client, `${thread}/runs/${runId}`)
  await edit(setting, { method: 'PUT', thread, path: notes })
  await edit(setting, { method: 'DELETE', thread, path: aside })
  await look(setting, { thread, isCompleted: outcome === 'completed' })
}

/** Repeats the request until it is answered: each time it is another upload, and only one is named. */
async function upload({ client, name }: Setting, thread: string): Promise<readonly string[]> {
  const raw = new FormData()
  raw.append('files', new Blob([givenText(name)]), 'given.txt')
  raw.append('files', new Blob(['aside']), 'aside.txt')
  const { status, body } = await client.request('POST', `${thread}/uploads`, { raw })
  if (status !== 201) throw new Error(`an upload was refused: ${status} ${JSON.stringify(body)}`)
  return Uploaded.parse(body).map((each) => each.upload_id)
}

async function endOf(client: Client, run: string): Promise<string> {
  for (;;) {
    const { outcome } = Seen.parse((await client.request('GET', run)).body)
    if (outcome !== null) return outcome
    await sleep(pauseMs)
  }
}

/** Makes an edit, once, however often it is asked for; until the thread is free for it. */
async function edit(
  { client, name }: Setting,
  {
    method,
    thread,
    path,
  }: { readonly method: 'PUT' | 'DELETE'; readonly thread: string; readonly path: string },
): Promise<void> {
  const key = `${name}-${method.toLowerCase()}`
  const address = `${thread}/files/${encodeURIComponent(path)}`
  const sent = {
    headers: { 'idempotency-key': key, 'x-user': 'requester' },
    ...(method === 'PUT' ? { raw: 'Ask Ada.' } : {}),
  }
  for (;;) {
    const { status, body } = await client.request(method, address, sent)
    if (status < 300) break
    if (!isBusy(body)) throw new Error(`an edit was refused: ${status} ${JSON.stringify(body)}`)
    await sleep(pauseMs)
  }
  const made = await client.request('GET', `${thread}/runs/${key}`)
  client.created.set(key, Seen.parse(made.body).run_id)
}

const isBusy = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'code' in body && body.code === 'thread_busy'

/** The thread has what was given, kept and written, whole, and no more. */
async function look(
  { client, name }: Setting,
  { thread, isCompleted }: { readonly thread: string; readonly isCompleted: boolean },
): Promise<void> {
  const about = aboutText(givenText(name))
  const expected = new Map([
    [givenPath, about],
    [notes, aboutText('Ask Ada.')],
    ...[0, 10].map((n) => [keptPath(n), aboutText(about)] as const),
  ])
  const listed = await client.request('GET', `${thread}/files?sha256=1`)
  const found = Files.parse(listed.body).map(
    ({ path, bytes, sha256 }) => [path, `${String(bytes)} bytes, ${String(sha256)}`] as const,
  )
  for (const [path, is] of found)
    if (expected.get(path) !== is)
      client.complaints.push(`I26 ${path} of ${thread} is ${is} instead of ${expected.get(path)}`)
  const paths = new Set(found.map(([path]) => path))
  for (const path of expected.keys())
    if (!paths.has(path) && (isCompleted || !path.startsWith('outputs/')))
      client.complaints.push(`I26 ${path} of ${thread} is not there`)
}
