/** The project of the fixtures, in a folder of its own, and processes of its roles: each with the variables it is given alone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Writable } from 'node:stream'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const fixture = fileURLToPath(new URL('../project', import.meta.url))
const packageFolder = fileURLToPath(new URL('../../../packages/cli', import.meta.url))

/** A folder as an image has it: the project, and Signalbox installed. */
export interface Deployed {
  readonly folder: string
  /** Runs a command in it. `third`: what it finds at descriptor 3, a text or the channel of a forked process. */
  start(args: readonly string[], env: Readonly<Record<string, string>>, third?: Third): RoleProcess
  /** What the tools of the project have written. */
  written(name: string): Promise<string>
  /** Lets the bank answer. */
  answerBank(): Promise<void>
  /** Ends what runs. */
  remove(): Promise<void>
}

type Third = { readonly text: string } | 'channel'

/** A process of one role. */
export interface RoleProcess {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly printed: () => string
  /** Waits until it serves. Rejects if it ends before. */
  readonly url: Promise<string>
}

/** Puts the project into a folder with the sources linked, or over the tree of an image that has the package itself. */
export async function deployProject(tree?: string): Promise<Deployed> {
  const folder = tree ?? (await mkdtemp(join(tmpdir(), 'signalbox-deployed-')))
  if (tree === undefined) {
    await chmod(folder, 0o755)
    await cp(fixture, folder, { recursive: true })
    await mkdir(join(folder, 'node_modules'))
    await symlink(packageFolder, join(folder, 'node_modules', 'signalbox'))
  }
  const shop = join(folder, 'shop')
  await mkdir(shop)
  const running: RoleProcess[] = []
  return {
    folder,
    start(args, env, third) {
      const started = startIn(folder, args, { env: { ...env, SHOP_FOLDER: shop }, third })
      running.push(started)
      return started
    },
    written: (name) => readFile(join(shop, name), 'utf8').catch(() => ''),
    answerBank: () => writeFile(join(shop, 'bank-answers'), ''),
    async remove() {
      for (const { child } of running) child.kill('SIGKILL')
      await Promise.all(running.map(({ ended }) => ended))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function startIn(
  folder: string,
  args: readonly string[],
  given: { readonly env: Readonly<Record<string, string>>; readonly third: Third | undefined },
): RoleProcess {
  const bin = join(folder, 'node_modules', 'signalbox', 'bin', 'signalbox.js')
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...given.env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...thirdOf(given.third)],
  })
  const descriptor = child.stdio[3]
  if (typeof given.third === 'object' && descriptor instanceof Writable)
    descriptor.end(given.third.text)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'close').then(([code]: unknown[]) =>
    typeof code === 'number' ? code : null,
  )
  const printed = (): string => said
  const url = servingAt(child, printed)
  // A test that waits for the end of a process asks for no address.
  url.catch(() => undefined)
  return { child, ended, printed, url }
}

function thirdOf(third: Third | undefined): readonly ('pipe' | 'ipc')[] {
  if (third === undefined) return []
  return third === 'channel' ? ['ipc'] : ['pipe']
}

async function servingAt(child: ChildProcess, printed: () => string): Promise<string> {
  for (;;) {
    const [, url] = /"msg":"serving","url":"(http:[^"]+)"/.exec(printed()) ?? []
    if (url !== undefined) return url
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended before it served: ${printed()}`)
    await setTimeout(25)
  }
}
