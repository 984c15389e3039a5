import { type ChildProcess, fork } from 'node:child_process'
import { type Order, Report } from './messages.ts'

interface Waiting {
  readonly resolve: (report: Report) => void
  readonly reject: (error: Error) => void
}

/** The worker of a set-up, in a process of its own. Orders are answered in their order. */
export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #waiting: Waiting[] = []

  constructor() {
    this.#child = fork(new URL('worker-main.ts', import.meta.url), {
      // Only problems are printed there, and standard output belongs to the report.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (message) => this.#waiting.shift()?.resolve(Report.parse(message)))
    this.#child.on('exit', (code) => {
      for (const { reject } of this.#waiting.splice(0))
        reject(new Error(`the worker process ended with code ${code}`))
    })
  }

  ask(order: Exclude<Order, { kind: 'hints' }>): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#child.send(order)
    })
  }

  hint(effects: readonly { readonly effectId: string; readonly queue: string }[]): void {
    this.#child.send({ kind: 'hints', effects: [...effects] } satisfies Order)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) await this.ask({ kind: 'stop' })
  }
}
