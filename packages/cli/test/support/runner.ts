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

const main = fileURLToPath(new URL('runner-main.ts', import.meta.url))
const idle: ChildProcess[] = []
const busy = new Set<ChildProcess>()

/** A command that hangs goes with its test file. */
export function endRunners(): void {
  for (const child of busy) child.kill('SIGKILL')
}

async function take(): Promise<ChildProcess> {
  const waiting = idle.pop()
  if (waiting) {
    waiting.ref()
    waiting.channel?.ref()
    return waiting
  }
  const child = fork(main, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })
  await Promise.race([once(child, 'message'), failed(child)])
  return child
}

const failed = async (child: ChildProcess): Promise<never> => {
  const [code, signal]: unknown[] = await once(child, 'exit')
  throw new Error(`the process that runs commands ended with ${String(code ?? signal)}`)
}

/** Runs a command to its end. */
export async function runWarm(order: Order): Promise<Answer> {
  const child = await take()
  busy.add(child)
  try {
    const answered = Promise.race([once(child, 'message'), failed(child)])
    child.send(order)
    const [answer]: Answer[] = await answered
    if (answer === undefined) throw new Error('no answer')
    if (answer.open.length > 0)
      throw new Error(`signalbox ${order.args.join(' ')} left open: ${answer.open.join(', ')}`)
    // It must not keep the tests from ending.
    child.unref()
    child.channel?.unref()
    idle.push(child)
    return answer
  } finally {
    busy.delete(child)
  }
}
