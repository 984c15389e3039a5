/**
 * Questions and exports from the command line, against one real server. Would catch: an export that was killed and
 * resumed with a hole or a repeat, files that are overwritten, a question whose answer is cut off.
 */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settled } from '../../postgres/test/support/database.ts'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
let whole: string

const feed = async (query: string) =>
  (await fetch(`${box.url}/events?until=${until}&${query}`)).text()
const until = Date.now() + 3_600_000

beforeAll(async () => {
  box = await startServer()
  const make = (agent: string) =>
    fetch(`${box.url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: agent, input: 'Note =milk.' }),
    }).then((response) => response.json())
  const runs = await Promise.all([...Array(6).fill('clerk'), 'censored', 'asker'].map(make))
  const written = runs.reduce((sum, { run }) => sum + run.seq, 0)
  // The feed waits for whoever writes at the moment.
  do whole = await feed('format=ndjson')
  while (whole.split('\n').length <= written)
})
afterAll(() => box?.stop())

const inFolder = (name: string) => join(box.dir, name)
const read = (name: string) => readFile(inFolder(name), 'utf8')
const time = () => new Date(until).toISOString()

describe('audit query and stats', () => {
  it('list the saved queries, and answer one as a table and as rows', async () => {
    const [list, table, rows] = await Promise.all([
      box.run('audit', 'query'),
      box.run('audit', 'query', 'safety_stops', '--agent', 'censored'),
      box.json(
        'audit',
        'query',
        'executed_calls',
        '--since',
        '2020-01-01',
        '--until',
        time(),
        '-n',
        '1',
      ),
    ])
    expect(list.stdout).toMatch(/^name +needs +asks\n.*denied_calls/s)
    expect(table.stdout).toMatch(
      /^at +run_id +agent +actor +evidence +tools +explanation\n.*censored/s,
    )
    expect(rows).toMatchObject({ tool: 'note', result: 'completed', agent: 'clerk' })
  })

  it('count events by several keys, with every filter', async () => {
    const [table, stats] = await Promise.all([
      box.run(
        'audit',
        'stats',
        '--by',
        'agent,tool',
        '--type',
        'tool.completed',
        '--text',
        'noted',
      ),
      box.json(
        'audit',
        'stats',
        '--agent',
        'censored',
        '--agent',
        'asker',
        '--type',
        'run.created',
        '--by',
        'agent',
      ),
    ])
    expect(table.stdout).toMatch(/^agent +tool +count\nclerk +note +6\n$/)
    expect(stats.groups).toHaveLength(2)
    const runs = await box.json(
      'audit',
      'stats',
      '--of',
      'runs',
      '--by',
      'agent',
      '--agent',
      'clerk',
    )
    expect(runs.groups).toEqual([{ agent: 'clerk', count: 6 }])
  })
})

describe('definition, usage and pseudonym', () => {
  it('show the prompt and the policies behind a hash, and name what is not there', async () => {
    const { hash } = await box.json('audit', 'query', 'definitions', '--limit', '1')
    const [text, document, other] = await Promise.all([
      box.run('definition', hash),
      box.json('definition', hash),
      box.run('definition', 'f'.repeat(64)),
    ])
    expect(document).toMatchObject({ hash, definition: { name: document.agent }, redacted: false })
    expect(text.stdout).toContain(`hash          ${hash}\n`)
    expect(text.stdout).toContain('approvalTools')
    expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining('unknown_definition') })
  })

  it('add up tokens and calls by agent', async () => {
    const [table, usage, wrong] = await Promise.all([
      box.run('usage', '--by', 'agent,month', '--agent', 'clerk'),
      box.json('usage', '--agent', 'clerk', '--agent', 'censored'),
      box.run('usage', '--by', 'tool'),
    ])
    expect(table.stdout).toMatch(
      /^agent +month +runs +turns +calls .*\nclerk +\d{4}-\d\d +6 +12 +6 /,
    )
    expect(usage.groups.map((group: { agent: string }) => group.agent).toSorted()).toEqual([
      'censored',
      'clerk',
    ])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('by: takes up to 3') })
  })

  it('say that this server knows no end users', async () => {
    const { code, stderr } = await box.run('pseudonym', 'ann')
    expect([code, stderr]).toEqual([2, expect.stringContaining('server.identity')])
  })
})

const exported = (format: string, out: string, ...more: string[]) =>
  box.start(
    'audit',
    'export',
    '--format',
    format,
    '--out',
    inFolder(out),
    '--until',
    time(),
    ...more,
  )

describe('audit export', () => {
  // NDJSON takes the same way, and has no titles that could come twice.
  it('goes on after a kill at any moment, without loss or repeats', async () => {
    const format = 'csv'
    const out = `events.${format}`
    const killed = exported(format, out, '--piece', '2')
    // The first piece is on the disk, dozens are not.
    while (!/"position":"/.test(await read(`${out}.resume.json`).catch(() => ''))) await pause()
    killed.child.kill('SIGKILL')
    await killed.ended
    const begun = (await stat(inFolder(out))).size
    // Both exports are in the log themselves, as soon as the feed shows them.
    await feed('format=csv')
    await settled(box.env['DATABASE_URL'] ?? '')
    const expected = await feed('format=csv')
    expect(begun).toBeLessThan(Buffer.byteLength(expected))
    // As if the kill had come between a piece and the note of it.
    await writeFile(inFolder(out), `${await read(out)}half a li`)
    const refused = await exported(format, out).ended
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--resume') })
    const other = await exported(format, out, '--resume', '--type', 'x').ended
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('other filters') })
    expect(await exported(format, out, '--resume').ended).toMatchObject({ code: 0 })
    expect(await read(out)).toBe(expected)
  })

  it('as Parquet makes whole files, and leaves what is there', async () => {
    expect(await exported('parquet', 'all.parquet', '--piece', '40').ended).toMatchObject({
      code: 0,
    })
    const ended = await exported('parquet', 'all.parquet', '--piece', '40', '--resume').ended
    expect(ended.code).toBe(0)
    const names = (await readdir(box.dir)).filter((name) => name.startsWith('all-')).toSorted()
    expect(names[0]).toBe('all-000001.parquet')
    const positions = []
    const sizes = []
    for (const name of names) {
      const { buffer } = new Uint8Array(await readFile(inFolder(name)))
      const rows = await parquetReadObjects({ file: buffer })
      sizes.push(rows.length)
      positions.push(...rows.map((row) => row['position']))
    }
    const lines = whole.trimEnd().split('\n')
    // Behind them come the records of who exported since.
    expect(positions.slice(0, lines.length)).toEqual(lines.map((line) => JSON.parse(line).position))
    expect(new Set(sizes.slice(0, Math.floor(lines.length / 40)))).toEqual(new Set([40]))
  })

  it('writes to standard output, refuses what makes no sense, and overwrites nothing', async () => {
    await writeFile(inFolder('mine.csv'), 'mine')
    const [stream, proof, taken] = await Promise.all([
      box.run('audit', 'export', '--format', 'csv', '--until', time(), '--piece', '50'),
      box.run('audit', 'export', '--agent', 'clerk'),
      exported('csv', 'mine.csv').ended,
    ])
    expect(stream.stdout).toBe(await feed('format=csv'))
    expect(proof).toMatchObject({ code: 2, stderr: expect.stringContaining('--agent is not for') })
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') })
    expect(await read('mine.csv')).toBe('mine')
  })
})

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
