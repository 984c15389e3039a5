/**
 * A person names a thread while its run goes on, whose agent would have a model name it. Whatever is killed meanwhile: the title of the person
 * stands, and its request is repeated until it is answered.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Client } from './client.ts'
import { create, type Part } from './sending.ts'

const pauseMs = 100
const given = 'Named by a person'

const Run = z.looseObject({ outcome: z.string().nullable() })
const Thread = z.looseObject({ metadata: z.looseObject({ title: z.string().optional() }) })
const Feed = z.looseObject({ events: z.array(z.looseObject({ type: z.string() })) })

export const naming: Part = async (setting) => {
  const { client, name } = setting
  const thread = `/threads/${name}-naming`
  // The model takes its time, so that the person is there before the title that it is asked for.
  const plan = { name: 'naming', turns: [['look']], delayMs: 300 }
  const runId = await create(setting, plan, { agent: 'namer' })
  const { status } = await client.request('PATCH', thread, {
    body: { title: given },
    headers: { 'x-user': 'requester' },
  })
  if (status !== 200) throw new Error(`a title was refused: ${status}`)
  if ((await endOf(client, `${thread}/runs/${runId}`)) === 'completed') await titled(client, runId)
  const { metadata } = Thread.parse((await client.request('GET', thread)).body)
  if (metadata.title !== given)
    client.complaints.push(
      `the thread of ${runId} was named by a person, and is called ${metadata.title}`,
    )
}

async function endOf(client: Client, run: string): Promise<string> {
  for (;;) {
    const { outcome } = Run.parse((await client.request('GET', run)).body)
    if (outcome !== null) return outcome
    await sleep(pauseMs)
  }
}

/** Waits for the note on a title that follows the end of the run. The worker that makes it may be killed: another one does then. */
async function titled(client: Client, runId: string): Promise<void> {
  const notes = ['thread.titled', 'title.unchanged']
  for (;;) {
    const { body } = await client.request('GET', `/runs/${runId}/events?limit=1000`)
    const types = Feed.parse(body).events.map(({ type }) => type)
    const end = types.lastIndexOf('run.transitioned')
    if (types.slice(end).some((type) => notes.includes(type))) return
    await sleep(pauseMs)
  }
}
