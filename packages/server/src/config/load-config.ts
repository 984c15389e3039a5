import { access, readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { ambiguityOf } from '@signalbox/core'
import { ConfigError } from './config-error.ts'
import { noteText } from './edition.ts'
import type { Env } from './environment.ts'
import { importWithin } from './import-within.ts'
import { parseConfig } from './parse-config.ts'
import type { Config } from './schema.ts'

/** A configuration and where it came from. Relative paths in it are relative to `dir`. */
export interface LoadedConfig {
  readonly config: Config
  readonly file: string
  readonly dir: string
}

const names = ['ts', 'js', 'mjs', 'json'].map((extension) => `signalbox.config.${extension}`)

/**
 * Finds `signalbox.config.{ts,js,mjs,json}` in `cwd`, or the file that SIGNALBOX_CONFIG names, and checks it.
 *
 * @throws ConfigError
 */
export async function loadConfig(from: {
  readonly cwd: string
  readonly env: Env
}): Promise<LoadedConfig> {
  const file = await find(from.cwd, from.env)
  const value = extname(file) === '.json' ? await readJson(file) : await importModule(file)
  return { config: parseConfig(value), file, dir: dirname(file) }
}

async function find(cwd: string, env: Env): Promise<string> {
  const named = env['SIGNALBOX_CONFIG']?.trim()
  if (named) {
    const file = resolve(cwd, named)
    if (await exists(file)) return file
    throw new ConfigError(
      'config_not_found',
      `SIGNALBOX_CONFIG names ${file}, which is not there.`,
      {
        field: 'SIGNALBOX_CONFIG',
      },
    )
  }
  const found: string[] = []
  for (const name of names) if (await exists(resolve(cwd, name))) found.push(name)
  if (found.length > 1)
    throw new ConfigError(
      'config_ambiguous',
      `${found.join(' and ')} stand side by side in ${cwd}. Keep one, or name it in SIGNALBOX_CONFIG.`,
    )
  if (found[0]) return resolve(cwd, found[0])
  throw new ConfigError(
    'config_not_found',
    `There is no signalbox.config.{ts,js,mjs,json} in ${cwd}. Make one with "npx signalbox init", or name one in SIGNALBOX_CONFIG.`,
  )
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

async function readJson(file: string): Promise<unknown> {
  try {
    const text = noteText(file, await readFile(file, 'utf8'))
    const value: unknown = JSON.parse(text)
    const ambiguity = ambiguityOf(text)
    if (ambiguity !== null) throw new Error(`it can be read in two ways: ${ambiguity}`)
    return value
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

async function importModule(file: string): Promise<unknown> {
  const module: unknown = await importWithin(file).catch((cause: unknown) => {
    throw unreadable(file, cause)
  })
  if (typeof module === 'object' && module !== null && 'default' in module) return module.default
  throw new ConfigError(
    'config_invalid',
    `${file} has no default export. Write: export default defineConfig({ … })`,
  )
}

function unreadable(file: string, cause: unknown): ConfigError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ConfigError('config_unreadable', `${file} cannot be read: ${why}`, { cause })
}
