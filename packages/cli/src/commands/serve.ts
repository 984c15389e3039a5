/** `dev`, `serve` and `worker`: processes of Signalbox. */
import process from 'node:process'
import type { Command } from 'commander'
import type { Role } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { usageFailure } from '../failure.ts'
import { listenForInterrupt } from '../interrupt.ts'
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
    .description(
      'Serve everything from this process, say what happens for a human, and reload what you change',
    )
    .option(...portOption)
    .action(async (options: ServeOptions) => {
      // Before anything is loaded: that takes a moment in which somebody may think better of it.
      const interrupt = listenForInterrupt()
      const { dev } = await import('../local/dev.ts')
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
    .action((options: ServeOptions) => serve(shell, options.roles ?? roles, portOf(options)))

  withCommon(program.command('worker'))
    .description('Work on tool calls only; the log goes to standard output as JSON lines')
    .option(...healthPortOption)
    .action((options: ServeOptions) => serve(shell, ['worker'], portOf(options)))
}

const portOf = ({ port }: ServeOptions): { readonly port?: number } =>
  port === undefined ? {} : { port }

async function serve(
  shell: Shell,
  asked: readonly Role[],
  port: { readonly port?: number },
): Promise<void> {
  const { runServer } = await import('@signalbox/server')
  // Who reads the log may go; the process goes on.
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {})
  const onStarted = ({ url }: { readonly url: string | null }) => {
    const entry = { level: 'info', time: new Date().toISOString(), pid: process.pid }
    process.stdout.write(`${JSON.stringify({ ...entry, msg: 'serving', url, roles: asked })}\n`)
  }
  const code = await runServer({ ...shell, ...port, roles: asked, onStarted })
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
