/** The command line: what there is to type, and how a command ends. */
import process from 'node:process'
import { Command } from 'commander'
import { auditCommand } from './commands/audit.ts'
import { cancelCommand } from './commands/cancel.ts'
import { demoCommand } from './commands/demo.ts'
import { deployCommands } from './commands/deploy.ts'
import { doctorCommand } from './commands/doctor.ts'
import { evidenceCommands } from './commands/evidence.ts'
import { eventsCommand } from './commands/events.ts'
import { approvalCommands } from './commands/approvals.ts'
import { initCommand } from './commands/init.ts'
import { inputCommands } from './commands/inputs.ts'
import { keyCommands } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { pauseCommands } from './commands/pauses.ts'
import { policyCommand } from './commands/policy.ts'
import { replayCommand } from './commands/replay.ts'
import { runCommand } from './commands/run.ts'
import { retryCommand } from './commands/retry.ts'
import { runsCommand } from './commands/runs.ts'
import { serveCommands } from './commands/serve.ts'
import { showCommand } from './commands/show.ts'
import { unknownCommands } from './commands/unknown.ts'
import { type ExitCode, exitCodes, exitCodeTable } from './exit-codes.ts'
import { readDotEnv } from './local/dot-env.ts'
import { serverOfFolder } from './local/running-server.ts'
import { hasColours } from './output/terminal.ts'
import { report } from './report.ts'
import type { Shell } from './shell.ts'
import { version } from './version.ts'

/** Runs a command line, without the name of the program. Answers the exit code, and never throws. */
export async function runCommandLine(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  try {
    const cwd = process.cwd()
    // Nothing that a new project has could be in its way.
    const dotEnv = argv[0] === 'init' ? null : readDotEnv(cwd, process.env)
    const shell: Shell = {
      env: await environmentOf(argv),
      cwd,
      dotEnv,
      server: { url: null },
      finish: (end) => {
        code = end
      },
    }
    const program = createProgram(shell)
    if (argv.length === 0) {
      program.outputHelp({ error: true })
      return exitCodes.usage
    }
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return report(error, argv.includes('--debug') || process.env['SIGNALBOX_DEBUG'] === '1')
  }
}

/** The variables, with the contents of `…_FILE` in their places. Servers read those themselves: a descriptor can be read but once. */
async function environmentOf([command = '']: readonly string[]): Promise<Shell['env']> {
  const { env } = process
  const isServer = ['serve', 'worker'].includes(command)
  if (isServer || !Object.keys(env).some((name) => name.endsWith('_FILE'))) return env
  const { ownSecrets, withSecretFiles } = await import('@signalbox/server')
  return withSecretFiles(env, ownSecrets)
}

function createProgram(shell: Shell): Command {
  const program = new Command('signalbox')
    .description('Event-sourced agent orchestration: enqueue runs, scale workers, audit the log.')
    .version(version())
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      getOutHasColors: () => hasColours(process.stdout),
      getErrHasColors: () => hasColours(process.stderr),
      outputError: (text, write) => write(`${usageLine(text)}\n`),
    })
    .addHelpText('after', `\n${environment}\n\n${exitCodeTable()}`)
    .hook('preAction', (_, command) => findServer(command, shell))
  program.commandsGroup('Begin:')
  demoCommand(program, shell)
  initCommand(program, shell)
  serveCommands(program, shell)
  deployCommands(program, shell)
  program.commandsGroup('Runs:')
  runCommand(program, shell)
  runsCommand(program, shell)
  showCommand(program, shell)
  eventsCommand(program, shell)
  cancelCommand(program, shell)
  retryCommand(program, shell)
  pauseCommands(program, shell)
  program.commandsGroup('Humans:')
  approvalCommands(program, shell)
  inputCommands(program, shell)
  unknownCommands(program, shell)
  program.commandsGroup('Proof and care:')
  policyCommand(program, shell)
  auditCommand(program, shell)
  evidenceCommands(program, shell)
  replayCommand(program, shell)
  keyCommands(program, shell)
  migrateCommand(program, shell)
  doctorCommand(program, shell)
  return program.helpCommand('help [command]', 'show what a command takes')
}

/** For commands that ask a server, where neither an option nor the environment names one. */
async function findServer(command: Command, shell: Shell): Promise<void> {
  const { env, server } = shell
  const asks = command.options.some(({ long }) => long === '--url')
  const option: unknown = command.opts()['url']
  const isNamed = option !== undefined || env['SIGNALBOX_URL']?.trim() || env['PORT']?.trim()
  if (asks && !isNamed && server) server.url = await serverOfFolder(shell)
}

const environment = `Environment, also from the file .env of this folder, whose variables yield to those that are set:
  DATABASE_URL        Postgres; without it one is started below SIGNALBOX_DATA_DIR (.signalbox)
  REDIS_URL           Redis for the queue, alone, as a cluster or behind sentinels; without it the queue is in Postgres
  PORT, HOST          where the API listens (7420, 127.0.0.1)
  SIGNALBOX_CONFIG    the configuration (signalbox.config.ts, .mts, .js, .mjs or .json of this folder)
  SIGNALBOX_API_KEY   the key of the API: a server asks for it, a command shows it
  NAME_FILE           a file that holds the value of NAME, for every variable that is secret
  SIGNALBOX_URL       the server that commands ask; without it the one that runs in this folder
  LOG_LEVEL, NO_COLOR, SIGNALBOX_DEBUG=1`

/** `error: unknown command 'rnu'\n(Did you mean run?)` as one line of ours. */
function usageLine(text: string): string {
  const sentence = text
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()
  return `signalbox: ${sentence} See: signalbox --help [usage]`
}
