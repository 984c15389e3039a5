/** A real Signalbox for a test: a database of its own on the Postgres of the test run, a free port, scripted models. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import type { ConfigInput, EnginePorts, Env, Role } from '@signalbox/server'
import { parseConfig, type Signalbox, startSignalbox } from '@signalbox/server'
import { type EngineSettings, type Log } from '@signalbox/engine'
import { type Contract, watchContract } from './contract.ts'
import { createTestDatabase, settled } from '../../../postgres/test/support/database.ts'
import { placeReadyCluster } from './ready-cluster.ts'

export interface TestSignalbox extends Signalbox {
  readonly api: string
  readonly dataDir: string
  /** Waits until the audit's feed shows all that is written: see `TestDatabase`. */
  readonly settled: () => Promise<void>
  /** Everything that was logged, one line each. */
  readonly logged: readonly string[]
  /** What was seen of its answers. A stop throws if one was not as the OpenAPI document says. */
  readonly contract: Contract
}

export interface TestOptions {
  /** Without a `DATABASE_URL` it gets a database that goes when it stops. */
  readonly env?: Env
  /** An embedded Postgres of its own instead: for tests of that alone, which cost ten times as much. */
  readonly embedded?: boolean
  readonly roles?: readonly Role[]
  /** Default: a free one for the role `api`, else none. */
  readonly port?: number
  readonly dataDir?: string
  readonly engine?: Partial<EngineSettings>
  readonly wrapPorts?: (ports: EnginePorts) => EnginePorts
  readonly localPages?: boolean
}

export async function startTest(
  config: ConfigInput,
  options: TestOptions = {},
): Promise<TestSignalbox> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'signalbox-server-')))
  // Run by root, Postgres is another user, who must be able to enter.
  await chmod(dataDir, 0o755)
  if (options.embedded) await placeReadyCluster(join(dataDir, 'postgres'))
  const isGiven = options.embedded || options.env?.['DATABASE_URL'] !== undefined
  const database = isGiven ? null : await createTestDatabase()
  const env = { ...(database ? { DATABASE_URL: database.adminUrl } : {}), ...options.env }
  const clean = async (): Promise<void> => {
    await database?.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const logged: string[] = []
  const say =
    (level: string): Log['info'] =>
    (message, fields) => {
      logged.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
    }
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  const { roles, engine, wrapPorts, localPages = false } = options
  const contract = watchContract()
  const port = options.port ?? (roles?.includes('api') === false ? undefined : 0)
  const signalbox = await startSignalbox({
    loaded: { config: parseConfig(config), file: 'test', dir: dataDir },
    env,
    ...(port === undefined ? {} : { port }),
    dataDir,
    log,
    inspect: contract.inspect,
    localPages,
    embedded: startEmbeddedPostgres,
    ...(roles ? { roles } : {}),
    ...(engine ? { engine } : {}),
    ...(wrapPorts ? { wrapPorts } : {}),
  }).catch(async (error: unknown) => {
    await clean()
    throw error
  })
  const stop = async () => {
    await signalbox.stop()
    await clean()
    contract.assertKept()
  }
  return {
    ...signalbox,
    api: signalbox.url ?? '',
    dataDir,
    settled: () => settled(env.DATABASE_URL ?? ''),
    logged,
    contract,
    stop,
  }
}
