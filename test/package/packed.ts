/** The package as a user gets it, for tests that begin where a user does: packed, and installed into a folder that npm has made. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { copyWorkspace } from './workspace-copy.ts'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Variables that npm sets for its scripts, and those of our tests: a user's shell has none of them. */
const ours =
  /^(npm_(package|lifecycle|command|config_(allow|strict|local|workspace))|VITEST|NODE_(ENV|OPTIONS|PATH|TEST_CONTEXT)$|SIGNALBOX_)/i

const userEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !ours.test(name)),
)

/** An installed package. */
export interface Installed {
  /** Holds everything; to be removed in the end. */
  readonly place: string
  /** A project of `npm init -y` with the package in it. */
  readonly app: string
  readonly tarball: string
}

/** Packs `signalbox`, and installs it as a user does. */
export function installPacked(): Installed {
  const place = mkdtempSync(join(tmpdir(), 'signalbox-packed-'))
  // The embedded Postgres may run as another user, who must be able to walk here.
  chmodSync(place, 0o755)
  const copy = join(place, 'workspace')
  copyWorkspace(root, copy)
  expectOk(copy, 'npm', ['pack', '-w', 'signalbox', '--pack-destination', place])
  const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
  const tarball = join(place, `signalbox-${version}.tgz`)
  const app = join(place, 'app')
  mkdirSync(app)
  expectOk(app, 'npm', ['init', '-y'])
  expectOk(app, 'npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball])
  return { place, app, tarball }
}

/** Runs a command in the shell of a user, and answers how it ended. */
export function runThere(
  cwd: string,
  command: string,
  args: readonly string[],
): SpawnSyncReturns<string> {
  return spawnSync(command, args, {
    cwd,
    env: userEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The same, where it must end well. Answers what it printed. */
export function expectOk(cwd: string, command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = runThere(cwd, command, args)
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}${stderr}`)
}
