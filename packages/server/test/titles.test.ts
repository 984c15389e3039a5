/**
 * Titles over HTTP, on a real Postgres. Would catch: a title that no list shows, a person's that a run takes back, a copy without its
 * title, tokens that nobody counts, a setting that is wrong and silent.
 */
import type { Prompt } from '@signalbox/core'
import { parseConfig } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownTo, threadView } from '../src/http/wire/thread-view.ts'
import type { Scope } from '../src/keys/scope.ts'
import { call, eventually } from './support/http.ts'
import { lastWords } from './support/last-words.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const scripted = (model: string) => ({ provider: 'scripted', model }) as const
const price = { inputPerMTok: 1_000_000, outputPerMTok: 1_000_000 }

let box: TestSignalbox

const isAskedForTitle = (prompt: Prompt): boolean => lastWords(prompt).startsWith('Name the')

beforeAll(async () => {
  box = await startTest({
    agents: {
      named: { model: { ...scripted('speaking'), price }, title: { maxWords: 5 } },
      worded: { model: scripted('speaking'), title: 'words' },
      plain: { model: scripted('speaking') },
      shy: { model: scripted('shy'), title: {} },
      guarded: {
        model: scripted('leaking'),
        title: {},
        guardrails: { stream: [{ use: 'banned-terms', terms: ['canary'], action: 'fail' }] },
      },
    },
    scripts: {
      speaking: (prompt) =>
        isAskedForTitle(prompt) ? { text: 'Quarterly report' } : { text: 'Here it is.' },
      shy: (prompt) =>
        isAskedForTitle(prompt) ? { text: "I'm sorry, I can't" } : { text: 'Here it is.' },
      leaking: (prompt) =>
        isAskedForTitle(prompt) ? { text: 'Report of the canary' } : { text: 'Here it is.' },
    },
  })
})
afterAll(() => box?.stop())

const get = async (path: string) => (await call(box.api, 'GET', path)).body
const patch = (thread: string, body: object) =>
  call(box.api, 'PATCH', `/threads/${thread}`, { body })

async function said(agent: string, input = '# Write a report\nof the quarter') {
  const { body: thread } = await call(box.api, 'POST', '/threads', { body: {} })
  const { thread_id } = thread
  const body = { assistant_id: agent, input }
  const run = await call(box.api, 'POST', `/threads/${thread_id}/runs`, { body })
  expect(run.status).toBe(200)
  return { thread: String(thread_id), run: String(run.body.run_id) }
}

const events = (run: string, type: string) =>
  eventually(async () => {
    const found = await get(`/runs/${run}/events`)
    return found.events?.find((each: { type: string }) => each.type === type)
  })

const titled = (thread: string, title: string) =>
  eventually(async () => {
    const found = await get(`/threads/${thread}`)
    return found.metadata.title === title ? found : undefined
  })

describe('a title is shown where clients look', () => {
  it('by words with the run, by the model afterwards: thread, list, search, values, state', async () => {
    const { thread } = await said('named')
    const found = await titled(thread, 'Quarterly report')
    expect(found.values.title).toBe('Quarterly report')
    expect((await get(`/threads/${thread}/state`)).values.title).toBe('Quarterly report')
    const listed = (await get('/threads?limit=100')).find(
      (each: { thread_id: string }) => each.thread_id === thread,
    )
    expect(listed.metadata.title).toBe('Quarterly report')
    const search = await call(box.api, 'POST', '/threads/search', { body: { ids: [thread] } })
    expect(search.body[0].metadata.title).toBe('Quarterly report')
    expect(search.body[0].values.title).toBe('Quarterly report')
  })

  it('by words alone, and not at all', async () => {
    const { thread } = await said('worded')
    expect((await get(`/threads/${thread}`)).metadata.title).toBe('Write a report')
    const plain = await said('plain')
    expect((await get(`/threads/${plain.thread}`)).metadata).not.toHaveProperty('title')
    const values = (await get(`/threads/${plain.thread}/state`)).values
    expect(values).not.toHaveProperty('title')
  })

  it('of a run that is deleted, nothing: neither its words nor what a model made of them', async () => {
    for (const agent of ['worded', 'named']) {
      const { thread, run } = await said(agent)
      await titled(thread, agent === 'named' ? 'Quarterly report' : 'Write a report')
      await box.settled()
      expect((await call(box.api, 'DELETE', `/runs/${run}`)).status).toBe(204)
      expect((await get(`/threads/${thread}`)).metadata.title).toBe('New conversation')
      await patch(thread, { title: 'Mine' })
      expect((await get(`/threads/${thread}`)).metadata.title).toBe('Mine')
    }
  })

  it('what a client keeps as `title` in the metadata stands before what was made', async () => {
    const body = { metadata: { title: 'Kept by the page' } }
    const { body: made } = await call(box.api, 'POST', '/threads', { body })
    const run = { assistant_id: 'worded', input: 'Write a report' }
    await call(box.api, 'POST', `/threads/${made.thread_id}/runs/wait`, { body: run })
    expect((await get(`/threads/${made.thread_id}`)).metadata.title).toBe('Kept by the page')
    await patch(made.thread_id, { title: 'Mine' })
    expect((await get(`/threads/${made.thread_id}`)).metadata.title).toBe('Mine')
  })
})

describe('a person', () => {
  it('§19 title 4: wins, and the log says who', async () => {
    const { thread, run } = await said('named')
    await titled(thread, 'Quarterly report')
    const changed = await patch(thread, { title: '  Sales of the south ' })
    expect(changed.status).toBe(200)
    expect(changed.body.metadata.title).toBe('Sales of the south')
    const next = { assistant_id: 'named', input: 'More.' }
    await call(box.api, 'POST', `/threads/${thread}/runs/wait`, { body: next })
    expect((await get(`/threads/${thread}`)).metadata.title).toBe('Sales of the south')
    await box.settled()
    const found = await get(`/events?type=thread.titled&verdict=user&run_id=${run}`)
    expect(found.events).toHaveLength(1)
    expect(found.events[0].payload).toEqual({ title: 'Sales of the south', by: 'user' })
    expect(found.events[0].actor).not.toContain('orchestrator')
  })

  it('names a thread in which nothing was said', async () => {
    const { body: made } = await call(box.api, 'POST', '/threads', { body: {} })
    const changed = await patch(made.thread_id, { title: 'Ideas' })
    expect(changed.body.metadata.title).toBe('Ideas')
    expect((await patch('nobody-has-this', { title: 'Ideas' })).status).toBe(404)
  })

  it.each([
    ['empty', ''],
    ['blank', '   '],
    ['too long', 'x'.repeat(241)],
    ['of two lines', 'a\nb'],
    ['with a control character', 'a\u0007b'],
    ['with a mark that turns the text', 'invoice\u202Efdp.exe'],
  ])('is refused a title that is %s, by the name of the field', async (_, title) => {
    const { thread } = await said('worded')
    const refused = await patch(thread, { title })
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({ code: 'invalid_request' })
    expect(JSON.stringify(refused.body)).toContain('title')
    expect((await get(`/threads/${thread}`)).metadata.title).toBe('Write a report')
  })
})

it('who may not read what was said sees no title that is made of it, and that of a person', () => {
  const thread = {
    threadId: 't',
    tenantId: 'default',
    metadata: {},
    createdAt: 1,
    updatedAt: 1,
    status: 'idle',
    isPrivate: false,
    ttl: null,
  } as const
  const seen = (scopes: readonly Scope[], by: 'words' | 'model' | 'user') => {
    const title = { title: 'Write a report', by, runId: null }
    return threadView(shownTo(scopes, { ...thread, title })).metadata['title']
  }
  expect(seen(['enqueue'], 'words')).toBeUndefined()
  expect(seen(['enqueue'], 'model')).toBeUndefined()
  expect(seen(['enqueue'], 'user')).toBe('Write a report')
  expect(seen(['enqueue', 'read'], 'words')).toBe('Write a report')
})

it('§17: a copy is called as its origin', async () => {
  const { thread } = await said('named')
  await titled(thread, 'Quarterly report')
  const copy = await call(box.api, 'POST', `/threads/${thread}/copy`)
  expect(copy.body.metadata.title).toBe('Quarterly report')
  // It is no thread without a title: the next run leaves it so.
  const body = { assistant_id: 'named', input: 'More.' }
  await call(box.api, 'POST', `/threads/${copy.body.thread_id}/runs/wait`, { body })
  expect((await get(`/threads/${copy.body.thread_id}`)).metadata.title).toBe('Quarterly report')
})

describe('what could not be made', () => {
  it('§19 title 2: an apology is no title; the audit finds why', async () => {
    const { thread, run } = await said('shy')
    const note = await events(run, 'title.unchanged')
    expect(note).toMatchObject({ verdict: 'apology', payload: { reason: 'apology' } })
    expect((await get(`/threads/${thread}`)).metadata.title).toBe('Write a report')
    await box.settled()
    const found = await get(`/events?type=title.unchanged&verdict=apology&thread_id=${thread}`)
    expect(found.events).toHaveLength(1)
    expect(JSON.stringify(found.events)).not.toContain('sorry')
  })

  it('what a guardrail of the agent objects to is no title, and is nowhere', async () => {
    const { thread, run } = await said('guarded')
    const note = await events(run, 'title.unchanged')
    expect(note).toMatchObject({ verdict: 'guardrail', payload: { reason: 'guardrail' } })
    expect(JSON.stringify(await get(`/threads/${thread}`))).not.toContain('canary')
    expect(JSON.stringify(await get(`/runs/${run}/events`))).not.toContain('canary')
    expect(box.logged.join('\n')).not.toContain('canary')
  })
})

it('C10: what a title used is counted, apart from turns: report, usage, metrics', async () => {
  const { thread, run } = await said('named')
  await titled(thread, 'Quarterly report')
  const note = await events(run, 'thread.titled')
  expect(note.verdict).toBe('words')
  const { usage } = await get(`/runs/${run}/report`)
  expect(usage.title.calls).toBe(1)
  expect(usage.title.input_tokens).toBeGreaterThan(0)
  expect(usage.title.output_tokens).toBeGreaterThan(0)
  const plain = await said('plain')
  expect(await get(`/runs/${plain.run}/report`)).toMatchObject({ usage: { title: { calls: 0 } } })
  await box.settled()
  const used = await get('/usage?by=agent&agent=named')
  const [group] = used.groups
  const log = (await get(`/events?type=thread.titled&verdict=model&limit=100`)).events
  expect(group.turns).toBeGreaterThan(0)
  expect(log.length).toBeGreaterThan(0)
  // Each token costs one: all of them are paid, those of titles as well.
  expect(group.cost).toBe(group.input_tokens + group.output_tokens)
  const metrics = await call(box.api, 'GET', '/metrics')
  expect(metrics.body).toMatch(/signalbox_context_calls_total\{kind="title",outcome="made"\} \d/)
})

const agentTitled = (title: unknown) => ({
  agents: { a: { model: scripted('m'), title } },
  scripts: { m: () => ({}) },
})

describe('a configuration', () => {
  it.each([
    [{ maxWord: 6 }, /agents\.a\.title\.maxWord: there is no key "maxWord" here.*maxWords/],
    [{ maxWords: 0 }, /agents\.a\.title\.maxWords: takes a number from 1/],
    [{ maxWords: 13 }, /agents\.a\.title\.maxWords: takes a number up to 12/],
    ['word', /agents\.a\.title: /],
    [true, /agents\.a\.title: /],
  ])('%j is refused', (title, says) => {
    expect(() => parseConfig(agentTitled(title))).toThrow(says)
  })
  it.each(['words', {}, { maxWords: 3 }])('%j is taken', (title) => {
    expect(parseConfig(agentTitled(title)).agents['a']?.title).toBeDefined()
  })
})
