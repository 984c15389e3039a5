/** What a scene is, and what it plays on. */
import type { Scripts } from '@signalbox/models'
import type { ConfigInput } from '@signalbox/server'
import type { DefinedTool, SandboxAdapter } from '@signalbox/tools'
import type { Printer } from './printer.ts'
import type { RunRequest, WatchedRun } from './watched-run.ts'
import type { Worker } from './worker.ts'

/** One short run. */
export interface Scene {
  readonly title: string
  /** Why it matters, a sentence. */
  readonly why: string
  /** The agents it needs. `modelUrl` is where the scripts are served. */
  agents(modelUrl: string): ConfigInput['agents']
  /** Tools of its own. */
  readonly tools?: readonly DefinedTool[]
  /** What its models answer. */
  readonly scripts: Scripts
  /** Plays, and insists on what it promised. @throws Unmet */
  play(stage: Stage): Promise<void>
}

/** A running Signalbox for the scenes: API and orchestrator here, the worker a process of its own. */
export interface Stage {
  /** Address of the API. */
  readonly url: string
  readonly worker: Worker
  /** The sandbox that the tool `bash` executes in. */
  readonly sandbox: SandboxAdapter
  readonly print: Printer
  /** Creates a run and prints its timeline while it happens. */
  run(request: RunRequest): WatchedRun
  /** Asks the API and answers its body. */
  get(path: string): Promise<string>
  /** Asks the API, with a body of JSON if there is one, and answers its status. */
  post(path: string, body?: object): Promise<number>
  /** Asks the API for anything else. */
  ask(path: string, init: RequestInit): Promise<Response>
  /** Starts a worker in place of one that is gone. */
  startWorker(): Promise<void>
  /** The files of this name, of all threads. */
  files(name: string): Promise<readonly FoundFile[]>
  /** Milliseconds. Rejects when the demo is interrupted. */
  pause(ms: number): Promise<void>
}

/** A file of a thread. */
export interface FoundFile {
  readonly path: string
  readonly text: string
}
