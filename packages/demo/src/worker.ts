/**
 * The worker as a process of its own: the same code as everywhere, with the one role.
 *
 * It ends when this process ends, however that happens: the channel between the two closes then.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Unmet } from './expect.ts'
import type { DemoSandbox } from './usable-sandbox.ts'

/** Where the worker finds what it needs. */
export interface WorkerPlace {
  readonly databaseUrl: string
  readonly modelUrl: string
  readonly sandbox: DemoSandbox
  /** Told its warnings and errors, one line each. */
  readonly log: (line: string) => void
}

const startMsMax = 60_000
const stopMsMax = 8_000
const saidCharsMax = 4_000
/** What a program needs to run at all. None of the keys and addresses that this environment may hold. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'SystemRoot', 'USERPROFILE']

/** A worker that can be killed and started again. */
export class Worker {
  readonly #place: WorkerPlace
  #child: ChildProcess | null = null

  constructor(place: WorkerPlace) {
    this.#place = place
  }

  /** Of the process that runs, or 0. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts a process and waits until it takes work. @throws Unmet */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { databaseUrl, log, ...place } = this.#place
    const main = new URL(`./worker-main${extname(import.meta.url)}`, import.meta.url)
    const kept = passedOn.map((name) => [name, process.env[name]] as const)
    const child = spawn(process.execPath, [fileURLToPath(main), JSON.stringify(place)], {
      env: { ...Object.fromEntries(kept), DATABASE_URL: databaseUrl },
      // A session of its own: a Ctrl-C at the terminal is for the parent to handle.
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-saidCharsMax)
      for (const line of text.trimEnd().split('\n')) log(`worker: ${line}`)
    })
    const over = AbortSignal.any([signal, AbortSignal.timeout(startMsMax)])
    const started = await Promise.race([
      once(child, 'message', { signal: over }).then(() => true),
      once(child, 'exit', { signal: over }).then(() => false),
    ])
    if (!started) throw new Unmet(`the worker did not start: ${said.trim()}`)
  }

  /** SIGKILL: no goodbye, nothing is handed over. Waits until the process is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Asks it to stop, insists after a while. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), stopMsMax)
    await this.#end('SIGTERM')
    clearTimeout(timer)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === null) return
    const running = child.exitCode === null && child.signalCode === null
    const gone = running && child.pid !== undefined ? once(child, 'exit') : null
    child.kill(signal)
    await gone
    this.#child = null
  }
}
