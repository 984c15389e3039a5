/**
 * Time travel through LangGraph's own clients. Would catch: a branch that history does not show or gives the wrong parent, a
 * page that follows the text of ids, a fork that hears what was said after it, a call without its result in a prompt (I24).
 */
import type { Client } from 'langgraph-sdk-1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually, fed } from '../../packages/server/test/support/http.ts'
import { openScene, type Scene, versions } from './support/resources-scene.ts'
import { historyOf, idOf, said, type State, twoRuns, users, type Values } from './support/travel.ts'

let scene: Scene

beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene?.close())

const stateOf = async (runId: string) => {
  const { body } = await call(scene.box.api, 'GET', `/runs/${runId}`)
  const run: { state: string; outcome: string | null } = body
  return run
}
const before = (state?: State) => ({
  before: { configurable: { checkpoint_id: state?.checkpoint.checkpoint_id } },
})
/** Is an event of this type? */
const named = (type: string) => (event: { readonly type: string }) => event.type === type

describe.each(versions)('client %s', (_version, name) => {
  let client: Client
  beforeAll(async () => {
    client = await scene.clientOf(name)
  })
  const history = (threadId: string, options = {}) => historyOf(client, threadId, options)

  describe('branches', () => {
    it('are forked from a checkpoint, twice, and history shows all of them', async () => {
      const { threadId, between } = await twoRuns(client)
      for (const word of ['C', 'D']) {
        const payload = { ...said(word), checkpointId: idOf(between) }
        await client.runs.wait(threadId, 'clerk', payload)
        expect(users(await client.threads.getState(threadId))).toEqual(['A', word])
      }
      await client.runs.wait(threadId, 'clerk', said('E'))
      const states = await history(threadId)
      const inputs = states.filter(({ metadata }) => metadata?.['source'] === 'input')
      expect(inputs.map(users)).toEqual([
        ['A', 'D', 'E'],
        ['A', 'D'],
        ['A', 'C'],
        ['A', 'B'],
        ['A'],
      ])
      const parents = inputs.map((state) => state.parent_checkpoint?.checkpoint_id ?? null)
      const fork = idOf(between)
      const endOfD = states.findLast((state) => users(state).at(-1) === 'D' && !state.next.length)
      expect(parents).toEqual([endOfD && idOf(endOfD), fork, fork, fork, null])
      // Steps count along the branch.
      const starts = inputs.map(({ metadata }) => metadata?.['step'])
      expect(starts.slice(1, 4)).toEqual([starts[1], starts[1], starts[1]])
      for (const state of states)
        expect(await client.threads.getState(threadId, idOf(state))).toEqual(state)
      const pages: State[] = []
      for (;;) {
        const last = pages.at(-1)
        const page = await history(threadId, { limit: 4, ...(last ? before(last) : {}) })
        if (page.length === 0) break
        pages.push(...page)
      }
      expect(pages).toEqual(states)
    })

    it('begin in the middle of a run, with a result for every call', async () => {
      const threadId = crypto.randomUUID()
      const first = await client.runs.create(threadId, 'holder', said('Hold.'))
      await eventually(async () => (await stateOf(first.run_id)).state === 'tools')
      letGo(first.run_id)
      await client.runs.join(threadId, first.run_id)
      const [open] = (await history(threadId)).filter(({ next }) => next[0] === 'tools')
      if (!open) throw new Error('no checkpoint with an open call')
      const payload = { ...said('Instead.'), checkpointId: idOf(open) }
      const forked = await client.runs.create(threadId, 'clerk', payload)
      await client.runs.join(threadId, forked.run_id)
      expect(await stateOf(forked.run_id)).toMatchObject({ outcome: 'completed' })
      const state = await client.threads.getState<Values>(threadId)
      expect(users(state)).toEqual(['Hold.', 'Instead.'])
      // What the run said after that checkpoint is not heard here.
      expect(state.values.messages.map(({ content }) => content)).not.toContain('Done.')
      const own = (await history(threadId)).filter(
        ({ metadata }) => metadata?.['run_id'] === forked.run_id,
      )
      expect(own.at(-1)?.parent_checkpoint?.checkpoint_id).toBe(idOf(open))
      for (const one of own) expect(await client.threads.getState(threadId, idOf(one))).toEqual(one)
    })

    it('are listed in the order of the conversation, whatever the ids are', async () => {
      const threadId = crypto.randomUUID()
      const late = await client.runs.create(threadId, 'clerk', {
        ...said('Late'),
        afterSeconds: 0.4,
      })
      await client.runs.wait(threadId, 'clerk', said('Soon'))
      await client.runs.join(threadId, late.run_id)
      const states = await history(threadId)
      expect(users(states[0] ?? { values: { messages: [] } })).toEqual(['Soon', 'Late'])
      const at = states.findIndex((state) => users(state).length === 1)
      expect(await history(threadId, before(states[at - 1]))).toEqual(states.slice(at))
    })

    it('begin at no other place than one that the thread has heard', async () => {
      const { between } = await twoRuns(client)
      const elsewhere = client.runs.create(crypto.randomUUID(), 'clerk', {
        ...said('X'),
        checkpointId: idOf(between),
      })
      await expect(elsewhere).rejects.toMatchObject({ status: 404 })
    })
  })

  describe('threads', () => {
    it('take metadata key by key', async () => {
      const metadata = { a: 1, b: { c: 1 } }
      const { thread_id } = await client.threads.create({ metadata })
      const changed = await client.threads.update(thread_id, { metadata: { b: 2 } })
      expect(changed).toMatchObject({ thread_id, metadata: { a: 1, b: 2 } })
      const { body } = await call(scene.box.api, 'PATCH', `/threads/${thread_id}`, {
        body: { metadata: { d: 3 } },
        headers: { prefer: 'return=minimal' },
      })
      expect(body).toBe('')
      expect((await client.threads.get(thread_id)).metadata).toEqual({ a: 1, b: 2, d: 3 })
    })

    it('are deleted for their users, with what goes on in them, and the log keeps all', async () => {
      const threadId = crypto.randomUUID()
      const { run_id } = await client.runs.create(threadId, 'holder', said('Hold.'))
      await eventually(async () => (await stateOf(run_id)).state === 'tools')
      const joined = client.runs.join(threadId, run_id).catch(String)
      await client.threads.delete(threadId)
      letGo(run_id)
      await joined
      for (const gone of [
        () => client.threads.get(threadId),
        () => client.threads.getState(threadId),
        () => client.runs.get(threadId, run_id),
        () => client.runs.create(threadId, 'clerk', said('Again.')),
        () => client.threads.delete(threadId),
      ])
        await expect(gone()).rejects.toMatchObject({ status: 404 })
      expect(await client.runs.list(threadId)).toEqual([])
      expect(await client.threads.search({ ids: [threadId] })).toEqual([])
      const taken = client.threads.create({ threadId, ifExists: 'do_nothing' })
      await expect(taken).rejects.toMatchObject({ status: 409 })
      const log = await fed(scene.box.api, `run_id=${run_id}&limit=100`, (events) =>
        ['run.created', 'thread.hidden'].every((type) => events.some(named(type))),
      )
      const asked = log.find(named('cancel.requested'))
      expect(asked.payload).toEqual({ action: 'interrupt', reason: 'deleted' })
    })

    it('are copied, and go on apart', async () => {
      const { threadId } = await twoRuns(client)
      const copy = await client.threads.copy(threadId)
      const { thread_id: copyId } = Object.assign({ thread_id: '' }, copy)
      const copied = await history(copyId)
      const own = await history(threadId)
      expect(copied.map(({ values }) => values)).toEqual(own.map(({ values }) => values))
      await client.runs.wait(copyId, 'clerk', said('C'))
      expect(users(await client.threads.getState(copyId))).toEqual(['A', 'B', 'C'])
      expect(users(await client.threads.getState(threadId))).toEqual(['A', 'B'])
      // The copy does not need the original, and each of its states can be gone on from.
      await client.threads.delete(threadId)
      const states = await history(copyId)
      for (const state of states)
        expect(await client.threads.getState(copyId, idOf(state))).toEqual(state)
      const first = states.find((state) => users(state).length === 1 && !state.next.length)
      const payload = { ...said('D'), checkpointId: first ? idOf(first) : '' }
      await client.runs.wait(copyId, 'clerk', payload)
      expect(users(await client.threads.getState(copyId))).toEqual(['A', 'D'])
      const empty = await client.threads.copy((await client.threads.create()).thread_id)
      expect(empty).toMatchObject({ status: 'idle', values: null })
    })

    it('are pruned by id', async () => {
      const { thread_id } = await client.threads.create()
      const body = { thread_ids: [thread_id, thread_id, 'nobody'], strategy: 'delete' }
      const pruned = await call(scene.box.api, 'POST', '/threads/prune', { body })
      expect(pruned.body).toEqual({ pruned_count: 1 })
      await expect(client.threads.get(thread_id)).rejects.toMatchObject({ status: 404 })
      const kept = { thread_ids: [], strategy: 'keep_latest' }
      const refused = await call(scene.box.api, 'POST', '/threads/prune', { body: kept })
      expect(refused.body).toMatchObject({ code: 'not_available', field: 'strategy' })
    })

    it('keep what a deleted run has said', async () => {
      const { threadId } = await twoRuns(client)
      const [last, first] = await client.runs.list(threadId)
      await client.runs.delete(threadId, String(last?.run_id))
      expect((await client.runs.list(threadId)).map((run) => run.run_id)).toEqual([first?.run_id])
      await expect(client.runs.get(threadId, String(last?.run_id))).rejects.toMatchObject({
        status: 404,
      })
      expect(users(await client.threads.getState(threadId))).toEqual(['A', 'B'])
    })
  })
})
