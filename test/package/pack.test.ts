/**
 * The package as a user gets it: packed, installed into an empty folder outside of the repository, run by plain Node.
 * Finds what a workspace hides: an undeclared library, a specifier that only links resolve, a file left out of the tarball.
 */
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { freePort } from '../contract/free-port.ts'
import { copyWorkspace } from './workspace-copy.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'signalbox-pack-'))
const app = join(place, 'app')
const installed = join(app, 'node_modules', 'signalbox')
const installedClient = join(app, 'node_modules', '@signalbox', 'client')
/** What npm tells its scripts about the repository: a user's shell has none of it. */
const ours =
  /^(npm_(package|lifecycle|command|config_(allow|strict|local|workspace))|VITEST|NODE_(ENV|OPTIONS|PATH)$|DATABASE_URL$)/i
const userEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !ours.test(name)),
)
const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))

beforeAll(() => {
  // The embedded Postgres may run as another user, who must be able to walk here.
  chmodSync(place, 0o755)
  const copy = join(place, 'workspace')
  copyWorkspace(root, copy)
  const both = ['-w', 'signalbox', '-w', '@signalbox/client']
  run(copy, 'npm', ['pack', ...both, '--pack-destination', place])
  mkdirSync(app)
  // As newcomers do: that of npm 11 says that the project is CommonJS.
  run(app, 'npm', ['init', '-y'])
  const tarballs = ['signalbox', 'signalbox-client'].map((name) =>
    join(place, `${name}-${version}.tgz`),
  )
  run(app, 'npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs])
}, 300_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

describe('the tarball', () => {
  it('leaves the committed manifest as it was', () => {
    const packed = join(place, 'workspace', 'packages', 'cli')
    expect(readFileSync(join(packed, 'package.json'), 'utf8')).toBe(
      readFileSync(join(root, 'packages/cli/package.json'), 'utf8'),
    )
    expect(readdirSync(packed)).not.toContain('LICENSE')
    const client = join(place, 'workspace', 'packages', 'client')
    expect(readFileSync(join(client, 'package.json'), 'utf8')).toBe(
      readFileSync(join(root, 'packages/client/package.json'), 'utf8'),
    )
  })

  it('holds the compiled packages, the migrations and the licence, and no sources', () => {
    const files = readdirSync(installed, { recursive: true }).map(String)
    const own = ['LICENSE', 'README.md', 'bin/signalbox.js', 'config.schema.json']
    expect(files).toEqual(expect.arrayContaining(own))
    const migrations = readdirSync(join(place, 'workspace', 'migrations'), { recursive: true }).map(
      (name) => `dist/migrations/${String(name)}`,
    )
    expect(migrations).toContain('dist/migrations/functions/append.sql')
    expect(files).toEqual(expect.arrayContaining(migrations))
    expect(files.filter((file) => /(?<!\.d)\.tsx?$|\.map$|\.tsbuildinfo$/.test(file))).toEqual([])
  })

  it('names no package of the workspace', () => {
    const modules = readdirSync(installed, { recursive: true })
      .map(String)
      .filter((file) => /\.(js|d\.ts)$/.test(file) && !file.startsWith('node_modules'))
    expect(modules.length).toBeGreaterThan(50)
    const naming = modules.filter((file) =>
      /(from|import\(?)\s*['"]@signalbox\//.test(readFileSync(join(installed, file), 'utf8')),
    )
    expect(naming).toEqual([])
  })

  it('declares libraries that npm can satisfy', () => {
    expect(run(app, 'npm', ['ls', '--all', '--omit=dev']).status).toBe(0)
  })
})

describe('installed', () => {
  it('answers npx signalbox --version', () => {
    expect(run(app, 'npx', ['signalbox', '--version']).stdout.trim()).toBe(version)
  })

  it('gives a configuration its types', () => {
    writeFileSync(join(app, 'config.mts'), typedConfig)
    writeFileSync(join(app, 'client.mts'), typedClient)
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const flags = '--noEmit --strict --target es2024 --module nodenext --skipLibCheck --types node'
    const roots = ['--typeRoots', join(root, 'node_modules', '@types')]
    const { status } = run(app, process.execPath, [
      tsc,
      ...flags.split(' '),
      ...roots,
      'config.mts',
      'client.mts',
    ])
    expect(status).toBe(0)
  })

  it('has a client of its own, with types, that needs nothing of the engine', () => {
    const files = readdirSync(installedClient, { recursive: true }).map(String)
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/packed/index.js']))
    expect(files.filter((file) => /(?<!\.d)\.tsx?$|\.map$|\.tsbuildinfo$/.test(file))).toEqual([])
    const script = `
      import { createClient } from '@signalbox/client'
      const client = createClient({ url: 'http://127.0.0.1:1' })
      console.log(typeof client.runs.create)`
    const { stdout } = run(app, process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout.trim()).toBe('function')
  })

  it('gives a configuration its functions', () => {
    const script = `console.log(Object.keys(await import('signalbox')).sort().join())`
    const { stdout } = run(app, process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout.trim().split(',')).toEqual(expect.arrayContaining(['defineConfig', 'defineTool']))
  })

  it('gives tests a box, in memory and on an embedded Postgres', () => {
    writeFileSync(join(app, 'boxes.mjs'), boxes)
    const { stdout } = run(app, process.execPath, ['boxes.mjs'])
    expect(stdout.trim().split('\n')).toEqual(['memory: completed', 'postgres: completed'])
  })

  it('starts a new project: init, then a run answers', () => {
    run(app, 'npx', ['signalbox', 'init'])
    const { stdout } = run(app, 'npx', ['signalbox', 'run', 'One two three.'])
    expect(stdout).toMatch(/Words in your message: 3\.\ncompleted\n$/)
  })

  it.each(['dev', 'serve'])(
    '%s of that project answers /ok, without DATABASE_URL',
    async (command) => {
      const port = await freePort()
      const server = spawn(process.execPath, [join(installed, 'bin/signalbox.js'), command], {
        cwd: app,
        env: { ...userEnvironment, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let printed = ''
      for (const stream of [server.stdout, server.stderr]) {
        stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
      }
      const ended = once(server, 'exit')
      try {
        const status = await lastAnswer(
          `http://127.0.0.1:${port}/ok`,
          () => server.exitCode !== null,
        )
        expect(status, printed).toBe(200)
      } finally {
        server.kill('SIGTERM')
        await ended
      }
      expect(server.exitCode, printed).toBe(0)
    },
    120_000,
  )
})

const typedConfig = `
import { defineConfig, defineTool } from 'signalbox'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city.',
  effect: 'read',
  input: z.object({ city: z.string() }),
  run: ({ city }) => city.toUpperCase(),
})

// Types that had come out as \`any\` would accept this.
// @ts-expect-error a tool has a name
defineTool({ effect: 'read' })

export default defineConfig({ agents: {}, tools: [weather] })
`

const boxes = `
import { startTestBox } from 'signalbox/testing'

for (const register of ['memory', 'postgres']) {
  const box = await startTestBox({ register, agents: { clerk: {} }, turns: ['It is done.'] })
  const { outcome } = await box.run('clerk', 'Do it.')
  console.log(register + ': ' + outcome)
  await box.close()
}
`

const typedClient = `
import { createClient } from '@signalbox/client'

const client = createClient({ url: 'http://127.0.0.1:7420' })
const { run_id } = await client.runs.create({ assistant_id: 'clerk', input: 'Pay.' })
const id: string = run_id

// Types that had come out as \`any\` would accept this.
// @ts-expect-error a run is created of something
await client.runs.create(7)
console.log(id)
`

function run(cwd: string, command: string, args: readonly string[]): SpawnSyncReturns<string> {
  const result = spawnSync(command, args, {
    cwd,
    env: userEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (result.status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')}: ${result.status}\n${result.stdout}${result.stderr}`,
    )
  }
  return result
}

/** Asks until it answers that it is well, or the server is gone; a slow machine only waits longer. */
async function lastAnswer(url: string, gone: () => boolean): Promise<number | undefined> {
  let status: number | undefined
  while (status !== 200 && !gone()) {
    await sleep(100)
    status = (await fetch(url).catch(() => undefined))?.status ?? status
  }
  return status
}
