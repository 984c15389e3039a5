/** A process of the bench that answers orders, each with one report, in their order. */
import { youngGeneration } from '@signalbox/server'
import { type ChildProcess, fork } from 'node:child_process'
import type { z } from 'zod'

interface Waiting<Report> {
  readonly resolve: (report: Report) => void
  readonly reject: (error: Error) => void
}

export class Child<Order extends { readonly kind: string }, Report> {
  readonly #process: ChildProcess
  readonly #waiting: Waiting<Report>[] = []

  constructor(script: URL, report: z.ZodType<Report>) {
    this.#process = fork(script, {
      execArgv: ['--expose-gc', '--no-warnings', ...youngGeneration],
      // Only problems are printed there, and standard output belongs to the results.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#process.on('message', (message) => this.#waiting.shift()?.resolve(report.parse(message)))
    const fail = (why: string): void => {
      for (const { reject } of this.#waiting.splice(0))
        reject(new Error(`${script.pathname} ${why}`))
    }
    this.#process.on('exit', (code) => fail(`ended with code ${code}`))
    // An order that is sent to a process that has ended meanwhile.
    this.#process.on('error', (error) => fail(error.message))
  }

  ask(order: Order): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#process.send(order)
    })
  }

  /** Ends the process, whatever it is at, once it has answered `order`. */
  async stop(order: Order): Promise<void> {
    if (this.#process.exitCode === null) await this.ask(order).catch(() => {})
    this.#process.kill()
  }
}
