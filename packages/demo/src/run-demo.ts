/** The demo from its first line to its last. */
import process from 'node:process'
import { EmbeddedPostgresError } from '@signalbox/embedded'
import { ConfigError, type Env, StartError } from '@signalbox/server'
import { verifyRuns } from './chain.ts'
import { closeAll, type Closers } from './closers.ts'
import { counted } from './event-detail.ts'
import { Unmet } from './expect.ts'
import { hasPublishedServers } from './demo-config.ts'
import { createPrinter, type Printer } from './printer.ts'
import type { Scene } from './scene.ts'
import { scriptedScenes } from './scenes.ts'
import { providerEnv, providerScene } from './scenes/provider.ts'
import { openStage, type OpenStage } from './stage.ts'
import { yourTurn } from './your-turn.ts'

export interface DemoOptions {
  readonly env: Env
  /** Aborted when the demo is interrupted. */
  readonly signal: AbortSignal
}

/** Lines of trouble that are kept for the case that the demo fails. */
const troubleMax = 20

/** Plays all scenes and cleans up. Answers whether every expectation was met; tells on standard error which was not. */
export async function runDemo({ env, signal }: DemoOptions): Promise<boolean> {
  const print = createPrinter(process.stdout)
  const trouble: string[] = []
  const log = (line: string) => void trouble.splice(0, trouble.push(line) - troubleMax)
  const closers: Closers = []
  const failures: unknown[] = []
  const scenes = [...scriptedScenes, providerScene(env)]
  try {
    print.title('Signalbox demo')
    print.aside('Starting Postgres, the API with its orchestrator, a worker, and two MCP servers …')
    const stage = await openStage({ scenes, env: providerEnv(env), print, signal, log }, closers)
    describe(stage)
    await playAll(stage, scenes)
    await conclude(stage, scenes.length + 1)
  } catch (error) {
    if (!signal.aborted) failures.push(error)
  }
  await closeAll(closers).catch((error: unknown) => failures.push(error))
  for (const failure of failures) process.stderr.write(`\n✗ ${describeFailure(failure)}\n`)
  if (failures.length > 0) {
    for (const line of trouble) process.stderr.write(`  ${line}\n`)
    return false
  }
  print.line('\nStopped, and nothing is left behind.')
  if (!signal.aborted) inviteTo(print)
  return true
}

/** The last three lines make an agent of the reader's own; each can be typed as it stands. */
function inviteTo(print: Printer): void {
  print.line()
  print.title('Your turn: an agent of your own')
  for (const line of yourTurn()) print.line(line)
}

function describe({ print, url, database, worker }: OpenStage): void {
  print.aside(
    `Postgres ${database.port} (embedded) · BullMQ on Postgres · API ${url} · worker ${worker.pid}`,
  )
  print.aside(
    hasPublishedServers()
      ? 'MCP servers: filesystem, over this repository, and everything'
      : 'MCP servers: two processes of our own, over the installed package',
  )
}

async function playAll(stage: OpenStage, scenes: readonly Scene[]): Promise<void> {
  for (const [n, scene] of scenes.entries()) {
    stage.print.scene(n + 1, scene.title, scene.why)
    try {
      await scene.play(stage)
    } catch (error) {
      if (error instanceof Unmet) throw new Unmet(`scene ${n + 1}: ${error.message}`)
      throw error
    }
  }
}

/** The chains last, over everything that was played. */
async function conclude({ print, database, runs }: OpenStage, number: number): Promise<void> {
  const { events, forgery } = await verifyRuns(database.url, runs)
  print.scene(number, 'The log', 'Every event carries the hash of the one before it.')
  print.line()
  print.met(`chains verified: ${counted(runs.length, 'run')}, ${counted(events, 'event')}`)
  print.met('every hash is the one that the API had shown while it happened')
  print.met(`a copy with one word changed does not pass: ${forgery}`)
}

/** What the demo did not foresee keeps its stack: it is a defect. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const foreseen = [Unmet, ConfigError, StartError, EmbeddedPostgresError]
  return foreseen.some((kind) => error instanceof kind)
    ? error.message
    : (error.stack ?? error.message)
}
