/**
 * Secrets that stand in files: `NAME_FILE` names the file whose content is the value of `NAME`.
 *
 * F1 A value is given once: `NAME` and `NAME_FILE` together are refused.
 * F2 A descriptor (`/dev/fd/3`, `/proc/self/fd/3`) is read to its end and closed, so that nothing of this process reads it again.
 * F3 No message quotes a content.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fail } from '../config/fail.ts'
import type { Env } from '../config/environment.ts'

const suffix = '_FILE'
const bytesMax = 64 * 1024

/**
 * The variables with the contents of such files in their place. Variables that are not named stay as they are: `SSL_CERT_FILE` and
 * its like are not ours.
 *
 * @throws ConfigError `config_env`, naming the variable
 */
export function withSecretFiles(env: Env, names: readonly string[]): Env {
  const read: Record<string, string | undefined> = {}
  for (const name of new Set(names)) {
    const variable = `${name}${suffix}`
    const path = env[variable]?.trim()
    if (!path) continue
    if (env[name]?.trim()) fail('config_env', variable, `${name} is set too. Keep one of them`)
    read[name] = contentOf(variable, path)
    read[variable] = undefined
  }
  return Object.keys(read).length === 0 ? env : { ...env, ...read }
}

function contentOf(variable: string, path: string): string {
  const bytes = bytesOf(variable, path)
  if (bytes.byteLength > bytesMax)
    fail('config_env', variable, `${path} has more than ${bytesMax} bytes, which no secret has`)
  const text = textOf(variable, path, bytes).replace(/[\r\n]+$/, '')
  if (text.trim() === '') fail('config_env', variable, `${path} is empty`)
  return text
}

function bytesOf(variable: string, path: string): Buffer {
  try {
    const descriptor = descriptorIn(path) ?? openSync(path, 'r')
    try {
      if (fstatSync(descriptor).isDirectory()) throw new Error('it is a directory')
      return readAll(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return fail('config_env', variable, `${path} cannot be read: ${why}`)
  }
}

/** Standard input, output and error are not for secrets. */
function descriptorIn(path: string): number | null {
  const [, number] = /^(?:\/dev\/fd|\/proc\/self\/fd)\/(\d{1,6})$/.exec(path) ?? []
  if (number === undefined) return null
  const descriptor = Number(number)
  if (descriptor > 2) return descriptor
  throw new Error('the descriptors 0, 1 and 2 are standard input, output and error')
}

/** One byte more than is allowed at most: a device or a pipe may never end. */
function readAll(descriptor: number): Buffer {
  const buffer = Buffer.alloc(bytesMax + 1)
  let length = 0
  while (length < buffer.byteLength) {
    const got = readSync(descriptor, buffer, length, buffer.byteLength - length, null)
    if (got === 0) break
    length += got
  }
  return buffer.subarray(0, length)
}

function textOf(variable: string, path: string, bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Told below, as a zero byte is.
  }
  return fail('config_env', variable, `${path} is no text in UTF-8`)
}
