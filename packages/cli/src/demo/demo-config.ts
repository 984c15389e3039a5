/** The configuration of the demo: what stands in `signalbox.config.ts` elsewhere. Parent and worker load the same. */
import { createRequire } from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { EngineSettings } from '@signalbox/engine'
import { type LoadedConfig, parseConfig } from '@signalbox/server'
import type { Scene } from './scene.ts'

/** The root of this repository, whose files the agents read. */
const repository = fileURLToPath(new URL('../../../..', import.meta.url))

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
  readonly workspaceRoot: string
  readonly scenes: readonly Scene[]
}

/** @throws ConfigError */
export function demoConfig({ modelUrl, workspaceRoot, scenes }: DemoPlace): LoadedConfig {
  const config = parseConfig({
    agents: Object.assign({}, ...scenes.map((scene) => scene.agents(modelUrl))),
    mcpServers: {
      fs: { ...npmServer('server-filesystem', [repository]), cwd: repository, trustHints: true },
      everything: { ...npmServer('server-everything', ['stdio']), trustHints: true },
    },
    tools: scenes.flatMap(({ tools = [] }) => tools),
    workspace: { root: workspaceRoot },
    server: { port: 0, graceMs: 1_000 },
  })
  return { config, file: fileURLToPath(import.meta.url), dir: repository }
}

function npmServer(name: string, args: readonly string[]) {
  const main = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`)
  return { command: process.execPath, args: [main, ...args] }
}
