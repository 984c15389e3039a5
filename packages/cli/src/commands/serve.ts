/** `dev`, `serve` and `worker`: processes of Signalbox. */
import process from 'node:process'
import type { Command } from 'commander'
import type { Role } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { usageFailure } from '../failure.ts'
import { dotEnvLine } from '../local/dot-env.ts'
import { type CommonOptions, wholeNumber, withCommon } from '../options.ts'
import type { Shell } from '../shell.ts'

interface ServeOptions extends CommonOptions {
  readonly port?: number
  readonly roles?: readonly Role[]
}

const roles: readonly Role[] = ['api', 'orchestrator', 'worker']
const portOption = [
  '--port <port>',
  'where the API listens; 0 takes a free port (default: PORT, the configuration, or 7420)',
  wholeNumber(0, 65_535),
] as const

const healthPortOption = [
  '--port <port>',
  'where /live, /ready and /metrics are served; 0 takes a free port (default: PORT, or nowhere)',
  wholeNumber(0, 65_535),
] as const

export function serveCommands(program: Command, shell: Shell): void {
  withCommon(program.command('dev'))
    .description('Serve everything from this process, and say what happens for a human')
    .option(...portOption)
    .action(async (options: ServeOptions) => {
      const { dev } = await import('../local/dev.ts')
      const said = dotEnvLine(shell)
      if (said !== null && options.json === true) logLine({ msg: said })
      else if (said !== null) process.stdout.write(`${said}\n`)
      shell.finish(await dev(shell, { ...portOf(options), json: options.json === true }))
    })

  withCommon(program.command('serve'))
    .description('Serve; the log goes to standard output as JSON lines')
    .option(...portOption)
    .option(
      '--roles <roles>',
      `what this process does, of ${roles.join(',')} (default: all)`,
      readRoles,
    )
    .action((options: ServeOptions) => serve(shell, options.roles ?? roles, options))

  withCommon(program.command('worker'))
    .description('Work on tool calls only; the log goes to standard output as JSON lines')
    .option(...healthPortOption)
    .action((options: ServeOptions) => serve(shell, ['worker'], options))
}

const portOf = ({ port }: ServeOptions): { readonly port?: number } =>
  port === undefined ? {} : { port }

/** A line of the log before there is one. */
function logLine(about: Readonly<Record<string, unknown>>): void {
  const entry = { level: 'info', time: new Date().toISOString(), pid: process.pid }
  process.stdout.write(`${JSON.stringify({ ...entry, ...about })}\n`)
}

async function serve(shell: Shell, asked: readonly Role[], options: ServeOptions): Promise<void> {
  const { runServer } = await import('@signalbox/server')
  // Who reads the log may go; the process goes on.
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {})
  const said = dotEnvLine(shell)
  if (said !== null) logLine({ msg: said })
  const onStarted = ({ url }: { readonly url: string | null }) =>
    logLine({ msg: 'serving', url, roles: asked })
  const { cwd, env } = shell
  const debug = options.debug === true || env['SIGNALBOX_DEBUG'] === '1'
  const code = await runServer({ cwd, env, debug, ...portOf(options), roles: asked, onStarted })
  const known = Object.values(exitCodes).find((each) => each === code)
  shell.finish(known ?? exitCodes.failed)
}

function readRoles(text: string): readonly Role[] {
  const named = text.split(',').map((name) => name.trim())
  const found = roles.filter((role) => named.includes(role))
  const stranger = named.find((name) => !roles.some((role) => role === name))
  if (stranger === undefined) return found
  throw usageFailure(`--roles: there is no role "${stranger}". Known: ${roles.join(', ')}.`)
}
