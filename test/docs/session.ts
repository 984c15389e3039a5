/**
 * One shell per page: blocks share variables and the working directory, as they do for a reader who types them one after
 * the other. A block that fails ends the session.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { replacements } from './replaced.ts'

/** What a block came to. */
export interface Ended {
  readonly exit: number
  readonly output: string
}

export class ShellSession {
  readonly #shell: ChildProcess
  readonly #folder: string
  #output = ''
  #heard: () => void = () => {}
  #ended = false

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder
    // A group of its own, so that what blocks leave in the background can be ended with it.
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString('utf8')
        this.#heard()
      })
    this.#shell.on('close', () => {
      this.#ended = true
      this.#heard()
    })
    this.#say(replacements())
  }

  /** Runs a block to its end. */
  async run(code: string): Promise<Ended> {
    const file = await this.#write(code)
    const mark = randomBytes(8).toString('hex')
    const from = this.#output.length
    // In a group of commands `set -e` would be without effect, so the block's own exit code decides.
    this.#say(`set -eo pipefail\n. ${file}\n{ set +e; } 2>/dev/null\necho "${mark} 0"`)
    const end = new RegExp(`${mark} 0\\n`)
    await this.#until(() => end.test(this.#output.slice(from)))
    const said = this.#output.slice(from)
    const match = end.exec(said)
    if (match) return { exit: 0, output: said.slice(0, match.index) }
    return { exit: this.#shell.exitCode ?? 1, output: said }
  }

  /** Runs a block in a shell of its own that is expected to fail, with what has been set so far. */
  async runFailing(code: string): Promise<Ended> {
    const file = await this.#write(code)
    const mark = randomBytes(8).toString('hex')
    const from = this.#output.length
    this.#say(`(set -eo pipefail; . ${file}); echo "${mark} $?"`)
    const end = new RegExp(`${mark} (\\d+)\\n`)
    await this.#until(() => end.test(this.#output.slice(from)))
    const said = this.#output.slice(from)
    const match = end.exec(said)
    return { exit: Number(match?.[1] ?? 1), output: said.slice(0, match?.index) }
  }

  /** Starts a block in the background. What it says is part of what the blocks after it say. */
  async start(code: string): Promise<void> {
    const file = await this.#write(code)
    const [log, exit] = [
      join(this.#folder, 'background.log'),
      join(this.#folder, 'background.exit'),
    ]
    this.#say(`(. ${file}; echo $? > ${exit}) > ${log} 2>&1 &`)
  }

  /** Ends the shell and everything that it started: politely, so that servers stop their Postgres. */
  async close(): Promise<void> {
    const { pid } = this.#shell
    if (pid === undefined) return
    this.#shell.stdin?.end()
    signalGroup(pid, 'SIGTERM')
    for (let waited = 0; signalGroup(pid, 0); waited += 50) {
      if (waited > 30_000) signalGroup(pid, 'SIGKILL')
      await setTimeout(50)
    }
  }

  async #write(code: string): Promise<string> {
    const file = join(this.#folder, `.block-${randomBytes(4).toString('hex')}.sh`)
    await writeFile(file, `${code}\n`)
    return file
  }

  #say(line: string): void {
    this.#shell.stdin?.write(`${line}\n`)
  }

  async #until(done: () => boolean): Promise<void> {
    while (!done() && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
  }
}

/** Is there anybody left in the group? */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
