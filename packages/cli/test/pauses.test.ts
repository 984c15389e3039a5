/**
 * `pause`, `resume` and `pauses` as an operator types them. Would catch: a pause that says it stands and does not, a run that waits
 * for one and does not say how to go on, a name that is mistyped and pauses nothing.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer

beforeAll(async () => {
  box = await startServer()
})
afterAll(() => box?.stop())

interface Shown {
  readonly run_id: string
  readonly outcome: string | null
  readonly waits_for: { readonly kind: string } | null
}
const ask = async (path: string, body?: unknown): Promise<Shown> => {
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(box.url + path, sent)).json()
}
/** Asks for the run until it is so. */
async function until(runId: string, holds: (run: Shown) => boolean): Promise<void> {
  while (!holds(await ask(`/runs/${runId}`))) await new Promise((done) => setTimeout(done, 50))
}

it('pauses an agent, says so wherever one looks, and lets it go on', async () => {
  expect(await box.run('pauses')).toMatchObject({ code: 0, stdout: 'Nothing is paused.\n' })
  const paused = await box.run('pause', 'agent', 'clerk', '--reason', 'The provider is down.')
  expect(paused).toMatchObject({ code: 0 })
  expect(paused.stdout).toMatch(/^Paused agent clerk, until it is resumed: /)
  const again = await box.run('pause', 'agent', 'clerk', '--reason', 'Still down.', '--for', '2h')
  expect(again.stdout).toMatch(/^Paused agent clerk, for 2h: /)
  const listed = await box.run('pauses')
  expect(listed.stdout).toMatch(/^paused +for +until +by +reason$/m)
  expect(listed.stdout).toMatch(/^agent clerk +\d+s +\d{4}-\S+ \S+ +\S+ +Still down\.$/m)
  const { run_id } = await ask('/runs', { assistant_id: 'clerk', input: 'Go.' })
  await until(run_id, ({ waits_for }) => waits_for?.kind === 'paused')
  const shown = await box.run('show', run_id)
  expect(shown.stdout).toMatch(/^waits for +agent clerk to be resumed \(Still down\.\), for \d+s$/m)
  expect(shown.stdout).toMatch(/^next +signalbox resume agent clerk$/m)
  const resumed = await box.run('resume', 'agent', 'clerk')
  expect(resumed).toMatchObject({ code: 0 })
  await until(run_id, ({ outcome }) => outcome === 'completed')
  expect(await box.run('resume', 'agent', 'clerk')).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/is not paused.*signalbox pauses/),
  })
})

it('shows the calls of a paused tool in their queue', async () => {
  await box.run('pause', 'tool', 'wait', '--reason', 'Look at it.', '--for', '1h')
  const { run_id } = await ask('/runs', { assistant_id: 'waiter', input: 'Go.' })
  await until(run_id, ({ waits_for }) => waits_for?.kind === 'paused')
  const queues = await box.run('queues')
  expect(queues.stdout).toMatch(/^queue +waiting +paused +oldest +delayed +running +unknown$/m)
  expect(queues.stdout).toMatch(/^tools +0 +1 +0 +0 +0$/m)
  await box.run('resume', 'tool', 'wait')
  await until(run_id, ({ waits_for }) => waits_for?.kind === 'tool')
  await box.run('cancel', run_id, '--wait')
})

it.each([
  [['pause', 'agent', 'clark', '--reason', 'x'], 4, /"clark".*"clerk"/],
  [['pause', 'model', 'clerk', '--reason', 'x'], 2, /agent, tool, queue/],
  [['pause', 'agent', 'clerk'], 2, /--reason/],
  [['pause', 'agent', 'clerk', '--reason', 'x', '--for', 'a while'], 2, /90s, 15m, 2h/],
  [['pause', 'agent', 'clerk', '--reason', 'x', '--for', '0s'], 2, /90s, 15m, 2h/],
  [['pause', 'agent', 'clerk', '--reason', 'x'.repeat(1001)], 2, /reason/],
  [['resume', 'tool', 'wait'], 4, /tool wait is not paused/],
])('refuses %j', async (argv, code, words) => {
  const answer = await box.run(...argv)
  expect(answer.code).toBe(code)
  expect(answer.stderr).toMatch(words)
  expect((await box.run('pauses')).stdout).toBe('Nothing is paused.\n')
})
