/** `doctor`: every check, in the order in which things are needed. */
import process from 'node:process'
import {
  ConfigError,
  fileNames,
  type LoadedConfig,
  loadConfig,
  readEnvironment,
  withSecretFiles,
} from '@signalbox/server'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { dotEnvLine } from '../local/dot-env.ts'
import type { ServerOptions } from '../options.ts'
import { printable } from '@signalbox/core/text'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import { checkDatabase } from './check-database.ts'
import { checkModels } from './check-models.ts'
import { checkRedis } from './check-redis.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkServer } from './check-server.ts'
import { checkTools } from './check-tools.ts'
import { type DoctorFinding, failed, ok, errorLine } from './finding.ts'

export interface DoctorOptions extends ServerOptions {
  /** Ask the models, which costs. */
  readonly online?: true
}

const styles = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** Checks, tells, and answers whether anything failed. Never throws for what it finds. */
export async function examine(
  shell: Shell,
  terminal: Terminal,
  options: DoctorOptions,
): Promise<ExitCode> {
  const findings: DoctorFinding[] = []
  for await (const finding of checks(shell, options)) {
    findings.push(finding)
    const { check, status, message, fix } = finding
    const label = terminal.paint(styles[status], status.padEnd(4))
    terminal.line(`${label}  ${check.padEnd(14)}  ${printable(message)}`)
    if (fix !== null) terminal.line(`${' '.repeat(22)}→ ${printable(fix)}`)
  }
  const healthy = findings.every(({ status }) => status !== 'fail')
  terminal.document({ ok: healthy, findings })
  return healthy ? exitCodes.ok : exitCodes.failed
}

async function* checks(shell: Shell, options: DoctorOptions): AsyncGenerator<DoctorFinding> {
  // An older Node does not get here: the command itself refuses it.
  yield ok('node', process.version)
  const said = dotEnvLine(shell)
  if (said !== null) yield ok('.env', said)
  const environment = checkEnvironment(shell)
  yield environment
  const loaded = await load(shell)
  if ('check' in loaded) yield loaded
  else {
    yield ok('configuration', loaded.file)
    const env = withSecretFiles(shell.env, fileNames(loaded.config))
    yield* checkModels(loaded.config, env)
    if (options.online === true) yield* await online(loaded, { ...shell, env })
    yield* await checkTools(loaded)
    yield* await checkSandbox(loaded.config)
  }
  if (environment.status === 'fail') return
  yield* await checkDatabase(shell)
  yield await checkRedis(readEnvironment(shell.env).redisUrl)
  yield await checkServer(shell, options)
}

/** The packages of the providers are loaded for those who ask. */
async function online({ config }: LoadedConfig, { env }: Shell): Promise<readonly DoctorFinding[]> {
  const { checkOnline } = await import('./check-online.ts')
  return checkOnline(config, env)
}

function checkEnvironment({ env }: Shell): DoctorFinding {
  try {
    readEnvironment(env)
    return ok('environment', 'every variable that is set can be read')
  } catch (error) {
    return failed('environment', errorLine(error), 'Set it right, or unset it.')
  }
}

async function load(shell: Shell): Promise<LoadedConfig | DoctorFinding> {
  try {
    return await loadConfig(shell)
  } catch (error) {
    const isMissing = error instanceof ConfigError && error.code === 'config_not_found'
    const fix = isMissing ? 'npx signalbox init' : 'Correct it there.'
    return failed('configuration', errorLine(error), fix)
  }
}
