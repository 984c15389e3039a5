/**
 * The configuration of a box. What reaches beyond the test is taken out: no webhook is told, no directory of workspaces is written to, and
 * no limit is shared.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { type Env, loadConfig, type LoadedConfig, parseConfig } from '@signalbox/server'
import { TestBoxError } from './box-error.ts'
import type { TestBoxOptions } from './box-options.ts'

/** Loads and checks it. @throws ConfigError, TestBoxError */
export async function openConfig(options: TestBoxOptions, env: Env): Promise<LoadedConfig> {
  const { config, dir, file } = await load(options, env)
  const { workspace: _workspace, webhooks, server, ...rest } = config
  return {
    dir,
    file,
    config: {
      ...rest,
      webhooks: { ...webhooks, endpoints: {} },
      // A tool that still executes when the test closes its box need not come to its end.
      server: { ...server, graceMs: 1_000 },
    },
  }
}

async function load(options: TestBoxOptions, env: Env): Promise<LoadedConfig> {
  const { config, agents, tools, dir = process.cwd() } = options
  if (config !== undefined && (agents !== undefined || tools !== undefined))
    throw new TestBoxError(
      'wrong_option',
      'config brings agents and tools along: leave agents and tools out, or config',
    )
  if (tools !== undefined && agents === undefined)
    throw new TestBoxError('wrong_option', 'tools are of no use without agents that have them')
  if (agents !== undefined) return inline(dir, ofAgents(agents, tools ?? []))
  if (typeof config === 'object') return inline(dir, config)
  if (config !== undefined && !existsSync(resolve(dir, config)))
    throw new TestBoxError('wrong_option', `config: there is no file ${resolve(dir, config)}`)
  const named = config ?? env['SIGNALBOX_CONFIG']
  return loadConfig({
    cwd: dir,
    env: named === undefined ? {} : { SIGNALBOX_CONFIG: resolve(dir, named) },
  })
}

const inline = (dir: string, config: unknown): LoadedConfig => ({
  config: parseConfig(config),
  dir,
  file: 'the configuration of the test',
})

/** Agents that name no model have one that only the test can answer for. */
const ofAgents = (
  agents: NonNullable<TestBoxOptions['agents']>,
  tools: NonNullable<TestBoxOptions['tools']>,
) => ({
  agents: Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [
      name,
      { model: { provider: 'scripted', model: 'test' }, ...agent },
    ]),
  ),
  tools: [...tools],
  scripts: { test: () => ({}) },
})
