/** `dev`, `serve` and `worker`: processes of Signalbox. */
import process from 'node:process'
import type { Command } from 'commander'
import type { Role, StartedProcess } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { usageFailure } from '../failure.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { dotEnvLine } from '../local/dot-env.ts'
import { startEmbedded } from '../local/start-embedded.ts'
import { type CommonOptions, wholeNumber, withCommon } from '../options.ts'
import type { Shell } from '../shell.ts'

interface ServeOptions extends CommonOptions {
  readonly port?: number
  readonly roles?: readonly Role[]
  readonly queues?: readonly string[]
  /** False with `--no-migrate`. */
  readonly migrate: boolean
}

const roles: readonly Role[] = ['api', 'orchestrator', 'worker']
const portOption = [
  '--port <port>',
  'where the API listens; 0 takes a free port (default: PORT, the configuration, or 7420)',
  wholeNumber(0, 65_535),
] as const

const noMigrateOption = [
  '--no-migrate',
  'leave the schema as it is; one that is older than this build ends the start',
] as const

const healthPortOption = [
  '--port <port>',
  'where /live, /ready and /metrics are served; 0 takes a free port (default: PORT, or nowhere)',
  wholeNumber(0, 65_535),
] as const

export function serveCommands(program: Command, shell: Shell): void {
  withCommon(program.command('dev'))
    .description(
      'Serve everything from this process, say what happens for a human, and reload what you change',
    )
    .option(...portOption)
    .action(async (options: ServeOptions) => {
      // Before anything is loaded: that takes a moment in which somebody may think better of it.
      const interrupt = listenForInterrupt()
      const { dev } = await import('../local/dev.ts')
      const said = dotEnvLine(shell)
      if (said !== null && options.json === true) say('info', said, {})
      else if (said !== null) process.stdout.write(`${said}\n`)
      const asked = { ...portOf(options), json: options.json === true }
      shell.finish(await dev(shell, asked, interrupt).finally(() => interrupt.release()))
    })

  withCommon(program.command('serve'))
    .description('Serve; the log goes to standard output as JSON lines')
    .option(...portOption)
    .option(
      '--roles <roles>',
      `what this process does, of ${roles.join(',')} (default: all)`,
      readRoles,
    )
    .option(...noMigrateOption)
    .action((options: ServeOptions) => serve(shell, options.roles ?? roles, options))

  withCommon(program.command('worker'))
    .description('Work on tool calls only; the log goes to standard output as JSON lines')
    .option(...healthPortOption)
    .option(
      '--queues <queues>',
      'work on these queues only, or with "!" before each on all but these (default: all)',
      readQueues,
    )
    .option(...noMigrateOption)
    .action((options: ServeOptions) => serve(shell, ['worker'], options))
}

const portOf = ({ port }: Pick<ServeOptions, 'port'>): { readonly port?: number } =>
  port === undefined ? {} : { port }

async function serve(shell: Shell, asked: readonly Role[], options: ServeOptions): Promise<void> {
  const { runServer } = await import('@signalbox/server')
  // Who reads the log may go; the process goes on.
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {})
  const { queues, migrate, debug } = options
  const code = await runServer({
    cwd: shell.cwd,
    // Those of the process itself, which are taken out of what tools see.
    env: process.env,
    debug: debug === true || process.env['SIGNALBOX_DEBUG'] === '1',
    ...portOf(options),
    ...(queues === undefined ? {} : { queues }),
    migrates: migrate,
    roles: asked,
    embedded: startEmbedded,
    onStarted: (started) => {
      const said = dotEnvLine(shell)
      if (said !== null) say('info', said, {})
      sayStarted(asked, started)
    },
  })
  const known = Object.values(exitCodes).find((each) => each === code)
  shell.finish(known ?? exitCodes.failed)
}

function sayStarted(asked: readonly Role[], { url, withheld, shownBecause }: StartedProcess): void {
  const taken = withheld.length === 0 ? {} : { withheld }
  say('info', 'serving', { url, roles: asked, ...taken })
  if (shownBecause !== null)
    say('warn', 'tools may read secrets of this process from /proc', { why: shownBecause })
}

function say(level: 'info' | 'warn', msg: string, about: object): void {
  const entry = { level, time: new Date().toISOString(), pid: process.pid, msg, ...about }
  process.stdout.write(`${JSON.stringify(entry)}\n`)
}

function readQueues(text: string): readonly string[] {
  const queues = text.split(',').map((name) => name.trim())
  if (queues.every((name) => name !== '')) return queues
  throw usageFailure('--queues: takes names of queues, separated by commas.')
}

function readRoles(text: string): readonly Role[] {
  const named = text.split(',').map((name) => name.trim())
  const found = roles.filter((role) => named.includes(role))
  const stranger = named.find((name) => !roles.some((role) => role === name))
  if (stranger === undefined) return found
  throw usageFailure(`--roles: there is no role "${stranger}". Known: ${roles.join(', ')}.`)
}
