/** Runs a block and complains if it did not come out as the page says. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventSchemas, isEventType } from '@signalbox/core'
import { loadAsStarted } from './load-config.ts'
import pg from 'pg'
import type { Block } from './blocks.ts'
import { root, type Sandbox } from './sandbox.ts'

const execute = promisify(execFile)
const node = join(root, 'node_modules', '.bin', 'node')

/** Runs one block after another in a sandbox, and remembers what the last one said. */
export class Runner {
  readonly #sandbox: Sandbox
  #output = ''

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /** @throws Error that says what the block did instead */
  async run(block: Block): Promise<void> {
    const { run, code } = block
    switch (run.how) {
      case 'shell':
        return this.#shell(code, run)
      case 'typescript':
        return this.#typescript(code, run.file)
      case 'config':
        return this.#config(code, run.file)
      case 'data':
        JSON.parse(code)
        return writeFile(join(this.#sandbox.folder, run.file), `${code}\n`)
      case 'event':
        return readEvent(code, run.type)
      case 'sql':
        return this.#sql(code, run.role)
      case 'output':
        return expectOutput(code, this.#output)
      case 'nothing':
    }
  }

  async #shell(
    code: string,
    { background, expectExit }: { readonly background: boolean; readonly expectExit: number },
  ): Promise<void> {
    const { shell, serverAnswers } = this.#sandbox
    if (background) {
      await shell.start(code)
      return serverAnswers()
    }
    const ended = expectExit === 0 ? await shell.run(code) : await shell.runFailing(code)
    this.#output = ended.output
    if (ended.exit !== expectExit)
      throw new Error(`it ended with ${ended.exit}, not ${expectExit}:\n${ended.output}`)
  }

  /** Its types were checked together with those of all pages. */
  async #typescript(code: string, file: string): Promise<void> {
    const { folder, url } = this.#sandbox
    await writeFile(join(folder, file), `${code}\n`)
    const options = { cwd: folder, env: { ...process.env, SIGNALBOX_URL: url } }
    this.#output = (await execute(node, ['--no-warnings', file], options)).stdout
  }

  async #config(code: string, file: string | null): Promise<void> {
    await loadAsStarted(JSON.parse(code), this.#sandbox.folder)
    if (file !== null) await writeFile(join(this.#sandbox.folder, file), `${code}\n`)
  }

  async #sql(code: string, role: string): Promise<void> {
    const { databaseUrl } = this.#sandbox
    if (databaseUrl === null) throw new Error('the page has no database: say so in pages.ts')
    const client = new pg.Client(databaseUrl)
    await client.connect()
    try {
      if (role !== 'admin') await client.query(`set role ${pg.escapeIdentifier(role)}`)
      const answer = await client.query(code)
      const rows = Array.isArray(answer) ? answer.flatMap((each) => each.rows) : answer.rows
      this.#output = rows.map((row) => JSON.stringify(row)).join('\n')
    } finally {
      await client.end()
    }
  }
}

function readEvent(code: string, type: string): void {
  if (!isEventType(type)) throw new Error(`there is no event type "${type}"`)
  eventSchemas[type].parse(JSON.parse(code))
}

/** Every line must stand in the output, in order. `…` stands for anything within a line, a blank for any blanks. */
function expectOutput(code: string, output: string): void {
  let rest = output
  for (const line of code.split('\n').filter((each) => each.trim() !== '')) {
    const found = patternOf(line).exec(rest)
    if (!found) throw new Error(`the line "${line}" is not in:\n${rest}`)
    rest = rest.slice(found.index + found[0].length)
  }
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .trim()
      .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      .replaceAll(/\s+/g, '\\s+')
      .replaceAll('…', '.*?'),
  )
