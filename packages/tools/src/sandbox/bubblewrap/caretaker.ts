/**
 * The caretaker of a worker: a process that ends what the worker has started if the worker dies.
 *
 * C1 It lives before the first command does, and for as long as the worker. Whoever asks for a command makes sure of it.
 * C2 It ends what carries the mark of its worker, whatever state that is in. bwrap ties itself and what it starts to its parent,
 *    but each only after a while, and one whose parent died before that waits for ever.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closeInherited } from './inherited.ts'
import { newMark } from './marked.ts'

/** Before its own mark, so that it does not carry it. */
export const watches = 'watches:'

const main = fileURLToPath(new URL(`./caretaker-main${extname(import.meta.url)}`, import.meta.url))

/** That of one worker, as the worker sees it. */
export class Caretaker {
  /** Every process that the worker starts carries it. */
  readonly mark = newMark()
  #child: ChildProcess | null = null
  #isDismissed = false

  /**
   * Starts it, unless it is there. `home`: a directory that it removes when the worker has died.
   * @throws Error if no process can be started.
   */
  watch(home: string | null): void {
    if (this.#isDismissed) throw new Error('the sandboxes are closed')
    if (this.#child?.exitCode === null && this.#child.signalCode === null) return
    const told = [`${watches}${this.mark}`, home ?? '']
    const own = [process.execPath, main, ...told]
    const [program = '', ...args] = [...closeInherited(), ...own]
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      cwd: '/',
      // In a session of its own: what ends all processes of a terminal does not end it before its time.
      detached: true,
    })
    child.on('error', () => undefined)
    if (child.pid === undefined) throw new Error('no process can be started')
    child.stdin.on('error', () => undefined)
    // It waits for this process, not this one for it.
    child.unref()
    if (child.stdin instanceof Socket) child.stdin.unref()
    this.#child = child
  }

  /** Lets it go: the worker has ended what it started. */
  dismiss(): void {
    this.#isDismissed = true
    this.#child?.stdin?.end('over')
  }
}
