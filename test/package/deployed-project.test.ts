/**
 * The project of the fixtures as its image has it, without a Docker engine: Signalbox packed, the tree laid as the Dockerfile of the template
 * says, and each service of its compose.yaml started as a process, with the variables of its own file. Would catch: a file that the image
 * lacks, a command that is not understood, a role that misses a secret or has one too many.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

import {
  redisMissing,
  RedisServer,
  skipRedis,
} from '../../packages/bullmq/test/support/redis-server.ts'
import { deployedRoles } from '../../packages/cli/src/deployment/role-secrets.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { placeReadyCluster } from '../../packages/server/test/support/ready-cluster.ts'
import { type Deployed, deployProject, type RoleProcess } from '../deployment/support/deployed.ts'
import { type LaidImage, layImage } from './lay-image.ts'
import { copyWorkspace } from './workspace-copy.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const providerKey = 'provider-key-0123456789'

const Service = z.looseObject({
  command: z.array(z.string()).optional(),
  env_file: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
})

/** A user's shell, without what npm and the test runner say. */
const ours =
  /^(npm_(package|lifecycle|command|config_(allow|strict|local|workspace))|VITEST|NODE_(ENV|OPTIONS|PATH)$)/i
const userEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !ours.test(name)),
)

function run(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = userEnvironment) {
  const [command = '', ...rest] = args
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${status}\n${stdout}${stderr}`)
}

describe.skipIf(skipRedis)(`a project with tools of its own${redisMissing}`, () => {
  const place = mkdtempSync(join(tmpdir(), 'signalbox-image-'))
  const project = join(place, 'project')
  let image: LaidImage
  let deployed: Deployed
  let services: Readonly<Record<string, z.output<typeof Service>>>
  let server: EmbeddedPostgres
  let redis: RedisServer

  beforeAll(async () => {
    chmodSync(place, 0o755)
    cpSync(join(root, 'test/deployment/project'), project, { recursive: true })
    const bin = join(root, 'packages/cli/bin/signalbox.js')
    run(project, [process.execPath, bin, 'deploy', 'files'])
    installPacked()
    image = layImage(project, join(place, 'image'), userEnvironment)

    const dataDir = join(place, 'postgres')
    await placeReadyCluster(dataDir)
    server = await startEmbeddedPostgres({ dataDir })
    redis = await RedisServer.start()
    const tree = join(image.root, image.workdir)
    // For the databases of this test instead of those of compose.yaml. Made where the image was, as the project's folder is.
    run(
      project,
      [
        process.execPath,
        join(tree, 'node_modules/signalbox/bin/signalbox.js'),
        'deploy',
        'secrets',
      ],
      {
        ...userEnvironment,
        DATABASE_URL: server.url,
        REDIS_URL: redis.url,
        CLERK_MODEL_KEY: providerKey,
        SHOP_FOLDER: join(tree, 'shop'),
      },
    )
    deployed = await deployProject(tree)
    const compose: unknown = parse(readFileSync(join(project, 'compose.yaml'), 'utf8'), {
      merge: true,
    })
    services = z.object({ services: z.record(z.string(), Service) }).parse(compose).services
  }, 300_000)

  afterAll(async () => {
    await deployed?.remove()
    await redis?.close()
    await server?.stop()
    rmSync(place, { recursive: true, force: true })
  })

  /** As a project that installs the tarball: `vendor/` stands in for a registry. */
  function installPacked(): void {
    const copy = join(place, 'workspace')
    copyWorkspace(root, copy)
    const vendor = join(project, 'vendor')
    mkdirSync(vendor)
    run(copy, ['npm', 'pack', '-w', 'signalbox', '--pack-destination', vendor])
    const [tarball = ''] = readdirSync(vendor)
    // The installed package stands where the project is, so that its configuration can be read there too.
    run(project, [
      'npm',
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      `./vendor/${tarball}`,
    ])
  }

  const variablesOf = (service: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      (services[service]?.env_file ?? []).flatMap((file) =>
        Object.entries(parseEnv(readFileSync(join(project, file), 'utf8'))).map(([name, value]) => [
          name,
          value ?? '',
        ]),
      ),
    )

  const having = (name: string) =>
    deployedRoles.filter((service) => Object.hasOwn(variablesOf(service), name))

  /** As the engine would: the entry point of the image and the command of the service. Ports and folders are those of this machine. */
  const start = (service: string): RoleProcess => {
    expect(image.entrypoint).toEqual([
      'node',
      join(image.workdir, 'node_modules/signalbox/bin/signalbox.js'),
    ])
    return deployed.start(services[service]?.command ?? [], {
      ...image.env,
      ...variablesOf(service),
      ...services[service]?.environment,
      HOST: '127.0.0.1',
      PORT: '0',
      SIGNALBOX_DATA_DIR: join(place, 'data'),
    })
  }

  it('has its tools and Signalbox in the image, and neither secrets nor tests of anybody', () => {
    const files = readdirSync(join(image.root, image.workdir))
    expect(files).toEqual(expect.arrayContaining(['signalbox.config.ts', 'tools', 'mcp']))
    expect(files).not.toContain('secrets')
    expect(image.user).toBe('node')
  })

  it('is started role by role, each with its own secrets, and does its work', async () => {
    expect(await start('migrate').ended).toBe(0)
    const [api, orchestrator, worker] = ['api', 'orchestrator', 'worker'].map(start)
    const urls = await Promise.all([api?.url, orchestrator?.url, worker?.url])
    const key = variablesOf('api')['SIGNALBOX_API_KEY'] ?? ''
    await deployed.answerBank()
    const answer = await call(urls[0] ?? '', 'POST', '/runs/wait', {
      body: {
        assistant_id: 'clerk',
        input: 'charge_card write_report mcp__desk__price look_around mcp__desk__look_around',
      },
      headers: { authorization: `Bearer ${key}` },
    })
    expect(answer.body).toMatchObject({ outcome: 'completed' })
    expect(await deployed.written('charges')).toMatch(/^\d+ 5\n$/)

    const secrets = deployedRoles.flatMap((service) =>
      Object.entries(variablesOf(service)).flatMap(([name, value]) =>
        name === 'SHOP_FOLDER' || value === '' ? [] : [value],
      ),
    )
    expect(secrets).toContain(providerKey)
    for (const name of ['seen-by-tool', 'seen-by-bash', 'seen-by-mcp']) {
      const seen = await deployed.written(name)
      expect(seen, name).toContain('SHOP_FOLDER')
      for (const secret of secrets) expect(seen, name).not.toContain(secret)
    }
    worker?.child.kill('SIGTERM')
    expect(await worker?.ended).toBe(0)
  })

  it('gives the administrator to migrate alone, and the keys to who needs them', () => {
    expect(having('DATABASE_URL')).toEqual(['migrate'])
    expect(having('SIGNALBOX_API_KEY')).toEqual(['api'])
    expect(having('CLERK_MODEL_KEY')).toEqual(['orchestrator'])
    expect(having('DATABASE_ENGINE_URL')).toEqual(['migrate', 'api', 'orchestrator', 'worker'])
  })
})
