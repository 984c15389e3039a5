/** The command as a user has it, run by the same Node as the tests: in a process of its own, or quickly. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endRunners, runWarm } from './runner.ts'

const bin = fileURLToPath(new URL('../../bin/signalbox.js', import.meta.url))

/** Nothing of the test runner, and nothing of ours that the shell of a developer may hold. */
const ours = /^(VITEST|NODE_(ENV|OPTIONS)$|SIGNALBOX_|DATABASE_URL$|REDIS_URL$|PORT$|HOST$)/
const plain = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    ours.test(name) || value === undefined ? [] : [[name, value]],
  ),
)

const running = new Set<ChildProcess>()

/** A test that fails leaves no command behind: called after each file, by `end-commands.ts`. */
export function endCommands(): void {
  for (const child of running) child.kill('SIGKILL')
  endRunners()
}

export interface Where {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** What stands on standard input; nothing if absent. For `start` only. */
  readonly input?: string | Uint8Array
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs: what it printed so far, and its end. */
export interface Running {
  readonly child: ChildProcess
  readonly printed: () => string
  readonly ended: Promise<Ended>
  /** Waits until it has printed something that matches. */
  prints(pattern: RegExp): Promise<RegExpExecArray>
}

export function start(args: readonly string[], where: Where): Running {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: where.cwd,
    env: { ...plain, ...where.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // One that refuses does not read on.
  child.stdin.on('error', () => {})
  child.stdin.end(where.input ?? '')
  running.add(child)
  child.once('close', () => running.delete(child))
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(([code]: unknown[]) => ({
    code: typeof code === 'number' ? code : null,
    stdout,
    stderr,
  }))
  const printed = () => stdout + stderr
  return {
    child,
    printed,
    ended,
    prints: async (pattern) => {
      for (;;) {
        const found = pattern.exec(printed())
        if (found) return found
        if (!running.has(child)) throw new Error(`ended without ${pattern}: ${printed()}`)
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
    },
  }
}

/**
 * Runs a command to its end, in a process that has run others: a module of a folder that is written anew stays as it was.
 * For what depends on a process of its own, such as signals and servers, there is `start`.
 */
export async function signalbox(args: readonly string[], where: Where): Promise<Ended> {
  const { code, stdout, stderr } = await runWarm({
    args,
    cwd: where.cwd,
    env: { ...plain, ...where.env },
  })
  return { code, stdout, stderr }
}
