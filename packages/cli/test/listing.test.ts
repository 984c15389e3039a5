/**
 * `runs`, `show`, `queues`, `retry` and `cancel` with a filter, as an operator types them. Would catch: a listing that looks
 * only at the newest threads (bad-days F4), and a bulk command that acts on more than it said.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer

beforeAll(async () => {
  box = await startServer()
})
afterAll(() => box?.stop())

const post = async (path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(box.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return answer.status === 204 ? null : answer.json()
}

describe('runs', () => {
  it('shows a run that goes on behind a hundred newer threads', async () => {
    const run = await post('/runs', { assistant_id: 'waiter', input: 'Wait.' })
    for (let n = 0; n < 101; n += 1) await post('/threads', { thread_id: `newer-${n}` })
    const { stdout } = await box.run('runs', '--status', 'running')
    expect(stdout).toContain(run.run_id)
    await post(`/runs/${run.run_id}/cancel?wait=1`, {})
  })
})
