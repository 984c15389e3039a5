/** A project from nothing: init, dev, run, Ctrl-C; and a server that is restarted under those who follow. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { placeReadyCluster } from '../../server/test/support/ready-cluster.ts'
import { signalbox, start } from './support/command.ts'
import { createFolder } from './support/folder.ts'

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder?.remove())

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Process of the embedded Postgres of a folder. */
const postmaster = async (dir: string): Promise<number> =>
  Number(
    (await readFile(join(dir, '.signalbox/postgres/cluster/postmaster.pid'), 'utf8')).split(
      '\n',
    )[0],
  )

describe('init', () => {
  it('writes a project, keeps its data out of git, and overwrites nothing', async () => {
    const { dir } = folder
    await writeFile(join(dir, '.gitignore'), 'dist')
    const first = await signalbox(['init'], { cwd: dir })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain('npx signalbox dev')
    expect(await readFile(join(dir, '.gitignore'), 'utf8')).toBe('dist\n.signalbox/\n')
    const config = await readFile(join(dir, 'signalbox.config.mts'), 'utf8')

    const again = await signalbox(['init', '--json'], { cwd: dir })
    expect(again.code).toBe(5)
    expect(again.stderr).toMatch(/signalbox\.config\.mts is there already.*\[already_there\]/)
    expect(await readFile(join(dir, 'signalbox.config.mts'), 'utf8')).toBe(config)
    expect(await readFile(join(dir, '.gitignore'), 'utf8')).toBe('dist\n.signalbox/\n')
  })

  it('shows guardrails that can be switched on as they stand there', async () => {
    const { dir, remove } = await createFolder()
    onTestFinished(remove)
    await signalbox(['init'], { cwd: dir })
    const file = join(dir, 'signalbox.config.mts')
    const written = await readFile(file, 'utf8')
    const all = written.replaceAll(/^( +)\/\/ (provider|approvalTools): /gm, '$1$2: ')
    expect(all.length).toBeLessThan(written.length)
    await writeFile(file, all)
    const text = { agent: 'assistant', tool: 'count_words', args: { text: 'One two.' } }
    await writeFile(
      join(dir, 'rows.json'),
      JSON.stringify([{ ...text, expect: 'require_approval', code: 'approval_required' }]),
    )
    expect(await signalbox(['policy', 'test', 'rows.json'], { cwd: dir })).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  it('writes a JSON configuration that loads', async () => {
    const { dir, remove } = await createFolder()
    onTestFinished(remove)
    expect((await signalbox(['init', '--json'], { cwd: dir })).code).toBe(0)
    const { stdout } = await signalbox(['doctor', '--json'], { cwd: dir, env: { PORT: '9' } })
    expect(JSON.parse(stdout)).toMatchObject({ ok: true })
  })
})

describe('a new project', () => {
  it('does a run in the process of the command where no server runs', async () => {
    const where = { cwd: folder.dir, env: { PORT: '9' } }
    const { code, stdout, stderr } = await signalbox(['run', 'One two three.'], where)
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('in this process'),
    })
    expect(stdout).toMatch(/Words in your message: 3\.\ncompleted\n$/)
    // Nobody owns the database now: it is started for the proof.
    const proof = await signalbox(['audit', 'verify'], where)
    expect(proof).toMatchObject({ code: 0, stdout: expect.stringContaining('started for this') })
  })

  it('is served by dev, for humans; Ctrl-C leaves no process behind', async () => {
    const port = await freePort()
    const where = { cwd: folder.dir, env: { PORT: String(port) } }
    const dev = start(['dev'], where)
    await dev.prints(/serves at http/)
    const headers = { origin: 'http://localhost:5173' }
    const shown = await fetch(`http://127.0.0.1:${port}/ok`, { headers })
    expect(shown.status).toBe(200)
    expect(shown.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    const { code, stdout } = await signalbox(['run', 'One two.', '--wait'], where)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Words in your message: 2.\n' })
    const postgres = await postmaster(folder.dir)
    expect(alive(postgres)).toBe(true)

    const other = await createFolder()
    onTestFinished(other.remove)
    await signalbox(['init'], { cwd: other.dir })
    const taken = await signalbox(['dev', '--port', String(port)], { cwd: other.dir })
    expect(taken.code).toBe(1)
    expect(taken.stderr).toMatch(/^signalbox: .*is taken.*\[port_in_use\]\n$/)

    dev.child.kill('SIGINT')
    const ended = await dev.ended
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^\d\d:\d\d:\d\d info {2}embedded Postgres runs/m)
    expect(ended.stdout).not.toContain('{"level"')
    // Whoever inherits the dead may take a moment to bury them.
    await expect.poll(() => alive(postgres), { timeout: 20_000 }).toBe(false)
  })
})

describe('roles', () => {
  it('are spread over processes that share a database', async () => {
    const { dir, remove } = await createFolder()
    onTestFinished(remove)
    await signalbox(['init'], { cwd: dir })
    await placeReadyCluster(join(dir, 'data'))
    const database = await startEmbeddedPostgres({ dataDir: join(dir, 'data') })
    onTestFinished(() => database.stop())
    const where = { cwd: dir, env: { DATABASE_URL: database.url } }
    const server = start(['serve', '--roles', 'orchestrator,api', '--port', '0'], where)
    const [, url = ''] = await server.prints(/"url":"([^"]+)","roles":\["api","orchestrator"\]/)
    const worker = start(['worker'], where)
    await worker.prints(/"url":null,"roles":\["worker"\]/)
    const { code, stdout } = await signalbox(['run', 'One.', '--url', url, '--json'], where)
    const { run } = JSON.parse(stdout)
    const log = await signalbox(['events', run.run_id, '--url', url, '--json'], where)
    for (const { child } of [server, worker]) child.kill('SIGTERM')
    expect([(await server.ended).code, (await worker.ended).code, code]).toEqual([0, 0, 0])
    const executed = log.stdout.split('\n').find((line) => line.includes('"tool.completed"'))
    expect(JSON.parse(executed ?? '').actor).toContain(`.${worker.child.pid}.`)
  })
})

describe('a server that is restarted', () => {
  it('is found again by who follows a run: every event once, in order', async () => {
    const { dir, remove } = await createFolder()
    onTestFinished(remove)
    await writeFile(join(dir, 'signalbox.config.ts'), patient)
    const port = String(await freePort())
    const where = { cwd: dir, env: { PORT: port } }
    const serve = async () => {
      const server = start(['serve'], where)
      await server.prints(/"msg":"serving"/)
      return server
    }
    const first = await serve()
    const run = (await signalbox(['run', 'Wait.', '--detach'], where)).stdout.trim()
    const following = start(['events', run, '--follow', '--json'], where)
    await following.prints(/approval\.requested/)
    first.child.kill('SIGTERM')
    const stopped = await first.ended
    expect(stopped.code).toBe(0)
    for (const line of stopped.stdout.trim().split('\n'))
      expect(() => JSON.parse(line)).not.toThrow()

    const second = await serve()
    const [approval] = JSON.parse((await signalbox(['approvals', '--json'], where)).stdout)
    await signalbox(['approve', run, approval.call_id], where)
    const { code, stdout } = await following.ended
    second.child.kill('SIGTERM')
    await second.ended
    expect(code).toBe(0)
    const seqs = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq)
    expect(seqs).toEqual(seqs.map((_, n) => n + 1))
    expect(stdout).toContain('"outcome":"completed"')
  })
})

const patient = `import { defineConfig, defineTool, z } from 'signalbox'
const greet = defineTool({ name: 'greet', description: 'Greets.', input: z.object({}), run: () => 'hello' })
export default defineConfig({
  agents: {
    patient: {
      model: { provider: 'scripted', model: 'patient' },
      tools: ['greet'],
      guardrails: { approvalTools: ['greet'] },
    },
  },
  tools: [greet],
  scripts: { patient: (_, turn) => (turn === 0 ? { calls: [{ name: 'greet', args: {} }] } : { text: 'Done.' }) },
})
`
