/**
 * The fate of an upload (context-systems §6, §17): named by several runs, taken back, named in a fork, by a run that never begins, and where no
 * run can name it. Would catch: a file that outlives its rollback, a name that stays taken by what is gone, an upload that is used up.
 */
import { limits } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hold, isHolding, letAllGo, letGo } from './support/hold.ts'
import { type Answer, call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Calls `hold` if it is told to. */
const holding: Script = (prompt, turn) =>
  turn === 0 && JSON.stringify(prompt.at(-1)).includes('hold')
    ? { calls: [{ name: 'hold', args: {} }] }
    : { text: 'Yes.' }

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: {
      clerk: { model: { provider: 'scripted', model: 'holding' }, tools: ['workspace', 'hold'] },
    },
    tools: [hold],
    scripts: { holding },
  })
})

afterAll(async () => {
  letAllGo()
  await box?.stop()
})

let threads = 0
async function thread(): Promise<string> {
  threads += 1
  const thread_id = `lives-${threads}`
  await call(box.api, 'POST', '/threads', { body: { thread_id } })
  return thread_id
}

async function upload(threadId: string, name: string, content: string): Promise<string> {
  const form = new FormData()
  form.append('files', new Blob([content]), name)
  const sent = await fetch(`${box.api}/threads/${threadId}/uploads`, { method: 'POST', body: form })
  const body: Answer['body'] = await sent.json()
  expect([sent.status, body]).toMatchObject([201, [{ name }]])
  return body[0].upload_id
}

const bodyOf = (prompt: string, files: readonly string[], over: object = {}) => ({
  body: { assistant_id: 'clerk', input: { prompt, files }, ...over },
})
const run = (threadId: string, prompt: string, files: readonly string[], over: object = {}) =>
  call(box.api, 'POST', `/threads/${threadId}/runs/wait`, bodyOf(prompt, files, over))
const begin = async (threadId: string, prompt: string, files: readonly string[], over = {}) => {
  const { body } = await call(
    box.api,
    'POST',
    `/threads/${threadId}/runs`,
    bodyOf(prompt, files, over),
  )
  return String(body.run_id)
}

const listed = async (threadId: string, query = ''): Promise<string[]> => {
  const { body } = await call(box.api, 'GET', `/threads/${threadId}/files${query}`)
  return body.map((file: { path: string }) => file.path)
}
const changedBy = async (runId: string): Promise<string[]> => {
  const { body } = await call(box.api, 'GET', `/runs/${runId}/files`)
  return body.map((file: { path: string }) => file.path)
}
const checkpointOf = async (threadId: string): Promise<string> =>
  (await call(box.api, 'GET', `/threads/${threadId}/state`)).body.checkpoint.checkpoint_id

const cancelled = async (threadId: string, runId: string, action: string): Promise<void> => {
  const at = `/threads/${threadId}/runs/${runId}/cancel?wait=1&action=${action}`
  const answer = call(box.api, 'POST', at)
  await eventually(async () => {
    const log = await call(box.api, 'GET', `/threads/${threadId}/runs/${runId}/events`)
    return JSON.stringify(log.body).includes('cancel.requested')
  })
  letGo(runId)
  await answer
}

describe('an upload', () => {
  it('of a run that was rolled back may be named again, under its own name', async () => {
    const threadId = await thread()
    const id = await upload(threadId, 'a.txt', 'one')
    const first = await begin(threadId, 'hold', [id])
    await eventually(async () => isHolding(first))
    await cancelled(threadId, first, 'rollback')
    expect(await listed(threadId)).toEqual([])
    // Of the run itself it is still said what it was given.
    expect(await changedBy(first)).toEqual(['uploads/a.txt'])
    expect((await run(threadId, 'Look.', [id])).body.outcome).toBe('completed')
    expect(await listed(threadId)).toEqual(['uploads/a.txt'])
  })

  it('of a run that was interrupted stays: the run was given it', async () => {
    const threadId = await thread()
    const first = await begin(threadId, 'hold', [await upload(threadId, 'a.txt', 'one')])
    await eventually(async () => isHolding(first))
    await cancelled(threadId, first, 'interrupt')
    expect(await listed(threadId)).toEqual(['uploads/a.txt'])
  })

  it('named in a fork is a file of the fork; the other side has it only where it was named', async () => {
    const threadId = await thread()
    await run(threadId, 'Hello.', [])
    const before = await checkpointOf(threadId)
    const id = await upload(threadId, 'a.txt', 'one')
    await run(threadId, 'Look.', [id])
    const there = await checkpointOf(threadId)
    const fork = await run(threadId, 'Look here.', [id], { checkpoint_id: before })
    expect(fork.body.outcome).toBe('completed')
    // In the fork nothing had the name.
    expect(await listed(threadId)).toEqual(['uploads/a.txt'])
    expect(await changedBy(fork.body.run.run_id)).toEqual(['uploads/a.txt'])
    expect(await listed(threadId, `?at=${there}`)).toEqual(['uploads/a.txt'])
    expect(await listed(threadId, `?at=${before}`)).toEqual([])
  })

  it('of a run that waits is no file yet, its name is taken, and free when the run never begins', async () => {
    const threadId = await thread()
    const first = await begin(threadId, 'hold', [])
    await eventually(async () => isHolding(first))
    const waiting = await begin(threadId, 'Look.', [await upload(threadId, 'a.txt', 'one')])
    const behind = await begin(threadId, 'Look.', [await upload(threadId, 'a.txt', 'two')])
    expect(await listed(threadId)).toEqual([])
    expect(await changedBy(waiting)).toEqual([])
    await call(
      box.api,
      'POST',
      `/threads/${threadId}/runs/${waiting}/cancel?wait=1&action=interrupt`,
    )
    letGo(first)
    await call(box.api, 'GET', `/threads/${threadId}/runs/${behind}/join`)
    expect(await listed(threadId)).toEqual(['uploads/a (2).txt'])
    await run(threadId, 'Look.', [await upload(threadId, 'a.txt', 'three')])
    expect(await listed(threadId)).toEqual(['uploads/a (2).txt', 'uploads/a.txt'])
  })

  it('of runs that wait needs its room before they begin', async () => {
    const threadId = await thread()
    const first = await begin(threadId, 'hold', [])
    await eventually(async () => isHolding(first))
    const id = await upload(threadId, 'a.bin', 'x'.repeat(limits.toolResultBytesMax))
    const fitting = limits.filesBytesMax / limits.toolResultBytesMax
    const waiting: string[] = []
    for (let n = 0; n < fitting; n += 1) waiting.push(await begin(threadId, 'Look.', [id]))
    const full = { status: 409, body: { code: 'files_full' } }
    const small = await upload(threadId, 'b.txt', 'one')
    expect(
      await call(box.api, 'POST', `/threads/${threadId}/runs`, bodyOf('Look.', [small])),
    ).toMatchObject(full)
    letGo(first)
    await call(box.api, 'GET', `/threads/${threadId}/runs/${waiting.at(-1)}/join`)
    expect(await listed(threadId)).toHaveLength(fitting)
    expect(await run(threadId, 'Look.', [small])).toMatchObject(full)
  })

  it('named by two runs at once is a file of each, and both are there', async () => {
    const threadId = await thread()
    const id = await upload(threadId, 'a.txt', 'one')
    const first = await begin(threadId, 'hold', [id])
    const second = await begin(threadId, 'Look.', [id])
    letGo(first)
    await call(box.api, 'GET', `/threads/${threadId}/runs/${second}/join`)
    expect(await listed(threadId)).toEqual(['uploads/a (2).txt', 'uploads/a.txt'])
  })

  it('is named by no cron, by no input of a running run, by none of a run without its thread', async () => {
    const threadId = await thread()
    const id = await upload(threadId, 'a.txt', 'one')
    const unavailable = { status: 422, body: { code: 'not_available', field: 'input.files' } }
    const cron = { ...bodyOf('Look.', [id]).body, schedule: '0 0 1 1 *' }
    expect(
      await call(box.api, 'POST', `/threads/${threadId}/runs/crons`, { body: cron }),
    ).toMatchObject(unavailable)
    const running = await begin(threadId, 'hold', [])
    await eventually(async () => isHolding(running))
    const input = { body: { input: { prompt: 'Look.', files: [id] } } }
    expect(
      await call(box.api, 'POST', `/threads/${threadId}/runs/${running}/input`, input),
    ).toMatchObject(unavailable)
    letGo(running)
    expect(await call(box.api, 'POST', '/runs/wait', bodyOf('Look.', [id]))).toMatchObject({
      status: 404,
      body: { code: 'unknown_upload', field: 'input.files' },
    })
    const batch = [bodyOf('Look.', [id]).body]
    const many = await call(box.api, 'POST', '/runs/batch', { body: batch })
    expect(many.status).toBeGreaterThanOrEqual(400)
  })

  it.each([
    ['a text', 'x'],
    ['a number in a list', [1]],
    ['the same twice', ['upload_1', 'upload_1']],
    ['too many', Array.from({ length: 65 }, (_, n) => `upload_${n}`)],
    ['an empty name', ['']],
  ])('named as %s is refused with the field', async (_, files) => {
    const threadId = await thread()
    const answer = await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
      body: { assistant_id: 'clerk', input: { prompt: 'Look.', files } },
    })
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request' } })
    expect(answer.body.field).toMatch(/^input\.files/)
  })

  it('of a deleted thread is gone with it', async () => {
    const threadId = await thread()
    const id = await upload(threadId, 'a.txt', 'one')
    expect((await call(box.api, 'DELETE', `/threads/${threadId}`)).status).toBeLessThan(300)
    expect((await run(threadId, 'Look.', [id])).status).toBe(404)
    const form = new FormData()
    form.append('files', new Blob(['x']), 'x.txt')
    const sent = await fetch(`${box.api}/threads/${threadId}/uploads`, {
      method: 'POST',
      body: form,
    })
    expect([sent.status, await sent.json()]).toMatchObject([404, { code: 'unknown_thread' }])
  })
})
