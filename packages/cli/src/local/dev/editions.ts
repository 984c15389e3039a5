/** The configurations that `dev` serves, one after the other, over one database and at one address. */
import { relative, resolve } from 'node:path'
import { KeptPostgres } from '@signalbox/embedded'
import {
  beginEdition,
  type Edition,
  fileNames,
  loadConfig,
  type LoadedConfig,
  readEnvironment,
  type Signalbox,
  type StartPhase,
  startSignalbox,
  withSecretFiles,
} from '@signalbox/server'
import process from 'node:process'
import type { Terminal } from '../../output/terminal.ts'
import { errorSentence } from '../../report.ts'
import type { Shell } from '../../shell.ts'
import type { DevOptions } from '../dev.ts'
import { logFor } from '../log-for.ts'
import { seconds } from './greeting.ts'
import { Leaving } from './leaving.ts'
import { FileWatch } from './watch.ts'

/** A configuration that is served. */
export interface Serving {
  readonly signalbox: Signalbox
  readonly loaded: LoadedConfig
  readonly edition: Edition
}

interface World {
  readonly shell: Shell
  readonly options: DevOptions
  readonly terminal: Terminal
  /** Aborted when the user wants it to end. */
  readonly signal: AbortSignal
}

type OnPhase = (phase: StartPhase) => void

/** Neither the new configuration nor the one from before can be served. */
class NothingServes extends Error {
  override readonly name = 'NothingServes'
}

export class Editions {
  readonly #world: World
  readonly #kept = new KeptPostgres()
  readonly #leaving: Leaving
  #serving: Serving | null = null
  #hasOpened = false
  #reloading: Promise<unknown> = Promise.resolve()
  /** Where the first one was bound; a port that was free once is kept. */
  #port: number | null = null

  constructor(world: World) {
    this.#world = world
    this.#leaving = new Leaving(world.terminal)
  }

  /** Has a start begun to open anything that must be closed? */
  hasOpened(): boolean {
    return this.#hasOpened
  }

  /** Serves the configuration as it is. @throws ConfigError, StartError */
  async start(onPhase: OnPhase): Promise<Serving> {
    const edition = beginEdition()
    const loaded = await this.#load(edition)
    this.#serving = await this.#serve({ loaded, edition }, { onPhase })
    return this.#serving
  }

  /** Takes in what changes, until the signal is aborted. @throws StartError if nothing can be served any more */
  async follow(): Promise<void> {
    const { signal } = this.#world
    const first = this.#serving
    if (first === null) return
    const watch = new FileWatch(first.edition.files)
    for (;;) {
      const files = await watch.next(signal)
      if (signal.aborted) return await new Promise(() => {})
      const reloading = this.#take(watch, files)
      this.#reloading = reloading.catch(() => {})
      await reloading
    }
  }

  /** Closes everything; waits for what executes as long as the configuration says. */
  async stop(): Promise<void> {
    await this.#reloading
    await Promise.all([this.#serving?.signalbox.stop(), this.#leaving.stop()])
    await this.#kept.stop()
  }

  async #take(watch: FileWatch, files: readonly string[]): Promise<void> {
    const { terminal, signal } = this.#world
    const { pinned } = this.#now().edition
    const changed = files.filter((file) => !pinned.has(file))
    if (changed.length < files.length) this.#refuse(files.filter((file) => pinned.has(file)))
    watch.noted(files)
    if (changed.length === 0) return
    const beganAt = performance.now()
    const next = beginEdition()
    try {
      await this.#replace(next)
      watch.takeOnly(next.files)
      this.#tell('reloaded', { files: changed })
      const took = seconds(performance.now() - beganAt)
      terminal.line(`\n  ${this.#named(changed)} changed: reloaded in ${took}.`)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof NothingServes) throw error.cause
      watch.take(next.files)
      const why = errorSentence(error)
      this.#tell('not reloaded', { files: changed, error: why }, 'error')
      terminal.line(
        `\n  ${this.#named(changed)} changed, and cannot be used; the configuration from before goes on. ${why}`,
      )
    }
  }

  #refuse(files: readonly string[]): void {
    this.#tell('not reloaded', { files, error: 'runs may write there' })
    this.#world.terminal.line(
      `\n  ${this.#named(files)} changed, and is not reloaded: it is in the workspace, where runs may write. Start dev anew to take it.`,
    )
  }

  #named(files: readonly string[]): string {
    return files.map((file) => relative(this.#world.shell.cwd, file)).join(', ')
  }

  async #replace(edition: Edition): Promise<void> {
    const { signal, terminal } = this.#world
    const before = this.#now()
    await this.#leaving.room()
    const loaded = await this.#load(edition)
    const state = { tookOver: false }
    const takeOver = (port: number) => {
      signal.throwIfAborted()
      if (port !== this.#port) return
      state.tookOver = true
      this.#leaving.add(before.signalbox)
    }
    try {
      this.#serving = await this.#serve({ loaded, edition }, { onPhase: () => {}, takeOver })
    } catch (error) {
      if (state.tookOver && !signal.aborted) await this.#again(before)
      throw error
    }
    // At another address nobody had to make room before.
    this.#leaving.add(before.signalbox)
    const { url } = this.#now().signalbox
    if (url !== before.signalbox.url) terminal.line(`\n  It serves at ${url} now.`)
  }

  /** Serves a configuration once more that has left already. @throws NothingServes */
  async #again({ loaded, edition }: Serving): Promise<void> {
    try {
      this.#serving = await this.#serve({ loaded, edition }, { onPhase: () => {} })
    } catch (cause) {
      throw new NothingServes('the configuration from before cannot be served any more', { cause })
    }
  }

  async #load(edition: Edition): Promise<LoadedConfig> {
    const { shell, signal } = this.#world
    const loaded = await loadConfig(shell)
    signal.throwIfAborted()
    edition.pin(writableIn(loaded))
    return loaded
  }

  async #serve(
    { loaded, edition }: Omit<Serving, 'signalbox'>,
    about: { readonly onPhase: OnPhase; readonly takeOver?: (port: number) => void },
  ): Promise<Serving> {
    const { shell, options, signal } = this.#world
    const { cwd } = shell
    const env = withSecretFiles(shell.env, fileNames(loaded.config))
    const { port: named, dataDir, logLevel } = readEnvironment(env)
    const asked = options.port ?? named ?? loaded.config.server.port
    const port = asked === 0 ? (this.#port ?? 0) : asked
    const to = options.json ? null : process.stdout
    this.#hasOpened = true
    const signalbox = await startSignalbox({
      loaded,
      env,
      port,
      signal,
      embedded: this.#kept.start,
      localPages: true,
      announce: true,
      dataDir: resolve(cwd, dataDir),
      log: logFor(loaded, env, { level: logLevel, to }),
      takeOver: () => about.takeOver?.(port),
      onPhase: (phase) => {
        signal.throwIfAborted()
        about.onPhase(phase)
      },
    })
    this.#port = portOf(signalbox)
    return { signalbox, loaded, edition }
  }

  #now(): Serving {
    if (this.#serving === null) throw new Error('nothing is served yet')
    return this.#serving
  }

  #tell(msg: string, about: object, level: 'info' | 'error' = 'info'): void {
    this.#world.terminal.document({ level, time: new Date().toISOString(), msg, ...about })
  }
}

const portOf = ({ url }: Signalbox): number | null =>
  url === null ? null : Number(new URL(url).port || 80)

/** Folders that runs of this configuration may write. */
const writableIn = ({ config, dir }: LoadedConfig): readonly string[] =>
  config.workspace === undefined ? [] : [resolve(dir, config.workspace.root)]
