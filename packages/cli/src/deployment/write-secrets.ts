/** Makes the secrets of a deployment: one file of variables per role, which nobody but their owner reads. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, loadConfig, modelKeys, ownSecrets, secretNames } from '@signalbox/server'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import {
  type DeployedRole,
  deployedRoles,
  type Installation,
  randomText,
  roleSecrets,
  signingSecret,
} from './role-secrets.ts'

const folder = 'secrets'

const remarks: Readonly<Record<DeployedRole, string>> = {
  migrate:
    'Of `migrate` alone: the administrator of the database, and the logins whose passwords it sets.',
  api: 'Of the API: what it reads and writes, and the key of the operator.',
  orchestrator: 'Of the orchestrators: what they read and write, and the keys of the providers.',
  worker:
    'Of the workers: what they read and write. Add here what tools, MCP servers and HTTP policies need, and nothing else: a function tool can read all of it.',
}

/**
 * Writes them below `secrets/`, for the services of compose.yaml; for a database and a Redis of one's own if DATABASE_URL and REDIS_URL are
 * set.
 *
 * @throws Failure, ConfigError
 */
export async function writeSecrets(shell: Shell, terminal: Terminal): Promise<void> {
  const { config } = await loadConfig(shell)
  const [postgresPassword, redisPassword] = [randomText(), randomText()]
  const { DATABASE_URL, REDIS_URL } = shell.env
  const secrets = roleSecrets({
    ...variablesOf(config, shell.env),
    databaseUrl: DATABASE_URL || `postgres://signalbox:${postgresPassword}@postgres:5432/signalbox`,
    redisUrl: REDIS_URL || `redis://:${redisPassword}@redis:6379`,
  })
  const dir = join(shell.cwd, folder)
  await makeFolder(dir)
  // Read by containers of other users; the folder lets nobody else of this machine through.
  await writeFile(join(dir, 'postgres_password'), postgresPassword, { mode: 0o644, flag: 'wx' })
  await writeFile(join(dir, 'redis.conf'), `requirepass ${redisPassword}\n`, {
    mode: 0o644,
    flag: 'wx',
  })
  for (const role of deployedRoles) {
    const lines = Object.entries(secrets[role]).map(([name, value]) => `${name}=${value}\n`)
    await writeFile(join(dir, `${role}.env`), `# ${remarks[role]}\n${lines.join('')}`, {
      mode: 0o600,
      flag: 'wx',
    })
  }
  await ignore(shell.cwd)
  const empty = [
    ...new Set(
      Object.values(secrets).flatMap((variables) =>
        Object.entries(variables).flatMap(([name, value]) => (value === '' ? [name] : [])),
      ),
    ),
  ]
  terminal.document({ folder: dir, roles: deployedRoles, empty })
  terminal.line(`Wrote ${folder}/: one file of variables per role. It is no part of the image.`)
  if (empty.length > 0) terminal.line(`Fill in, where they stand empty: ${empty.join(', ')}.`)
  terminal.line('Next: docker compose up --build --detach')
}

/** The variables that the configuration names, with the values that they have here. */
function variablesOf(
  config: Config,
  env: Shell['env'],
): Omit<Installation, 'databaseUrl' | 'redisUrl'> {
  const known = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(names.map((name) => [name, env[name] ?? '']))
  const { webhooks } = config
  const [signing = '', ...older] = [webhooks.secretEnv].flat()
  const endpoints = Object.values(webhooks.endpoints).flatMap(({ urlEnv = [], secretEnv = [] }) =>
    [urlEnv, secretEnv].flat(),
  )
  const keys = modelKeys(config)
  const named = new Set([...ownSecrets, ...keys, signing, ...older, ...endpoints])
  return {
    providerKeys: known(keys),
    policyTokens: known(secretNames(config).filter((name) => !named.has(name))),
    mcpVariables: known(mcpVariables(config).filter((name) => !named.has(name))),
    webhooks: { ...known([...older, ...endpoints]), [signing]: env[signing] || signingSecret() },
  }
}

/** Variables that a container has by itself. */
const usual: readonly string[] = ['HOME', 'HOSTNAME', 'PATH', 'PWD', 'TMPDIR', 'USER']

/** `${NAME}` without a default in the configuration of MCP servers. */
const mcpVariables = ({ mcpServers }: Config): readonly string[] =>
  [...JSON.stringify(mcpServers).matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)]
    .flatMap(([, name]) => name ?? [])
    .filter((name) => !usual.includes(name))

async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 })
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    const message = isThere
      ? `${dir} is there already, and no secret is overwritten. Move it away to make new ones.`
      : `${dir} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new Failure(isThere ? 'already_there' : 'not_writable', message, {
      exitCode: isThere ? exitCodes.conflict : exitCodes.failed,
      cause,
    })
  }
}

/** Keeps the secrets out of git. */
async function ignore(dir: string): Promise<void> {
  const file = join(dir, '.gitignore')
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.split(/\r?\n/).some((line) => /^\/?secrets\/?$/.test(line.trim()))) return
  const start = text === '' || text.endsWith('\n') ? '' : '\n'
  await appendFile(file, `${start}${folder}/\n`)
}
