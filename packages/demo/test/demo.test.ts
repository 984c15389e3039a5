/**
 * The demo as its users run it: a child process, everything in it real. Would catch: a scene that does not keep its
 * promise, an exit code that lies, a process or a directory that is left behind, a key that is printed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serveScripts } from '@signalbox/models'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { providerEnv, providerScene } from '../src/scenes/provider.ts'
import { usableSandbox } from '../src/usable-sandbox.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const testMs = 180_000

let temporary: string
let child: ChildProcess | undefined
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'signalbox-demo-test-'))
  // Run by root, Postgres is another user, who must be able to enter.
  await chmod(temporary, 0o755)
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(temporary, { recursive: true, force: true })
})

interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

async function processes(): Promise<readonly Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,stat=,args=', '-ww'])
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, stat, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    // Zombies have ended; they wait for a parent who does not look.
    if (command === undefined || stat?.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

/** Everything below a process, seen at any time: whoever leaves the group or loses his parent is still known. */
class Family {
  readonly #root: number
  /** Every command line a process was seen with: it has its parent's before it begins, and none while it ends. */
  readonly #known = new Map<number, Set<string>>()

  constructor(root: number) {
    this.#root = root
  }

  async look(): Promise<void> {
    const all = await processes()
    const ids = new Set([this.#root, ...this.#known.keys()])
    for (let before = 0; before < ids.size;) {
      before = ids.size
      for (const { pid, parent } of all) if (ids.has(parent)) ids.add(pid)
    }
    ids.delete(this.#root)
    for (const { pid, command } of all)
      if (ids.has(pid)) this.#known.set(pid, (this.#known.get(pid) ?? new Set()).add(command))
  }

  saw(pattern: RegExp): boolean {
    return [...this.#known.values()].some((commands) =>
      [...commands].some((command) => pattern.test(command)),
    )
  }

  /** Who of them lives. A pid that another program has by now is not one of them. */
  async left(): Promise<readonly string[]> {
    const all = await processes()
    return all
      .filter(({ pid, command }) => this.#known.get(pid)?.has(command) === true)
      .map(({ command }) => command)
  }
}

/** Plays the demo to its end, interrupted as soon as its output matches `interruptAt`. */
async function demo(options: {
  readonly env?: Readonly<Record<string, string>>
  readonly interruptAt?: RegExp
}) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, TMPDIR: temporary, ...options.env }
  const started = spawn(process.execPath, [main], { env, detached: true })
  child = started
  const family = new Family(started.pid ?? 0)
  const said = { out: '', err: '' }
  let interrupted = false
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
    // At once: the demo goes on meanwhile.
    if (interrupted || options.interruptAt?.test(said.out) !== true) return
    interrupted = true
    started.kill('SIGINT')
  })
  started.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  let code: unknown
  const closed = once(started, 'close').then(([answer]: unknown[]) => {
    code = answer
    return true
  })
  while (!(await Promise.race([closed, sleep(200, false)]))) await family.look()
  return { ...said, code, family }
}

/** What died a moment ago may still be in the list. */
async function expectNothingLeft(family: Family): Promise<void> {
  await expect.poll(() => family.left(), { timeout: 30_000 }).toEqual([])
  expect(await readdir(temporary)).toEqual([])
  for (const part of [/postgres.* -D /, /worker-main/, /server-filesystem/, /server-everything/])
    expect(family.saw(part), String(part)).toBe(true)
}

describe('npm run demo', () => {
  it(
    'plays every scene, keeps its promises and leaves nothing behind',
    async () => {
      const key = 'sk-this-is-never-printed'
      const provider = await serveScripts({
        live: (_, turn) =>
          turn === 0
            ? { calls: [{ name: 'write_file', args: { path: 'report.md', content: '# Live' } }] }
            : { text: 'The live report is written.' },
      })
      onTestFinished(() => provider.close())
      const { out, err, code, family } = await demo({
        env: {
          OPENAI_API_KEY: key,
          OPENAI_BASE_URL: provider.url,
          SIGNALBOX_DEMO_MODEL: 'live',
          // Of no concern to the demo.
          REDIS_URL: 'redis://127.0.0.1:1',
          DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/nowhere',
          SIGNALBOX_API_KEY: 'x'.repeat(20),
          PORT: '1',
        },
      })
      expect({ err, code }).toEqual({ err: '', code: 0 })
      const outcomes = [...out.matchAll(/^ {3}outcome {2}(\w+)$/gm)].map(([, outcome]) => outcome)
      expect(outcomes).toEqual([
        'completed',
        'safety_stopped',
        'completed',
        'completed',
        'completed',
        'loop_stopped',
        'completed',
        'completed',
        'completed',
        'cancelled',
        'cancelled',
        'completed',
        'completed',
      ])
      for (const attempt of [1, 2])
        expect(out).toMatch(new RegExp(`#2 {2}attempt ${attempt}$`, 'm'))
      const crash = out.slice(out.indexOf('SIGKILL the worker'), out.indexOf('on a real provider'))
      expect(crash).toMatch(/^ +\+\d+ ms {2}worker \d+ .*attempt 2$/m)
      expect(out).toMatch(/call\.denied +shell +oap\.dangerous_operation by passport/)
      expect(out).toMatch(/npx signalbox approve a_\S+ --url http:\/\/127\.0\.0\.1:\d+$/m)
      expect(out).toContain('✓ [redacted:email] stands where the address was')
      expect(out).not.toContain('ann.lee')
      expect(out).toMatch(/loop\.stopped +identical_call_set: 5 times/)
      expect(out).toMatch(/summed up [3-9] times: no request was over \d{4} of 8000 tokens/)
      expect(out).toContain('and all 12 pages stand in the log as they were read')
      expect(out).toContain('the report of the run names outputs/total.md: Sold in all: 42')
      expect(out).toContain('as an attachment: no browser runs it')
      expect(out).toContain('from its first moment the thread was called "What do bells cost?"')
      expect(out).toContain('a model called it "Prices of bells"')
      expect(out).toContain('an excuse of the model is no title (apology): the words stand')
      expect(out).toContain('what a person called it stands: "Bells for the south"')
      expect(out).toMatch(
        (await usableSandbox()) === 'bubblewrap'
          ? /the cancel answered 204 after \d+ ms: of [89] processes none was left/
          : /the script was ended after \d+ ms/,
      )
      expect(out).toContain('The live report is written.')
      expect(out).toMatch(/chains verified: 15 runs, \d\d\d events/)
      expect(out + err).not.toContain(key)
      expect(out).not.toContain('新能源')
      expect(out).toMatch(
        /\nStopped, and nothing is left behind\.\n\nYour turn: an agent of your own\n.* npm pack -w signalbox .*\n.* npm install \.\/signalbox-[\d.]+\.tgz && npx signalbox init\nnpx signalbox run ".+"\n$/,
      )
      // No escape sequences where there is no terminal.
      expect(out).not.toContain('\u001b')
      expect(provider.requests('live')).toBe(2)
      await expectNothingLeft(family)
    },
    testMs,
  )

  it(
    'is interrupted in the middle of a tool call and leaves nothing behind',
    async () => {
      const interruptAt = /effect\.started +mcp__everything__\S+ #2 {2}attempt 1/
      const { out, err, code, family } = await demo({ interruptAt })
      expect({ err: err.trim(), code }).toEqual({
        err: 'Interrupted; stopping everything …',
        code: 130,
      })
      expect(out).not.toContain('SIGKILL the worker')
      await expectNothingLeft(family)
    },
    testMs,
  )

  it(
    'says which promise was not kept, exits 1 and leaves nothing behind',
    async () => {
      const broken = `const real = fetch
        globalThis.fetch = (url, init) => String(url).endsWith('/runs/stream')
          ? Promise.resolve(new Response('out of order', { status: 503 })) : real(url, init)`
      const { err, code, family } = await demo({
        env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}` },
      })
      expect(code).toBe(1)
      expect(err).toContain('✗ scene 1: POST /runs/stream answered 503: out of order')
      await expectNothingLeft(family)
    },
    testMs,
  )
})

describe('the real provider', () => {
  it('needs a key, and says which', () => {
    const scene = providerScene({ OPENAI_API_KEY: ' ' })
    expect(scene.why).toContain('OPENAI_API_KEY')
    expect(scene.agents('')).toEqual({})
  })

  it.each([
    ['OPENAI_API_KEY', 'openai'],
    ['ANTHROPIC_API_KEY', 'anthropic'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google'],
    ['GEMINI_API_KEY', 'google'],
  ])('is chosen by %s', (name, provider) => {
    const agents = providerScene({ [name]: 'key', SIGNALBOX_DEMO_MODEL: 'mine' }).agents('')
    expect(Object.values(agents)[0]?.model).toEqual({ provider, model: 'mine', apiKeyEnv: name })
  })

  it('gets its key and nothing else of the environment', () => {
    const env = providerEnv({ OPENAI_API_KEY: 'key', REDIS_URL: 'redis://x', PORT: '1' })
    expect(Object.entries(env).filter(([, value]) => value !== undefined)).toEqual([
      ['OPENAI_API_KEY', 'key'],
    ])
  })
})
