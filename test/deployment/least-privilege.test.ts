/**
 * Processes of one role each, with the secrets of that role alone, and what the tools of a worker find of them. Would catch: a
 * secret in an environment that a tool, a program it starts or an MCP server can read; a role that does not work without the
 * administrator; a process that changes a schema it should leave alone.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { checkSchema, migrate, newestVersion, readMigrations } from '@signalbox/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { migrateAsBefore, versionBefore } from '../../packages/postgres/test/support/before.ts'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { loginsOf } from '../../packages/server/src/compose/logins.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { placeReadyCluster } from '../../packages/server/test/support/ready-cluster.ts'
import { type Deployed, deployProject, type RoleProcess } from './support/deployed.ts'

const apiKey = 'operator-key-0123456789'
const metricsKey = 'metrics-key-0123456789'
const providerKey = 'provider-key-0123456789'
const pseudonymKey = 'pseudonym-key-0123456789'
const headers = { authorization: `Bearer ${apiKey}` }
/** Any free port, and enough time for a call that is under way. */
const served = { PORT: '0', HOST: '127.0.0.1', SIGNALBOX_GRACE_MS: '30000' }

let database: TestDatabase
let logins: Readonly<Record<'app' | 'engine' | 'queue' | 'maintenance', string>>
beforeAll(async () => {
  database = await createTestDatabase()
  const none = { app: null, engine: null, queue: null, maintenance: null }
  const { app, engine, queue, maintenance } = loginsOf({
    adminUrl: database.adminUrl,
    loginUrls: none,
  })
  if (!app || !engine || !queue || !maintenance) throw new Error('a login has no address')
  logins = { app, engine, queue, maintenance }
})
afterAll(() => database.drop())

const deployed: Deployed[] = []
afterEach(async () => {
  for (const each of deployed.splice(0)) await each.remove()
})
const deploy = async (): Promise<Deployed> => {
  const made = await deployProject()
  deployed.push(made)
  return made
}

/** As the template gives them out. */
const roleSecrets = () => ({
  api: {
    DATABASE_ENGINE_URL: logins.engine,
    DATABASE_APP_URL: logins.app,
    SIGNALBOX_API_KEY: apiKey,
    SIGNALBOX_PSEUDONYM_KEY: pseudonymKey,
    SIGNALBOX_METRICS_KEY: metricsKey,
  },
  orchestrator: {
    DATABASE_ENGINE_URL: logins.engine,
    DATABASE_APP_URL: logins.app,
    DATABASE_QUEUE_URL: logins.queue,
    DATABASE_MAINTENANCE_URL: logins.maintenance,
    SIGNALBOX_METRICS_KEY: metricsKey,
    CLERK_MODEL_KEY: providerKey,
  },
  worker: {
    DATABASE_ENGINE_URL: logins.engine,
    DATABASE_QUEUE_URL: logins.queue,
    SIGNALBOX_METRICS_KEY: metricsKey,
  },
})

const passwordOf = (url: string): string => new URL(url).password

/** No value of these may stand in what was seen; and something must have been seen. */
async function expectNoSecret(place: Deployed, secrets: readonly string[]): Promise<void> {
  for (const name of ['seen-by-tool', 'seen-by-bash', 'seen-by-mcp']) {
    const seen = await place.written(name)
    expect(seen, name).toContain('SHOP_FOLDER')
    for (const secret of secrets) expect(seen, name).not.toContain(secret)
  }
}

async function runOn(api: string, input: string): Promise<void> {
  const body = { assistant_id: 'clerk', input }
  const answer = await call(api, 'POST', '/runs/wait', { body, headers })
  expect(answer.body).toMatchObject({ outcome: 'completed' })
}

describe.runIf(process.platform === 'linux')(
  'a process that has every secret in its environment',
  () => {
    it('shows none to a function tool, to a program that it starts, to an MCP server', async () => {
      const place = await deploy()
      const serving = place.start(['serve'], {
        ...served,
        DATABASE_URL: database.adminUrl,
        SIGNALBOX_API_KEY: apiKey,
        SIGNALBOX_PSEUDONYM_KEY: pseudonymKey,
        SIGNALBOX_METRICS_KEY: metricsKey,
        CLERK_MODEL_KEY: providerKey,
      })
      await runOn(await serving.url, 'look_around mcp__desk__look_around')
      await expectNoSecret(place, [
        passwordOf(database.adminUrl),
        apiKey,
        pseudonymKey,
        metricsKey,
        providerKey,
      ])
      expect(serving.printed()).toContain('"withheld":["DATABASE_URL"')
      expect(serving.printed()).not.toContain(providerKey)
    })

    it('leaves a key of a provider where it is told to, and nothing of its own', async () => {
      const place = await deploy()
      const serving = place.start(['serve'], {
        ...served,
        DATABASE_URL: database.adminUrl,
        SIGNALBOX_API_KEY: apiKey,
        CLERK_MODEL_KEY: providerKey,
        SIGNALBOX_KEEP_ENV: 'CLERK_MODEL_KEY, SIGNALBOX_API_KEY',
      })
      await runOn(await serving.url, 'look_around mcp__desk__look_around')
      await expectNoSecret(place, [passwordOf(database.adminUrl), apiKey])
      expect(await place.written('seen-by-tool')).toContain(providerKey)
    })

    it('says so where it cannot be replaced, and takes them out of process.env all the same', async () => {
      const place = await deploy()
      const env = {
        ...served,
        DATABASE_URL: database.adminUrl,
        SIGNALBOX_API_KEY: apiKey,
        CLERK_MODEL_KEY: providerKey,
      }
      const serving = place.start(['serve'], env, 'channel')
      await runOn(await serving.url, 'look_around')
      expect(serving.printed()).toContain('tools may read secrets of this process from /proc')
      const [variables = ''] = (await place.written('seen-by-tool')).split('\n')
      expect(variables).toContain('SHOP_FOLDER')
      for (const secret of [passwordOf(database.adminUrl), apiKey, providerKey])
        expect(variables).not.toContain(secret)
    })

    it('takes nothing for its own hand-over that is not', async () => {
      const place = await deploy()
      const precious = join(place.folder, 'precious')
      await writeFile(precious, '{}')
      const started = place.start(['serve'], { ...served, SIGNALBOX_HANDOVER: precious })
      expect(await started.ended).toBe(2)
      expect(started.printed()).toContain('SIGNALBOX_HANDOVER: is for the process itself to set')
      expect(await readFile(precious, 'utf8')).toBe('{}')
    })

    it('reads them from files and from a descriptor, which is closed', async () => {
      const place = await deploy()
      const file = (name: string): string => join(place.folder, name)
      await writeFile(file('database'), `${database.adminUrl}\n`)
      await writeFile(file('key'), `${apiKey}\r\n`)
      const env = {
        ...served,
        DATABASE_URL_FILE: file('database'),
        DESK_TOKEN_FILE: '/dev/fd/3',
        SIGNALBOX_API_KEY_FILE: file('key'),
        CLERK_MODEL_KEY: providerKey,
      }
      const serving = place.start(['serve'], env, { text: 'desk-token-0123456789\n' })
      await runOn(await serving.url, 'look_around mcp__desk__look_around')
      await expectNoSecret(place, [passwordOf(database.adminUrl), apiKey, providerKey])
      // It is the server's own, and nobody else's.
      expect(await place.written('seen-by-mcp')).toContain('desk-token-0123456789')
      for (const name of ['seen-by-tool', 'seen-by-bash'])
        expect(await place.written(name)).not.toContain('desk-token-0123456789')
    })
  },
)

describe('roles with secrets of their own', () => {
  it('work without the administrator, and a worker without any key', async () => {
    const place = await deploy()
    const secrets = roleSecrets()
    const start = (args: readonly string[], role: keyof typeof secrets): RoleProcess =>
      place.start(args, { ...served, ...secrets[role] })
    const api = start(['serve', '--roles', 'api', '--no-migrate'], 'api')
    const orchestrator = start(['serve', '--roles', 'orchestrator', '--no-migrate'], 'orchestrator')
    const worker = start(['worker', '--no-migrate'], 'worker')
    const urls = await Promise.all([api, orchestrator, worker].map(({ url }) => url))
    await runOn(urls[0] ?? '', 'write_report look_around mcp__desk__look_around')
    await expectNoSecret(place, [
      passwordOf(logins.engine),
      passwordOf(logins.queue),
      metricsKey,
      apiKey,
      providerKey,
    ])

    for (const url of urls) {
      const scrape = (key: string) =>
        call(url, 'GET', '/metrics', { headers: { authorization: `Bearer ${key}` } })
      expect((await scrape(metricsKey)).body).toContain('signalbox_build_info')
      expect((await scrape('another-key-0123456789')).status).toBe(401)
      expect((await call(url, 'GET', '/ready')).status).toBe(200)
    }
    const scraping = { authorization: `Bearer ${metricsKey}` }
    const listed = await call(urls[0] ?? '', 'GET', '/threads', { headers: scraping })
    expect(listed).toMatchObject({ status: 403, body: { code: 'forbidden_scope' } })
  })

  it('say which login they lack', async () => {
    const place = await deploy()
    const { DATABASE_ENGINE_URL } = roleSecrets().api
    const api = place.start(['serve', '--roles', 'api'], { ...served, DATABASE_ENGINE_URL })
    expect(await api.ended).toBe(2)
    expect(api.printed()).toContain('DATABASE_APP_URL: is not set')
    const nothing = place.start(['serve', '--no-migrate'], served)
    expect(await nothing.ended).toBe(2)
    expect(nothing.printed()).toContain('DATABASE_URL: is not set')
  })

  it('refuse a queue that there is not', async () => {
    const place = await deploy()
    const worker = place.start(['worker', '--queues', 'paymets'], {
      ...served,
      ...roleSecrets().worker,
    })
    expect(await worker.ended).toBe(2)
    expect(worker.printed()).toContain('there is no queue "paymets". Known: tools, payments')
  })
})

const refusal = async (env: Readonly<Record<string, string>>) => {
  const place = await deploy()
  const started = place.start(['serve', '--no-migrate'], { ...served, ...env })
  return { code: await started.ended, said: started.printed() }
}

describe('serve --no-migrate', () => {
  const old: TestDatabase[] = []
  afterAll(async () => {
    for (const each of old) await each.drop()
  })

  const emptyDatabase = async (): Promise<TestDatabase> => {
    const made = await createTestDatabase(true)
    old.push(made)
    return made
  }

  it('does not start on a schema that is older, and leaves it as it is', async () => {
    const { adminUrl } = await emptyDatabase()
    const migrations = await readMigrations()
    await migrateAsBefore(adminUrl)
    const { code, said } = await refusal({ DATABASE_URL: adminUrl })
    expect(code).toBe(1)
    expect(said).toContain(
      `it has the schema of version ${versionBefore}, and this build needs version ${newestVersion(migrations)}`,
    )
    expect(said).toContain('signalbox migrate [schema_outdated]')
    expect(said).not.toContain(passwordOf(adminUrl))
    const { applied } = await migrate(adminUrl)
    expect(applied).toEqual(migrations.map(({ name }) => name))
  })

  it('does not start where nobody has migrated', async () => {
    const { adminUrl } = await emptyDatabase()
    const { code, said } = await refusal({ DATABASE_URL: adminUrl })
    expect(code).toBe(1)
    expect(said).toContain('it has no schema of Signalbox')
  })
})

describe('signalbox migrate', () => {
  it('gives the logins it is told the passwords of their addresses', async () => {
    const place = await deploy()
    // A server of its own: the passwords of the shared one are those of all tests.
    const dataDir = join(place.folder, 'postgres')
    await placeReadyCluster(dataDir)
    const server = await startEmbeddedPostgres({ dataDir })
    try {
      const engine = new URL(server.url)
      engine.username = 'signalbox_engine'
      engine.password = 'another-password'
      await expect(checkSchema(engine.href)).rejects.toThrow('password authentication failed')
      const told = { DATABASE_URL: server.url, DATABASE_ENGINE_URL: engine.href }
      const migrated = place.start(['migrate'], told)
      expect(await migrated.ended, migrated.printed()).toBe(0)
      expect(await checkSchema(engine.href)).toMatchObject({ applied: [], unknown: [] })
    } finally {
      await server.stop()
    }
  })
})
