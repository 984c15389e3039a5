/**
 * Runs that an agent says it may start, over HTTP: their limits, their files, who waits for a human, what is known of them while they run. Would
 * catch: a route that shows files which were never taken over, a fork that sees later ones, a run that reads as running while only a human can move
 * it, an approval that names no run at the top, and a parent that hears of nothing once it is cancelled.
 */
import type { Script } from '@signalbox/models'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hold, isHolding, letAllGo, letGo } from './support/hold.ts'
import { type Answer, call, eventually } from './support/http.ts'
import { note } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Plays the turns that the words of the user say: between `---` lines of calls, `tool {json}`, or words that end the run. */
const obeying: Script = (prompt, turn) => {
  const asked = prompt.findLast(({ role }) => role === 'user')
  const texts = asked?.role === 'user' ? asked.parts : []
  const text = texts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const lines = (text.split('\n---\n')[turn] ?? 'Done.').split('\n')
  if (!lines[0]?.includes(' {')) return { text: lines.join('\n') }
  return {
    calls: lines.map((line) => {
      const [name = '', ...rest] = line.split(' ')
      return { name, args: JSON.parse(rest.join(' ')) }
    }),
  }
}

const model = { provider: 'scripted', model: 'obeying' } as const
const helpers = ['agent:helper', 'agent:clerk'] as const

const config: ConfigInput = {
  agents: {
    chief: {
      model,
      tools: ['workspace', 'hold', ...helpers, 'agent:middle'],
      subagents: { tool: 'task', files: 'merge', perRun: 10 },
    },
    reader: { model, tools: ['workspace', ...helpers], subagents: { files: 'read' } },
    plain: { model, tools: ['workspace', ...helpers] },
    middle: { model, tools: ['workspace', ...helpers], subagents: { tool: 'task' } },
    helper: { description: 'Helps.', model, tools: ['workspace', 'hold'] },
    clerk: { model, tools: ['note', 'workspace'], guardrails: { approvalTools: ['note'] } },
  },
  tools: [note, hold],
  scripts: { obeying },
}

let box: TestSignalbox
beforeAll(async () => {
  box = await startTest(config)
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const get = (path: string): Promise<Answer> => call(box.api, 'GET', path)
const post = (path: string, body: object = {}): Promise<Answer> =>
  call(box.api, 'POST', path, { body })
/** Turns as the script reads them. */
const turns = (...each: readonly (readonly string[] | string)[]): string =>
  each.map((turn) => (typeof turn === 'string' ? turn : turn.join('\n'))).join('\n---\n')
const calls = (name: string, args: object): string => `${name} ${JSON.stringify(args)}`
const task = (prompt: string, agent = 'helper', description = 'helps'): string =>
  calls('task', { description, prompt, agent })
const write = (path: string, content: string): string => calls('write_file', { path, content })
const replace = (path: string, from: string, to: string): string =>
  calls('str_replace', { path, oldText: from, newText: to })

let threads = 0
async function begin(agent: string, prompt: string, threadId = `subagents-${++threads}`) {
  await post('/threads', { thread_id: threadId, if_exists: 'do_nothing' })
  const { body } = await post(`/threads/${threadId}/runs`, { assistant_id: agent, input: prompt })
  return { threadId, runId: String(body.run_id) }
}
const ended = async (runId: string) => (await get(`/runs/${runId}/join`)).body
const childrenOf = async (runId: string) => (await get(`/runs/${runId}/children`)).body
const eventsOf = async (runId: string, type: string) =>
  (await get(`/runs/${runId}/events?limit=1000`)).body.events.filter(
    (event: { type: string }) => event.type === type,
  )
const paths = (files: readonly { path: string }[]) => files.map(({ path }) => path)
const textOf = async (threadId: string, path: string, query = '') =>
  (await get(`/threads/${threadId}/files/${path}${query}`)).body
const doc = 'alpha\nbeta\ngamma\n'

describe('the runs of a turn', () => {
  it('are as many as the agent says: the others are denied, and the log says why', async () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((letter) => task(`Say ${letter}.`))
    const { runId } = await begin('chief', turns(five, 'Read.'))
    const values = await ended(runId)
    expect(values.outcome).toBe('completed')
    expect(await childrenOf(runId)).toHaveLength(3)
    const denied = await eventsOf(runId, 'call.denied')
    expect(denied.map(({ payload }: { payload: object }) => payload)).toMatchObject([
      { tool: 'task', code: 'too_many_at_once' },
      { tool: 'task', code: 'too_many_at_once' },
    ])
    const results = values.messages.filter(({ type }: { type: string }) => type === 'tool')
    const statuses = results.map(({ status }: { status: string }) => status)
    expect(statuses.toSorted()).toEqual(['error', 'error', 'success', 'success', 'success'])
  })

  it('of an agent that there is not: the model reads those that there are', async () => {
    const { runId } = await begin('chief', turns([task('Go.', 'clrek')], 'Read.'))
    const { messages } = await ended(runId)
    expect(JSON.stringify(messages)).toContain(
      'The argument agent takes one of: helper, clerk, middle.',
    )
  })
})

describe('files', () => {
  it('of two runs and a call beside them are all there, with who changed them', async () => {
    const { threadId, runId } = await begin(
      'chief',
      turns(
        [write('doc', doc)],
        [
          task(turns([replace('doc', 'alpha', 'ALPHA'), write('outputs/a.md', 'a')], 'One.')),
          task(turns([replace('doc', 'gamma', 'GAMMA')], 'Two.')),
          write('beside', 'b'),
        ],
        'Both.',
      ),
    )
    const values = await ended(runId)
    expect(values).toMatchObject({ outcome: 'completed', files: { 'outputs/a.md': { bytes: 1 } } })
    expect(await textOf(threadId, 'doc')).toBe('ALPHA\nbeta\nGAMMA\n')
    const { body: files } = await get(`/threads/${threadId}/files`)
    expect(paths(files)).toEqual(['beside', 'doc', 'outputs/a.md'])
    const ends = await eventsOf(runId, 'child.ended')
    const seqs = ends.map(({ seq }: { seq: number }) => seq)
    const [, changed, output] = files
    expect(changed.changed_by).toMatchObject({ run_id: runId, seq: Math.max(...seqs) })
    expect(output).toMatchObject({ changed_by: { run_id: runId, call_id: expect.any(String) } })
    // What the run changed, those that it started included; and what each of these changed by itself.
    const { body: ofRun } = await get(`/runs/${runId}/files`)
    expect(paths(ofRun)).toEqual(['beside', 'doc', 'outputs/a.md'])
    expect(ofRun[1].changes.map(({ seq }: { seq: number }) => seq)).toEqual(
      expect.arrayContaining(seqs),
    )
    // They begin side by side, in whichever order.
    const [first, second] = await childrenOf(runId)
    const { body: ofFirst } = await get(`/runs/${first.run_id}/files`)
    const one = ofFirst.length === 2 ? first : second
    const { body: ofChild } = await get(`/runs/${one.run_id}/files`)
    expect(ofChild).toMatchObject([
      { path: 'doc', before: { bytes: doc.length }, after: { bytes: doc.length } },
      { path: 'outputs/a.md', before: null, after: { bytes: 1 }, artifact: true },
    ])
    // The thread of the run that was started shows what it began with, and reads it where it stands.
    const { body: ofThread } = await get(`/threads/${one.thread_id}/files?sha256=true`)
    expect(paths(ofThread)).toEqual(['doc', 'outputs/a.md'])
    expect(ofThread[0].sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(await textOf(one.thread_id, 'doc')).toBe('ALPHA\nbeta\ngamma\n')
  })

  it('follow the conversation: a checkpoint before, a fork before, a rollback', async () => {
    const { threadId, runId } = await begin(
      'chief',
      turns([write('doc', doc)], [task(turns([replace('doc', 'beta', 'BETA')], 'One.'))], 'Done.'),
    )
    await ended(runId)
    const { body: history } = await get(`/threads/${threadId}/history?limit=100`)
    const ids = history.map(
      ({ checkpoint }: { checkpoint: { checkpoint_id: string } }) => checkpoint.checkpoint_id,
    )
    const contents = await Promise.all(
      ids.map((id: string) => textOf(threadId, 'doc', `?at=${id}`)),
    )
    const texts = contents.map((text) => (typeof text === 'string' ? text : text.code))
    expect(texts.at(0)).toBe('alpha\nBETA\ngamma\n')
    const before = texts.findIndex((text) => text === doc)
    expect(before).toBeGreaterThan(0)
    const fork = await post(`/threads/${threadId}/runs/wait`, {
      assistant_id: 'helper',
      input: turns([calls('read_file', { path: 'doc' })], 'Seen.'),
      checkpoint_id: ids[before],
    })
    expect(JSON.stringify(fork.body.messages)).toContain('beta')
    expect(await textOf(threadId, 'doc')).toBe(doc)
  })

  it('of a run that is cancelled with what it did are as they were', async () => {
    const { threadId, runId } = await begin(
      'chief',
      turns([task(turns([write('new', 'n')], 'One.'))], [calls('hold', {})], 'Done.'),
    )
    await eventually(async () => isHolding(runId) || undefined)
    expect(paths((await get(`/threads/${threadId}/files`)).body)).toEqual(['new'])
    await post(`/runs/${runId}/cancel?wait=1&action=rollback`)
    expect((await get(`/threads/${threadId}/files`)).body).toEqual([])
  })

  it('that were only lent stay where they are', async () => {
    const { threadId, runId } = await begin(
      'reader',
      turns(
        [write('doc', doc)],
        [calls('agent__helper', { prompt: turns([replace('doc', 'beta', 'BETA')], 'One.') })],
        'Done.',
      ),
    )
    await ended(runId)
    expect(await textOf(threadId, 'doc')).toBe(doc)
    const [child] = await childrenOf(runId)
    expect(await textOf(child.thread_id, 'doc')).toBe('alpha\nBETA\ngamma\n')
    // Once the thread they come from is deleted, they are gone here as well.
    await call(box.api, 'DELETE', `/threads/${threadId}`)
    expect(paths((await get(`/threads/${child.thread_id}/files`)).body)).toEqual(['doc'])
    expect((await get(`/runs/${child.run_id}/files`)).body).toMatchObject([
      { path: 'doc', before: null },
    ])
  })

  it('of a rerun are those that were recorded', async () => {
    const { runId } = await begin(
      'chief',
      turns([write('doc', doc)], [task(turns([replace('doc', 'beta', 'BETA')], 'One.'))], 'Done.'),
    )
    await ended(runId)
    const { body: again } = await post(`/runs/${runId}/rerun`)
    const values = await ended(again.run_id)
    expect(values.outcome).toBe('completed')
    expect(await textOf(again.thread_id, 'doc')).toBe('alpha\nBETA\ngamma\n')
    expect(await childrenOf(again.run_id)).toEqual([])
  })
})

/** A run that waits for a human in a run two levels below, and whose own calls have all come back. */
async function asking() {
  const deep = task(turns([calls('note', { text: 'milk' })], 'Noted.'), 'clerk')
  const run = await begin('chief', turns([task(turns([deep], 'Asked.'), 'middle')], 'Told.'))
  const middle = await eventually(async () => (await childrenOf(run.runId))[0])
  const clerk = await eventually(async () => (await childrenOf(middle.run_id))[0])
  const asked = await eventually(async () => {
    const { body } = await get(`/approvals?run_id=${clerk.run_id}`)
    return body[0]
  })
  await eventually(async () => {
    const { body } = await get(`/runs/${run.runId}`)
    return body.waits_for?.below ? body : undefined
  })
  return { ...run, middle, clerk, asked }
}

describe('a run that waits for a human below it', () => {
  it('reads as waiting, and says for whom', async () => {
    const { threadId, runId, middle, clerk, asked } = await asking()
    const { body } = await get(`/runs/${runId}`)
    expect(body).toMatchObject({
      status: 'interrupted',
      outcome: null,
      waits_for: {
        kind: 'child',
        run_id: middle.run_id,
        below: [
          {
            run_id: clerk.run_id,
            thread_id: clerk.thread_id,
            assistant_id: 'clerk',
            kind: 'approval',
            approval_id: asked.approval_id,
            tool: 'note',
          },
        ],
      },
      waiting: [
        {
          for: 'approval',
          approval_id: asked.approval_id,
          run_id: clerk.run_id,
          args: { text: 'milk' },
        },
      ],
    })
    expect(body.waits_for.below).toHaveLength(1)
    expect((await get(`/runs/${middle.run_id}`)).body).toMatchObject({
      status: 'interrupted',
      waits_for: { below: [{ run_id: clerk.run_id }] },
    })
    // Wherever runs are listed by how they are.
    for (const status of ['waiting', 'interrupted']) {
      const { body: found } = await get(`/runs?status=${status}&thread_id=${threadId}`)
      expect(found.runs.map((run: { run_id: string }) => run.run_id)).toEqual([runId])
    }
    expect((await get(`/runs?status=running&thread_id=${threadId}`)).body.runs).toEqual([])
    const { body: ofThread } = await get(`/threads/${threadId}/runs?status=interrupted`)
    expect(ofThread).toMatchObject([{ run_id: runId, status: 'interrupted' }])
    expect((await get(`/threads/${threadId}`)).body).toMatchObject({ status: 'interrupted' })
    const state = (await get(`/threads/${threadId}/state`)).body
    expect(JSON.stringify(state.tasks)).toContain(asked.approval_id)
    await post(`/approvals/${asked.approval_id}`, { decision: 'approve' })
    expect((await ended(runId)).outcome).toBe('completed')
    expect((await get(`/runs/${runId}`)).body).toMatchObject({ status: 'success', waits_for: null })
  })

  it('is answered on its own thread', async () => {
    const { threadId, runId, clerk } = await asking()
    const { status } = await post(`/threads/${threadId}/runs`, {
      assistant_id: 'chief',
      command: { resume: { decision: 'approve' } },
    })
    expect(status).toBe(200)
    expect((await ended(runId)).outcome).toBe('completed')
    expect(await eventsOf(clerk.run_id, 'approval.answered')).toHaveLength(1)
  })

  it('does not, while something beside it moves', async () => {
    const ask = task(turns([calls('note', { text: 'milk' })], 'Noted.'), 'clerk')
    const { runId } = await begin('chief', turns([ask, calls('hold', {})], 'Told.'))
    await eventually(async () => isHolding(runId) || undefined)
    const clerk = await eventually(async () => (await childrenOf(runId))[0])
    await eventually(async () => (await get(`/approvals?run_id=${clerk.run_id}`)).body[0])
    const { body } = await get(`/runs/${runId}`)
    expect(body).toMatchObject({ status: 'running', waiting: [] })
    expect(body.waits_for).not.toHaveProperty('below')
    letGo(runId)
    const now = await eventually(async () => {
      const { body: then } = await get(`/runs/${runId}`)
      return then.waits_for?.below ? then : undefined
    })
    expect(now.status).toBe('interrupted')
    await post(`/runs/${runId}/cancel?wait=1`)
  })

  it('is listed with every approval of its tree, and each of them names it', async () => {
    const { threadId, runId, middle, clerk, asked } = await asking()
    const root = { run_id: runId, thread_id: threadId, assistant_id: 'chief' }
    for (const id of [runId, middle.run_id, clerk.run_id]) {
      const { body } = await get(`/approvals?tree=${id}`)
      expect(body).toMatchObject([{ approval_id: asked.approval_id, run_id: clerk.run_id, root }])
    }
    expect((await get(`/approvals?run_id=${runId}`)).body).toEqual([])
    expect((await get('/approvals?tree=nobody')).body).toEqual([])
    expect((await get(`/approvals/${asked.approval_id}`)).body).toMatchObject({ root })
    await post(`/runs/${runId}/cancel?wait=1`)
  })

  it('reads as before where its agent says nothing of the runs that it starts', async () => {
    const prompt = turns([calls('note', { text: 'milk' })], 'Noted.')
    const { runId } = await begin('plain', turns([calls('agent__clerk', { prompt })], 'Told.'))
    const clerk = await eventually(async () => (await childrenOf(runId))[0])
    const { approval_id: id, root } = await eventually(
      async () => (await get(`/approvals?run_id=${clerk.run_id}`)).body[0],
    )
    expect(root.run_id).toBe(runId)
    const { body } = await get(`/runs/${runId}`)
    expect(body).toMatchObject({ status: 'running', waiting: [], waits_for: { kind: 'child' } })
    expect(body.waits_for).not.toHaveProperty('below')
    await post(`/approvals/${id}`, { decision: 'approve' })
    expect((await ended(runId)).outcome).toBe('completed')
  })
})

describe('a cancel', () => {
  it('ends a run that asks, and its question', async () => {
    const { runId, middle, clerk, asked } = await asking()
    expect((await post(`/runs/${runId}/cancel?wait=1`)).status).toBe(204)
    for (const id of [runId, middle.run_id, clerk.run_id])
      expect((await get(`/runs/${id}`)).body).toMatchObject({
        outcome: 'cancelled',
        waits_for: null,
      })
    expect((await get(`/approvals/${asked.approval_id}`)).body.status).toBe('cancelled')
    expect((await get(`/approvals?tree=${runId}`)).body).toEqual([])
    const late = await post(`/approvals/${asked.approval_id}`, { decision: 'approve' })
    expect(late.status).toBe(409)
  })

  it('in the same moment as the answer: both end, and nothing is executed after it', async () => {
    const { runId, clerk, asked } = await asking()
    const [, cancelled] = await Promise.all([
      post(`/approvals/${asked.approval_id}`, { decision: 'approve' }),
      post(`/runs/${runId}/cancel?wait=1`),
    ])
    // The answer may have been the last that it waited for.
    expect([204, 409]).toContain(cancelled.status)
    const outcome = (await ended(runId)).outcome
    expect(['cancelled', 'completed']).toContain(outcome)
    const cancel = await eventsOf(clerk.run_id, 'cancel.requested')
    const begun = await eventsOf(clerk.run_id, 'effect.started')
    const last = Math.max(...begun.map(({ seq }: { seq: number }) => seq))
    if (cancel[0]) expect(last).toBeLessThan(cancel[0].seq)
  })

  it('of a run whose child works on files takes over none of them', async () => {
    const work = task(turns([write('new', 'n')], [calls('hold', {})], 'Done.'))
    const { threadId, runId } = await begin('chief', turns([work], 'Told.'))
    const child = await eventually(async () => (await childrenOf(runId))[0])
    await eventually(async () => isHolding(child.run_id) || undefined)
    expect((await post(`/runs/${runId}/cancel?wait=1`)).status).toBe(204)
    expect((await get(`/threads/${threadId}/files`)).body).toEqual([])
    expect(paths((await get(`/threads/${child.thread_id}/files`)).body)).toEqual(['new'])
  })
})

describe('the children of a run', () => {
  it('say what they have used so far, while they run', async () => {
    const work = task(turns([write('a', 'a')], [calls('hold', {})], 'Done.'), 'helper', 'writes a')
    const { runId } = await begin('chief', turns([work], 'Told.'))
    const child = await eventually(async () => (await childrenOf(runId))[0])
    await eventually(async () => isHolding(child.run_id) || undefined)
    const [running] = await childrenOf(runId)
    expect(running).toMatchObject({
      status: 'running',
      metadata: { description: 'writes a' },
      spent: { turns: 2, calls: 2, tokens: expect.any(Number), cost: 0 },
    })
    letGo(child.run_id)
    await ended(runId)
    const [{ payload }] = await eventsOf(runId, 'child.ended')
    const { activeMs: _, ...spent } = payload.spent
    expect(payload.agent).toBe('helper')
    expect((await childrenOf(runId))[0]).toMatchObject({ status: 'success', spent })
  })
})
