/** The configuration of the demo: what stands in `signalbox.config.ts` elsewhere. Parent and worker load the same. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { EngineSettings } from '@signalbox/engine'
import { type LoadedConfig, parseConfig } from '@signalbox/server'
import type { Scene } from './scene.ts'
import type { DemoSandbox } from './usable-sandbox.ts'

/** Where the agents read: the root of this repository, or of the installed package, whose compiled files stand one folder deeper. */
const home =
  ['../../..', '../../../..']
    .map((up) => fileURLToPath(new URL(up, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'LICENSE'))) ?? process.cwd()

/** A worker that vanished is replaced after `leaseMs`. The default of 15 s is kinder to slow machines, and dull to watch. */
export const demoEngine = {
  leaseMs: 4_000,
  renewMs: 500,
  pollMs: 400,
  // Each decision of the demo is checked against a fold of the whole log.
  verifyEvery: 1,
} as const satisfies Partial<EngineSettings>

/** Where this demo plays. */
export interface DemoPlace {
  readonly modelUrl: string
  readonly sandbox: DemoSandbox
  readonly scenes: readonly Scene[]
}

/** @throws ConfigError */
export function demoConfig({ modelUrl, sandbox, scenes }: DemoPlace): LoadedConfig {
  const config = parseConfig({
    agents: Object.assign({}, ...scenes.map((scene) => scene.agents(modelUrl))),
    mcpServers: {
      fs: { ...mcpServer('server-filesystem', [home]), cwd: home, trustHints: true },
      everything: { ...mcpServer('server-everything', ['stdio']), trustHints: true },
    },
    tools: scenes.flatMap(({ tools = [] }) => tools),
    sandbox: sandbox.use === 'virtual' ? { use: sandbox.use } : sandbox,
    server: { port: 0, graceMs: 1_000 },
  })
  return { config, file: fileURLToPath(import.meta.url), dir: home }
}

/** One of the published servers; or, where they are not installed, one of the demo's own that has the tools of both. */
function mcpServer(name: string, args: readonly string[]) {
  const published = publishedServer(name)
  return published === null
    ? { command: process.execPath, args: [ownServer, home] }
    : { command: process.execPath, args: [published, ...args] }
}

const ownServer = fileURLToPath(
  new URL(`./tool-server-main${extname(import.meta.url)}`, import.meta.url),
)

function publishedServer(name: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`)
  } catch {
    return null
  }
}

/** Are the published servers here, as in the repository? */
export const hasPublishedServers = (): boolean => publishedServer('server-everything') !== null
