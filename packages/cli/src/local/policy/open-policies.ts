/** The agents of a configuration and their policies, as a server would start with them; neither server nor database. */
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AgentDefinition } from '@signalbox/core'
import { type Log, messageOf, type PolicyHost } from '@signalbox/engine'
import { createPolicyHost } from '@signalbox/policies'
import { type LoadedConfig, loadConfig, loadGovernance } from '@signalbox/server'
import { exitCodes } from '../../exit-codes.ts'
import { Failure, usageFailure } from '../../failure.ts'
import type { Shell } from '../../shell.ts'
import { findAgents } from '../find-agents.ts'

/** What was opened, to be closed. */
export interface OpenPolicies {
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly policies: PolicyHost
  close(): Promise<void>
}

/** Reads the configuration and starts what its tools and policies need. @throws Failure, ConfigError */
export async function openPolicies(
  shell: Shell,
  config: string | undefined,
): Promise<OpenPolicies> {
  const loaded = await load(shell, config)
  const governance = await loadGovernance(loaded)
  const agents = await findAgents(loaded, governance, { log: silent })
  const policies = createPolicyHost({
    log: silent,
    // A row says when it happens: a policy is not asked about a later time than that.
    clock: { now: () => 0 },
    env: shell.env,
    modules: governance.policies,
    baseDir: loaded.dir,
  })
  try {
    for (const { guardrails } of agents.values()) await policies.prepare(guardrails.policies)
  } catch (error) {
    await policies.close()
    const message = `The policies of ${loaded.file} cannot be used: ${messageOf(error)}`
    throw new Failure('config_invalid', message, { exitCode: exitCodes.usage, cause: error })
  }
  return { agents, policies, close: () => policies.close() }
}

async function load(shell: Shell, config: string | undefined): Promise<LoadedConfig> {
  if (config === undefined) return loadConfig(shell)
  const file = resolve(shell.cwd, config)
  await access(file).catch(() => {
    throw usageFailure(`--config names ${file}, which is not there.`)
  })
  return loadConfig({ ...shell, env: { ...shell.env, SIGNALBOX_CONFIG: file } })
}

const nothing = (): void => {}
/** A policy that cannot answer is told of in its row. */
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
