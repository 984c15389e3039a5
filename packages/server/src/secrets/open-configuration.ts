/** The configuration of a server process, and its variables, once no secret is left where a tool finds it. */
import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { fileNames, ownSecrets, withheldNames } from '../compose/secrets.ts'
import type { Env } from '../config/environment.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { forget, startAgain, takeHandover } from './handover.ts'
import { withSecretFiles } from './secret-files.ts'

/** Names of variables, separated by commas, that tools may see though the configuration names them for us. */
const keepEnv = 'SIGNALBOX_KEEP_ENV'

export interface OpenConfiguration {
  readonly loaded: LoadedConfig
  /** With the secrets, which stand nowhere else. */
  readonly env: Env
  /** What was taken from `process.env`. */
  readonly withheld: readonly string[]
  /** Why `/proc/<pid>/environ` still shows them; null if it does not. */
  readonly shownBecause: string | null
}

/**
 * Loads the configuration, which says what is secret. If the process was given any of it in its environment, it starts itself again
 * without it, and does not return. Of variables that are not those of the process nothing is withheld.
 *
 * @throws ConfigError
 */
export async function openConfiguration(from: {
  readonly cwd: string
  readonly env: Env
  readonly mayStartAgain: () => boolean
}): Promise<OpenConfiguration> {
  const isOwn = from.env === process.env
  const handed = isOwn ? takeHandover() : null
  const given = withSecretFiles({ ...from.env, ...handed }, ownSecrets)
  const loaded = await loadConfig({ cwd: from.cwd, env: given })
  const env = withSecretFiles(given, fileNames(loaded.config))
  if (!isOwn) return { loaded, env, withheld: [], shownBecause: null }
  const kept = new Set(process.env[keepEnv]?.split(',').map((name) => name.trim()))
  const names = withheldNames(loaded.config).filter(
    (name) => ownSecrets.includes(name) || !kept.has(name),
  )
  const shown = names.filter((name) => process.env[name])
  // A descriptor that was read is closed: what it held is handed over as well.
  const read = fileNames(loaded.config).filter((name) => process.env[`${name}_FILE`])
  const passed = [...new Set([...names, ...read])]
  const secrets: Record<string, string> = {}
  for (const name of passed) {
    const value = env[name]
    if (value !== undefined) secrets[name] = value
  }
  // Signals that have come are heard before.
  await setImmediate()
  const isClean = shown.length === 0 || handed !== null
  const shownBecause = isClean
    ? null
    : from.mayStartAgain()
      ? (startAgain(passed, secrets) ?? null)
      : 'it was told to stop'
  forget(shown)
  const withheld = handed === null ? shown : names.filter((name) => env[name])
  return { loaded, env, withheld, shownBecause }
}
