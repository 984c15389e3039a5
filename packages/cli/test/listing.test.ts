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

interface Made {
  readonly run_id: string
}
const create = (agent: string, over: object = {}): Promise<Made> =>
  post('/runs', { assistant_id: agent, input: 'Go.', ...over })
/** Asks until the run waits for that; answers for what. */
async function waitsFor(run: Made, kind: string): Promise<Readonly<Record<string, string>>> {
  for (;;) {
    const { waits_for } = await (await fetch(`${box.url}/runs/${run.run_id}`)).json()
    if (waits_for?.kind === kind) return waits_for
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('runs', () => {
  it('shows a run that goes on behind a hundred newer threads, and what it waits for', async () => {
    const run = await create('waiter')
    await waitsFor(run, 'tool')
    for (let n = 0; n < 101; n += 1) await post('/threads', { thread_id: `newer-${n}` })
    const [table, shown] = await Promise.all([
      box.run('runs', '--status', 'running'),
      box.run('show', run.run_id),
    ])
    expect(table.stdout).toMatch(
      /^run +thread +agent +created +status +state +outcome +waits for$/m,
    )
    expect(table.stdout).toMatch(new RegExp(`^${run.run_id} .* tools +tool wait, for \\d+s$`, 'm'))
    expect(shown.stdout).toMatch(/^waits for +tool wait, for \d+s$/m)
    expect(shown.stdout).toMatch(/^calls +1, open: wait \(c_\w+\)$/m)
    expect(shown.stdout).toContain(`signalbox cancel ${run.run_id}`)
    await box.run('cancel', run.run_id, '--wait')
    const ended = await box.run('show', run.run_id)
    expect(ended.stdout).toMatch(/^status +interrupted, state cancelled, outcome cancelled$/m)
    expect(ended.stdout).toMatch(new RegExp(`^next +signalbox retry ${run.run_id}$`, 'm'))
  })

  it('are filtered by what was typed, and show says which command answers what a run waits for', async () => {
    const asking = await create('asker', { metadata: { order: 17 } })
    const { approval_id: approval = '' } = await waitsFor(asking, 'approval')
    const [byKind, byMetadata, none, document, shown, ago] = await Promise.all([
      box.json('runs', '--waits-for', 'approval', '--agent', 'asker', '--since', '1h'),
      box.json('runs', '--metadata', 'order=17'),
      box.run('runs', '--metadata', '{"order":18}'),
      box.json('show', asking.run_id),
      box.run('show', asking.run_id),
      box.run('runs', '--until', '1h'),
    ])
    expect(byKind.map((run: Made) => run.run_id)).toEqual([asking.run_id])
    expect(byMetadata.map((run: Made) => run.run_id)).toEqual([asking.run_id])
    expect(none.stdout).toBe('No runs.\n')
    expect(ago.stdout).toBe('No runs.\n')
    expect(document).toMatchObject({
      run: { waits_for: { kind: 'approval', approval_id: approval } },
      calls: [{ tool: 'note', status: 'open' }],
      last_error: null,
      next: [
        `signalbox approve ${approval}`,
        `signalbox reject ${approval}`,
        `signalbox cancel ${asking.run_id}`,
      ],
    })
    const [, typed = ''] = /^next +signalbox (.+)$/m.exec(shown.stdout) ?? []
    expect((await box.run(...typed.split(' '))).code).toBe(0)
    const queues = await box.run('queues')
    expect(queues.code).toBe(0)
  })

  it('that are not there are said not to be', async () => {
    expect(await box.run('show', 'nothing')).toMatchObject({ code: 4 })
  })
})

describe('cancel with filters', () => {
  it('cancels nothing before --yes, then all it said', async () => {
    const runs = [await create('waiter'), await create('waiter')]
    for (const run of runs) await waitsFor(run, 'tool')
    const filter = ['cancel', '--agent', 'waiter', '--status', 'running']
    const [dry, unsaid] = [await box.run(...filter, '--dry-run'), await box.run(...filter)]
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 runs would be cancelled.'),
    })
    expect(unsaid).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    const { stdout } = await box.run('runs', '--agent', 'waiter', '--status', 'running')
    for (const { run_id } of runs) expect(stdout).toContain(run_id)
    const done = await box.json(...filter, '--yes', '--reason', 'outage')
    expect(done).toMatchObject({ count: 2, more: false, dry_run: false })
    expect(done.run_ids.toSorted()).toEqual(runs.map(({ run_id }) => run_id).toSorted())
    for (const { run_id } of runs)
      expect((await box.run('cancel', run_id, '--wait')).stdout).toContain('has ended: cancelled')
  })
})

describe('retry', () => {
  it('starts what was cancelled once, however often it is typed', async () => {
    const [source] = await box.json('runs', '--outcome', 'cancelled', '--agent', 'waiter')
    const dry = await box.run('retry', source.run_id, '--dry-run')
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/ ready$/m) })
    const [first] = await box.json('retry', source.run_id)
    expect(first).toMatchObject({ run_id: source.run_id, code: 'created' })
    const [again] = await box.json('retry', source.run_id)
    expect(again).toMatchObject({ code: 'existing', retry_run_id: first.retry_run_id })
    const shown = await box.run('show', first.retry_run_id)
    expect(shown.stdout).toMatch(new RegExp(`^retry of +${source.run_id}$`, 'm'))
    const open = await create('waiter')
    expect(await box.run('retry', open.run_id)).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('run_not_ended'),
    })
    expect(await box.run('retry', 'nothing')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('unknown_run'),
    })
    await box.run('cancel', open.run_id, '--wait')
  })

  it('by filters says so where there is nothing to retry', async () => {
    expect(await box.run('retry', '--outcome', 'failed', '--since', '2h')).toEqual({
      code: 0,
      stdout: 'No run is to be retried.\n',
      stderr: '',
    })
    const found = await box.json(
      'retry',
      '--outcome',
      'cancelled',
      '--since',
      '2h',
      '--limit',
      '2',
      '--dry-run',
    )
    expect(found).toHaveLength(2)
  })

  const mistakes: readonly (readonly [readonly string[], RegExp])[] = [
    [['retry'], /Name runs, or give a filter/],
    [['retry', 'x', '--outcome', 'failed'], /not both/],
    [['cancel'], /Name a run, or give a filter/],
    [['cancel', 'x', '--agent', 'waiter'], /not both/],
    [['cancel', 'x', '--yes'], /go with filters/],
    [['cancel', '--status', 'success'], /Allowed choices are pending/],
    [['runs', '--since', 'yesterday'], /2h or 7d/],
    [['runs', '--metadata', 'seventeen'], /name=value/],
    [['runs', '--waits-for', 'godot'], /waits_for/],
  ]
  it.each(mistakes)('%j is refused', async (args, says) => {
    const { code, stderr } = await box.run(...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(says)
  })
})
