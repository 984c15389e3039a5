/** A supervised child: whenever it dies it is started again, unless it was told to stay away. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@signalbox/server'
import type { ChildOrders, FromChild, ToChild } from './child-messages.ts'
import type { Armed } from './failpoints.ts'
import { forThisMachine } from '../support/for-this-machine.ts'

/** A death that somebody wanted, and whose it was. */
export interface Kill {
  readonly owner: string
  readonly role: Role
  readonly why: string
  readonly at: number
}

/** How a process is started. */
export interface Start {
  /** Its program: another build has another one. */
  readonly entry?: URL
  readonly nodeArgs?: readonly string[]
}

/** The log of a process that has a disk. */
export const serverLog = (disk: string): string => join(disk, 'server.log')

const restartMs = 50
/** A loaded machine takes its time. */
const startMsMax = forThisMachine(120_000)

export class Child {
  readonly #orders: Omit<ChildOrders, 'owner'>
  readonly #start: Start
  readonly kills: Kill[] = []
  #process: ChildProcess | null = null
  #owner = ''
  #up = Promise.withResolvers<void>()
  #isUp = false
  #armed: string | null = null
  #away = false
  /** Of the API; null without one, and while it is down. */
  url: string | null = null

  constructor(orders: Omit<ChildOrders, 'owner'>, start: Start = {}) {
    this.#orders = orders
    this.#start = start
    this.#begin()
  }

  /** Resolves when the process has started, now or after its restart. */
  async up(): Promise<void> {
    const late = sleep(startMsMax, 'late', { ref: false })
    if ((await Promise.race([this.#up.promise, late])) === 'late')
      throw new Error(`${this.#orders.role} does not start; see ${this.#orders.log}`)
  }

  /** Makes the process kill itself at a failpoint. */
  async arm(armed: Armed): Promise<void> {
    this.#armed = `killed at ${armed.point}`
    await this.#ask({ type: 'arm', ...armed }, 'armed')
  }

  /** Is it still to die at its failpoint? */
  get pending(): boolean {
    return this.#armed !== null
  }

  /** Forgets a failpoint that was not met; only a new process has none. */
  async disarm(): Promise<void> {
    if (this.pending) await this.kill('restarted to forget its failpoint')
  }

  async counts(): Promise<Readonly<Record<string, number>>> {
    const answer = await this.#ask({ type: 'count' }, 'counts')
    return answer.type === 'counts' ? answer.counts : {}
  }

  /** SIGKILL from outside, and a restart. */
  async kill(why: string): Promise<void> {
    const running = this.#process
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    this.#armed = why
    const gone = once(running, 'exit')
    running.kill('SIGKILL')
    await gone
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2' | 'SIGHUP'): void {
    this.#process?.kill(name)
  }

  /** Ends it for good. */
  async end(): Promise<void> {
    this.#away = true
    await this.kill('killed because it was needed no more')
  }

  #begin(): void {
    this.#owner = `${this.#orders.role}.${randomBytes(4).toString('hex')}`
    const orders: ChildOrders = { ...this.#orders, owner: this.#owner }
    const output = orders.disk === undefined ? null : openSync(serverLog(orders.disk), 'a')
    const child = fork(this.#start.entry ?? new URL('child-main.ts', import.meta.url), {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: join(dirname(orders.world), 'compiled'),
        SIGNALBOX_CRASH_ORDERS: JSON.stringify(orders),
      },
      execArgv: ['--no-warnings', ...(this.#start.nodeArgs ?? [])],
      stdio: ['ignore', output ?? 'ignore', 'inherit', 'ipc'],
    })
    if (output !== null) closeSync(output)
    this.#process = child
    child.on('message', (message: FromChild) => {
      if (message.type !== 'started') return
      this.url = message.url
      this.#isUp = true
      this.#up.resolve()
    })
    child.once('exit', () => this.#died())
  }

  #died(): void {
    const { role } = this.#orders
    const why = this.#armed ?? 'it died by itself'
    this.kills.push({ owner: this.#owner, role, why, at: Date.now() })
    this.#armed = null
    this.url = null
    // Who waits for a start goes on waiting for the next one.
    if (this.#isUp) this.#up = Promise.withResolvers()
    this.#isUp = false
    if (!this.#away) setTimeout(() => this.#begin(), restartMs)
  }

  /** Answers `armed` as well when it died before it could say so: it was at the point at once. */
  async #ask(message: ToChild, answer: FromChild['type']): Promise<FromChild> {
    if (this.#away) throw new Error(`${this.#orders.role} has ended`)
    await this.up()
    const child = this.#process
    return new Promise((resolve) => {
      const hear = (said: FromChild): void => {
        if (said.type !== answer) return
        child?.off('message', hear)
        resolve(said)
      }
      child?.on('message', hear)
      child?.once('exit', () => resolve({ type: 'armed' }))
      child?.send(message, () => {})
    })
  }
}
