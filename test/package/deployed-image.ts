/**
 * A project as its image has it, without a Docker engine: Signalbox packed, the tree laid as the Dockerfile of the template says, and each
 * service of its compose.yaml started as a process, with the variables of its own file. A real Postgres and a real Redis stand beside it.
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
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { parse } from 'yaml'
import { z } from 'zod'

import { RedisServer } from '../../packages/bullmq/test/support/redis-server.ts'
import { placeReadyCluster } from '../../packages/server/test/support/ready-cluster.ts'
import { type Deployed, deployProject, type RoleProcess } from '../deployment/support/deployed.ts'
import { type LaidImage, layImage } from './lay-image.ts'
import { copyWorkspace } from './workspace-copy.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

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

export interface DeployedImage {
  readonly image: LaidImage
  readonly deployed: Deployed
  /** The variables of a service's own file of secrets. */
  variablesOf(service: string): Readonly<Record<string, string>>
  /** Starts a service as the engine would: the entry point of the image and the command of the service. */
  start(service: string): RoleProcess
  /** Ends what runs, and removes all files. */
  remove(): Promise<void>
}

/**
 * Copies the project, writes the template's files and secrets, and lays the image.
 * @param source - the folder of the project
 * @param secrets - what the secrets are made from, besides the two databases
 * @param edit - changes the copy before anything is made from it
 */
export async function deployImage(
  source: string,
  secrets: Readonly<Record<string, string>>,
  edit: (project: string) => void = () => undefined,
): Promise<DeployedImage> {
  const place = mkdtempSync(join(tmpdir(), 'signalbox-image-'))
  chmodSync(place, 0o755)
  const project = join(place, 'project')
  cpSync(join(root, source), project, { recursive: true })
  edit(project)
  const bin = join(root, 'packages/cli/bin/signalbox.js')
  run(project, [process.execPath, bin, 'deploy', 'files'])
  installPacked(place, project)
  const image = layImage(project, join(place, 'image'), userEnvironment)

  const dataDir = join(place, 'postgres')
  await placeReadyCluster(dataDir)
  const server = await startEmbeddedPostgres({ dataDir })
  const redis = await RedisServer.start()
  const tree = join(image.root, image.workdir)
  // For the databases of this test instead of those of compose.yaml. Made where the image was, as the project's folder is.
  const installed = join(tree, 'node_modules/signalbox/bin/signalbox.js')
  run(project, [process.execPath, installed, 'deploy', 'secrets'], {
    ...userEnvironment,
    DATABASE_URL: server.url,
    REDIS_URL: redis.url,
    SHOP_FOLDER: join(tree, 'shop'),
    ...secrets,
  })
  const deployed = await deployProject(tree)
  const compose: unknown = parse(readFileSync(join(project, 'compose.yaml'), 'utf8'), {
    merge: true,
  })
  const { services } = z.object({ services: z.record(z.string(), Service) }).parse(compose)
  const variablesOf = (service: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      (services[service]?.env_file ?? []).flatMap((file) =>
        Object.entries(parseEnv(readFileSync(join(project, file), 'utf8'))).map(([name, value]) => [
          name,
          value ?? '',
        ]),
      ),
    )
  return {
    image,
    deployed,
    variablesOf,
    // Ports and folders are those of this machine.
    start: (service) =>
      deployed.start(services[service]?.command ?? [], {
        ...image.env,
        ...variablesOf(service),
        ...services[service]?.environment,
        HOST: '127.0.0.1',
        PORT: '0',
        SIGNALBOX_DATA_DIR: join(place, 'data'),
      }),
    async remove() {
      await deployed.remove()
      await redis.close()
      await server.stop()
      rmSync(place, { recursive: true, force: true })
    },
  }
}

/** As a project that installs the tarball: `vendor/` stands in for a registry. */
function installPacked(place: string, project: string): void {
  const copy = join(place, 'workspace')
  copyWorkspace(root, copy)
  const vendor = join(project, 'vendor')
  mkdirSync(vendor)
  run(copy, ['npm', 'pack', '-w', 'signalbox', '--pack-destination', vendor])
  const [tarball = ''] = readdirSync(vendor)
  // The installed package stands where the project is, so that its configuration can be read there too.
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
  run(project, ['npm', 'install', ...quiet, `./vendor/${tarball}`])
}

function run(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = userEnvironment): void {
  const [command = '', ...rest] = args
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${status}\n${stdout}${stderr}`)
}
