/** Commands that ask a server: each a child process, against one real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
beforeAll(async () => {
  box = await startServer()
})
afterAll(() => box?.stop())

/** Asks until the answer is not empty. */
async function eventually<T>(question: () => Promise<readonly T[]>): Promise<T> {
  for (;;) {
    const [first] = await question()
    if (first !== undefined) return first
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

interface Row {
  readonly run_id: string
  readonly effect_id: string
  readonly seq: number
  readonly type: string
  readonly position?: string
}
const ndjson = (text: string): Row[] => lines(text).map((line): Row => JSON.parse(line))

describe('run', () => {
  it('streams the text, names tools without their arguments, and says how it ended', async () => {
    const { code, stdout, stderr } = await box.run('run', 'Note milk.', '--agent', 'clerk')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^run \S+ on thread/),
    })
    const [first, ...rest] = lines(stdout)
    expect(first).toBe('Wait.')
    expect(rest.at(-2)).toBe('It is noted.')
    expect(rest.at(-1)).toBe('completed')
    expect(stdout).toContain('tool.completed note')
    expect(stdout).not.toContain('s3cret')
  })

  it('shows arguments and results when asked to', async () => {
    const { stdout } = await box.run('run', 'Note milk.', '-a', 'clerk', '--verbose')
    expect(stdout).toContain('note{"text":"s3cret milk"}')
    expect(stdout).toContain('noted s3cret milk')
  })

  it('answers one document with --json, and the answer alone with --wait', async () => {
    const [values, waited] = await Promise.all([
      box.json('run', 'Note milk.', '-a', 'clerk', '-t', 'talk'),
      box.run('run', 'Note milk.', '-a', 'clerk', '--wait'),
    ])
    expect(values).toMatchObject({ outcome: 'completed', run: { thread_id: 'talk' } })
    expect(waited).toEqual({ code: 0, stdout: 'It is noted.\n', stderr: '' })
  })

  it('fails for a run that did not complete, and says why', async () => {
    const { code, stdout } = await box.run('run', 'Write it.', '-a', 'censored')
    expect(code).toBe(1)
    expect(stdout).toMatch(/safety\.suppressed .*calls taken out: note/)
    expect(stdout).toMatch(/safety_stopped\n$/)
    expect(stdout).not.toContain('half a')
  })

  it('leaves the run when interrupted, and the run goes on', async () => {
    const running = box.start('run', 'Wait.', '-a', 'waiter')
    const [, id = ''] = await running.prints(/run (\S+) on thread/)
    // What its tool says of itself.
    await running.prints(/^ {2}… still waiting$/m)
    running.child.kill('SIGINT')
    const { code, stderr } = await running.ended
    expect(code).toBe(130)
    expect(stderr).toContain(`signalbox cancel ${id}`)
    const { code: ended, stdout } = await box.run('cancel', id, '--wait', '--reason', 'enough')
    expect({ ended, stdout }).toEqual({
      ended: 0,
      stdout: `The run ${id} has ended: cancelled.\n`,
    })
    const { stdout: log } = await box.run('events', id)
    expect(log).toMatch(/cancel\.requested +enough/)
  })
})

describe('runs and events', () => {
  let run: string
  beforeAll(async () => {
    const values = await box.json('run', 'Note milk.', '-a', 'clerk', '-t', 'listed')
    run = values.run.run_id
    // The feed waits for whoever writes at the moment, such as the reconciler.
    await eventually(async () => {
      const { stdout } = await box.run('events', '--json', '--run', run)
      return lines(stdout).length >= values.run.seq ? [stdout] : []
    })
  })

  it('are listed by thread and status', async () => {
    const [all, table, none] = await Promise.all([
      box.json('runs', '--limit', '50'),
      box.run('runs', '--thread', 'listed', '--status', 'success'),
      box.run('runs', '--thread', 'nowhere'),
    ])
    expect(all.map((each: Row) => each.run_id)).toContain(run)
    const [titles, row, ...more] = lines(table.stdout)
    expect(titles).toMatch(/^run +thread +agent/)
    expect(row).toMatch(new RegExp(`^${run} +listed +clerk .*completed$`))
    expect(more).toEqual([])
    expect(none.stdout).toBe('No runs.\n')
  })

  it('that a run has started are told of by that run, and listed with it', async () => {
    const { code, stdout, stderr } = await box.run('run', 'Note milk.', '--agent', 'boss')
    const [, id = ''] = /^run (\S+) on thread/.exec(stderr) ?? []
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}child\.started agent__clerk \S+$/m)
    expect(stdout).toMatch(/^ {2}child\.ended agent__clerk completed \S+ used \d+ tokens$/m)
    expect(stdout).not.toContain('s3cret')
    const [table, none, [child]] = await Promise.all([
      box.run('runs', '--of', id),
      box.run('runs', '--of', run),
      box.json('runs', '--of', id),
    ])
    const [titles, row, ...more] = lines(table.stdout)
    expect(titles).toMatch(/outcome +parent$/)
    expect(row).toMatch(new RegExp(`^${child.run_id} .* clerk .* completed +${id}$`))
    expect(more).toEqual([])
    expect(none.stdout).toBe('No runs.\n')
  })

  it('are shown for one run, from a number on', async () => {
    const [whole, later, human] = await Promise.all([
      box.run('events', run, '--json'),
      box.run('events', run, '--json', '--after', '2', '--limit', '3'),
      box.run('events', run),
    ])
    const seqs = ndjson(whole.stdout).map(({ seq }) => seq)
    expect(seqs.length).toBeGreaterThan(8)
    expect(seqs).toEqual(seqs.map((_, n) => n + 1))
    expect(ndjson(later.stdout).map(({ seq }) => seq)).toEqual([3, 4, 5])
    expect(human.stdout).not.toContain('s3cret')
    expect(human.stdout).toMatch(/#1 +run\.created +clerk/)
  })

  it('are followed to the end of the run', async () => {
    const { code, stdout } = await box.run('events', run, '--follow', '--json', '--after', '1')
    expect(code).toBe(0)
    expect(ndjson(stdout)[0]?.seq).toBe(2)
  })

  it('are found by every filter of the audit, in the order of the feed', async () => {
    const created = ['events', '--json', '--type', 'run.created', '--run', run]
    const old = '2020-01-01T00:00:00Z'
    const [one, tool, none, since, nobody, thread] = await Promise.all([
      box.run(...created),
      box.run('events', '--json', '--tool', 'note', '--run', run),
      box.run(...created, '--until', old),
      box.run(...created, '--since', old),
      box.run(...created, '--actor', 'nobody'),
      box.run('events', '--json', '--thread', 'listed', '--verdict', 'ok'),
    ])
    expect(ndjson(one.stdout)).toMatchObject([{ run_id: run, seq: 1, type: 'run.created' }])
    expect(ndjson(tool.stdout).map(({ type }) => type)).toContain('tool.completed')
    expect([none.stdout, nobody.stdout]).toEqual(['', ''])
    expect(since.stdout).toBe(one.stdout)
    expect(ndjson(thread.stdout).length).toBeGreaterThan(0)
    const position = ndjson(one.stdout)[0]?.position ?? ''
    const after = await box.run('events', '--json', '--run', run, '--after', position)
    expect(ndjson(after.stdout)[0]?.seq).toBe(2)
  })

  it('of all runs are followed as they come', async () => {
    const following = box.start('events', '--follow', '--json', '--thread', 'followed')
    const { run: made } = await box.json('run', 'Note milk.', '-a', 'clerk', '-t', 'followed')
    await following.prints(/"type":"run\.transitioned"[^\n]*"outcome":"completed"/)
    following.child.kill('SIGINT')
    const { code, stdout } = await following.ended
    expect(code).toBe(0)
    const seqs = ndjson(stdout).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, n) => n + 1))
    expect(ndjson(stdout)[0]?.run_id).toBe(made.run_id)
  })
})

describe('unknown', () => {
  it('effects are listed, and resolved', async () => {
    const run = (await box.run('run', 'Send it.', '-a', 'sender', '--detach')).stdout.trim()
    const effect = await eventually<Row>(async () => {
      const listed: Row[] = await box.json('unknown')
      return listed.filter(({ run_id }) => run_id === run)
    })
    const shown = (await box.run('unknown')).stdout
    for (const part of [`send  run ${run}`, '{}', 'did not end', 'attempt 1', effect.effect_id])
      expect(shown).toContain(part)
    expect(shown).toMatch(/worker +\S/)
    const resolve = ['resolve', run, effect.effect_id]
    const wrong = await box.run(...resolve, 'retry', '--output', 'sent')
    expect(wrong.code).toBe(2)
    const resolved = await box.run(...resolve, 'happened', '--output', 'sent at noon')
    expect(resolved).toEqual({ code: 0, stdout: 'Resolved.\n', stderr: '' })
    const { stdout } = await box.run('events', run, '--follow')
    expect(stdout).toMatch(/tool\.resolved.*happened/)
    const again = await box.run(...resolve, 'happened')
    expect(again.stdout).toBe('It was resolved before; the first answer stands.\n')
  })
})
