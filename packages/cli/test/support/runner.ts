/**
 * Processes that have loaded the commands already, and run one after the other: loading takes ten times as long as most
 * commands. There are as many as commands run at the same time.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A command to run. */
export interface Order {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** How it ended, and what it left open. */
export interface Answer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly open: readonly string[]
}

/** A process, and the promise that rejects when it is gone. */
interface Runner {
  readonly child: ChildProcess
  readonly gone: Promise<never>
}

const main = fileURLToPath(new URL('runner-main.ts', import.meta.url))
const idle: Runner[] = []
const busy = new Set<Runner>()

/** A command that hangs goes with its test file. */
export function endRunners(): void {
  for (const { child } of busy) child.kill('SIGKILL')
}

async function take(): Promise<Runner> {
  const waiting = idle.pop()
  if (waiting) {
    waiting.child.ref()
    waiting.child.channel?.ref()
    return waiting
  }
  const child = fork(main, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })
  const gone = once(child, 'exit').then(([code, signal]: unknown[]) => {
    throw new Error(`the process that runs commands ended with ${String(code ?? signal)}`)
  })
  // Nobody waits for it between two commands.
  gone.catch(() => {})
  await Promise.race([once(child, 'message'), gone])
  return { child, gone }
}

/** Runs a command to its end. */
export async function runWarm(order: Order): Promise<Answer> {
  const runner = await take()
  busy.add(runner)
  try {
    const { child, gone } = runner
    const answered = Promise.race([once(child, 'message'), gone])
    child.send(order)
    const [answer]: Answer[] = await answered
    if (answer === undefined) throw new Error('no answer')
    if (answer.open.length > 0)
      throw new Error(`signalbox ${order.args.join(' ')} left open: ${answer.open.join(', ')}`)
    // It must not keep the tests from ending.
    child.unref()
    child.channel?.unref()
    idle.push(runner)
    return answer
  } finally {
    busy.delete(runner)
  }
}
