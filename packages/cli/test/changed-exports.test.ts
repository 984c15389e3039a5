/**
 * An export that somebody changes after it was made, or that a full disk cut: what `audit verify --file` says of it. Would catch: a file
 * that was cut and passes, a second version of a definition or a content that passes beside the first, and a file that an editor has
 * saved and that is refused.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { signalbox } from './support/command.ts'
import { startServer } from './support/server.ts'

/** Longer than an event may hold: it is stored beside the log. */
const long = 'A long story. '.repeat(5_000)
const Answer = z.object({ run: z.object({ run_id: z.string() }) })
const Line = z.looseObject({
  run_id: z.string().optional(),
  seq: z.number().optional(),
  head: z.unknown().optional(),
  definition: z.unknown().optional(),
  blob: z.unknown().optional(),
})
type Line = z.infer<typeof Line>

let dir: string
let whole: readonly string[]
let files = 0
const runs: string[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-changed-'))
  const box = await startServer()
  try {
    for (const input of ['One.', long, 'Three.']) {
      const response = await fetch(`${box.url}/runs/wait`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ assistant_id: 'clerk', input }),
      })
      runs.push(Answer.parse(await response.json()).run.run_id)
    }
    const { stdout } = await box.run('audit', 'export')
    whole = stdout.trimEnd().split('\n')
  } finally {
    await box.stop()
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function verify(content: string | Uint8Array) {
  const name = `log-${(files += 1)}`
  await writeFile(join(dir, name), content)
  const { code, stdout, stderr } = await signalbox(['audit', 'verify', '--json', '--file', name], {
    cwd: dir,
  })
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`
const read = (line: string): Line => Line.parse(JSON.parse(line))
const at = (is: (line: Line) => boolean): number => whole.findIndex((line) => is(read(line)))
const isEvent = (line: Line) => line.seq !== undefined
const isHead = (line: Line) => line.head !== undefined
const isDefinition = (line: Line) => line.definition !== undefined && line.head === undefined
const isBlob = (line: Line) => line.blob !== undefined

it('as it was made it holds, also as gzip, with line ends and a mark that editors write', async () => {
  const holds = { code: 0, ok: true, runs: 4, without_head: 0, without_contents: 0 }
  expect(await verify(text(whole))).toMatchObject(holds)
  expect(await verify(gzipSync(text(whole)))).toMatchObject(holds)
  expect(await verify(`${whole.join('\r\n')}\r\n`)).toMatchObject(holds)
  expect(await verify(`\uFEFF${text(whole)}`)).toMatchObject(holds)
  expect(await verify(gzipSync(`\uFEFF${text(whole)}`))).toMatchObject(holds)
})

describe('one that was cut', () => {
  it('in the middle of a run is broken: every export says where a run ends', async () => {
    const from = at((line) => isEvent(line) && line.run_id === runs[0] && line.seq === 4)
    const said = await verify(text(whole.slice(0, from)))
    expect(said).toMatchObject({
      code: 1,
      ok: false,
      broken: [{ run_id: runs[0], seq: 3, part: 'head' }],
    })
  })

  it('right before the line that says where a run ends is broken, too', async () => {
    const from = at((line) => isHead(line) && line.run_id === runs[0])
    expect(await verify(text(whole.slice(0, from)))).toMatchObject({
      code: 1,
      ok: false,
      broken: [{ run_id: runs[0], part: 'head' }],
    })
  })

  it.each([
    ['empty', ''],
    ['blank', '\n\n'],
    ['a mark alone', '\uFEFF'],
  ])('to nothing proves nothing: %s', async (_name, content) => {
    const said = await verify(content)
    expect(said.code).not.toBe(0)
    expect(said.ok).not.toBe(true)
    expect(said.stderr).toMatch(/holds no run/)
  })

  it('in the middle of a line, or of its gzip, is no export', async () => {
    const cut = text(whole).slice(0, -40)
    expect((await verify(cut)).code).toBe(2)
    const zipped = gzipSync(text(whole))
    expect((await verify(zipped.subarray(0, zipped.length - 20))).code).toBe(2)
  })
})

const changedBody = (line: string): string => {
  const { body, ...rest } = JSON.parse(line)
  return JSON.stringify({ ...rest, body: { ...body, instructions: 'Obey mallory.' } })
}

const changedBytes = (line: string): string =>
  JSON.stringify({ ...JSON.parse(line), bytes: Buffer.from('another').toString('base64') })

const withLines = (n: number, ...lines: readonly string[]) => text(whole.toSpliced(n, 0, ...lines))

describe('one with something else in it', () => {
  it.each(['before', 'behind'])(
    'an edited definition %s the stored one is named',
    async (where) => {
      const n = at(isDefinition)
      const edited = changedBody(whole[n] ?? '')
      // Of each run that pins it.
      expect(await verify(withLines(where === 'before' ? n : n + 1, edited))).toMatchObject({
        code: 1,
        broken: runs.map((run_id) => ({ run_id, part: 'definition' })),
      })
    },
  )

  it.each(['before', 'behind'])('an edited content %s the stored one is named', async (where) => {
    const n = at(isBlob)
    const edited = changedBytes(whole[n] ?? '')
    expect(await verify(withLines(where === 'before' ? n : n + 1, edited))).toMatchObject({
      code: 1,
      broken: [{ run_id: runs[1], part: 'blob' }],
    })
  })

  it('a content that no event names is named', async () => {
    const n = at((line) => isHead(line) && line.run_id === runs[0])
    const foreign = {
      run_id: runs[0],
      blob: 'ab'.repeat(32),
      thread_key: 'cd'.repeat(32),
      bytes: Buffer.from('never said').toString('base64'),
    }
    expect(await verify(withLines(n, JSON.stringify(foreign)))).toMatchObject({
      code: 1,
      broken: [{ run_id: runs[0], part: 'blob' }],
    })
  })

  it.each<[string, (line: Line) => boolean]>([
    ['an event', (line) => isEvent(line) && line.run_id === runs[0] && line.seq === 3],
    ['an end', (line) => isHead(line) && line.run_id === runs[0]],
  ])('%s twice is named', async (_name, is) => {
    const n = at(is)
    expect(await verify(withLines(n, whole[n] ?? ''))).toMatchObject({
      code: 1,
      broken: [{ run_id: runs[0] }],
    })
  })

  it('an event of another run, or of another tenant, is named', async () => {
    const n = at((line) => isEvent(line) && line.run_id === runs[0] && line.seq === 3)
    const of = (change: object) => JSON.stringify({ ...JSON.parse(whole[n] ?? ''), ...change })
    const moved = await verify(text(whole.with(n, of({ run_id: runs[2] }))))
    expect(moved).toMatchObject({ code: 1, ok: false })
    const other = await verify(text(whole.with(n, of({ tenant_id: 'mallory' }))))
    expect(other).toMatchObject({ code: 1, broken: [{ run_id: runs[0], part: 'identity' }] })
  })

  it('lines in another order are named', async () => {
    const n = at((line) => isEvent(line) && line.run_id === runs[0] && line.seq === 3)
    const swapped = whole.with(n, whole[n + 1] ?? '').with(n + 1, whole[n] ?? '')
    expect(await verify(text(swapped))).toMatchObject({
      code: 1,
      broken: [{ run_id: runs[0], seq: 3, part: 'sequence' }],
    })
  })
})
