import { readFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { ambiguityOf } from '@signalbox/core'
import { ConfigError } from './config-error.ts'
import { noteText } from './edition.ts'
import type { Env } from './environment.ts'
import { explainImport } from './explain-import.ts'
import { findConfig } from './find-config.ts'
import { importWithin } from './import-within.ts'
import { inFile } from './in-file.ts'
import { jsonFault } from './json-fault.ts'
import { parseConfig } from './parse-config.ts'
import { shownFile } from './place.ts'
import type { Config } from './schema.ts'

/** A configuration and where it came from. Relative paths in it are relative to `dir`. */
export interface LoadedConfig {
  readonly config: Config
  readonly file: string
  readonly dir: string
}

const jsonBytesMax = 4 * 1024 * 1024

/**
 * Finds the configuration of `cwd`, or the file that SIGNALBOX_CONFIG names, and checks it.
 *
 * @throws ConfigError
 */
export async function loadConfig(from: {
  readonly cwd: string
  readonly env: Env
}): Promise<LoadedConfig> {
  const file = await findConfig(from)
  const shown = shownFile(file, from.cwd)
  const value =
    extname(file) === '.json' ? await readJson(file, shown) : await importModule(file, from.cwd)
  const config = await inFile(shown, () => parseConfig(value))
  return { config, file, dir: dirname(file) }
}

async function readJson(file: string, shown: string): Promise<unknown> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw unreadable(`${shown} cannot be read: ${whyUnread(cause)}`, cause)
  })
  const text = noteText(file, textOf(bytes, shown))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const { line, why } = jsonFault(text) ?? { line: 1, why: 'it is no JSON' }
    throw unreadable(`${shown}:${line}: ${why}`, cause)
  }
  const ambiguity = ambiguityOf(text)
  if (ambiguity === null) return value
  const message = `${shown}:${ambiguousLine(text)}: it can be read in two ways: ${ambiguity}`
  throw unreadable(message, undefined)
}

/** A mark of the byte order is no part of the text. */
function textOf(bytes: Buffer, shown: string): string {
  if (bytes.byteLength > jsonBytesMax)
    throw unreadable(`${shown} has more than ${jsonBytesMax} bytes`, undefined)
  const [first = 0, second = 0] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw unreadable(`${shown} is UTF-16. Save it as UTF-8.`, undefined)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw unreadable(`${shown} is not UTF-8. Save it as UTF-8.`, cause)
  }
}

/** The first line up to which the text is ambiguous. */
function ambiguousLine(text: string): number {
  const lines = text.split('\n')
  let [from, to] = [1, lines.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (ambiguityOf(lines.slice(0, middle).join('\n')) === null) from = middle + 1
    else to = middle
  }
  return from
}

async function importModule(file: string, from: string): Promise<unknown> {
  // Node says of an unreadable module only that it was not found, or worse.
  await readFile(file).catch((cause: unknown) => {
    throw unreadable(`${shownFile(file, from)} cannot be read: ${whyUnread(cause)}`, cause)
  })
  const module: unknown = await importWithin(file).catch(async (cause: unknown) => {
    throw unreadable(await explainImport(cause, { file, from }), cause)
  })
  const shown = shownFile(file, from)
  if (typeof module !== 'object' || module === null || !('default' in module))
    throw invalid(`${shown} has no default export. Write: export default defineConfig({ … })`)
  const value = module.default
  if (typeof value === 'function')
    throw invalid(
      `${shown}: the default export is a function, and nobody calls it. Write: export default defineConfig({ … })`,
    )
  if (value instanceof Promise) {
    value.catch(() => {})
    throw invalid(`${shown}: the default export is a promise. Write await before it.`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(
      `${shown}: the default export is no object. Write: export default defineConfig({ … })`,
    )
  return value
}

const unreadable = (message: string, cause: unknown): ConfigError =>
  new ConfigError('config_unreadable', message, { cause })

const invalid = (message: string): ConfigError => new ConfigError('config_invalid', message)

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'it is a link that leads back to itself',
  EISDIR: 'it is a folder',
}

function whyUnread(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return reasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
}
