/**
 * The key of the pseudonyms: made once, kept beside the data, readable by nobody else. Whoever has it can find out whose a
 * pseudonym is; whoever loses it cannot tell one end user of yesterday from another.
 */
import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@signalbox/engine'
import { StartError } from './start-error.ts'

/** Reads the key of a data directory, or makes it. Any number of processes get the same. @throws StartError */
export async function pseudonymKeyIn(dataDir: string): Promise<string> {
  const file = join(dataDir, 'pseudonym.key')
  try {
    return (await readKey(file)) ?? (await makeKey(dataDir, file))
  } catch (error) {
    const message = `The key of the pseudonyms, ${file}, cannot be used: ${messageOf(error)}.`
    throw new StartError('pseudonym_key', message, error)
  }
}

const keyPattern = /^[0-9a-f]{64}$/

async function readKey(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  if (keyPattern.test(text.trim())) return text.trim()
  throw new Error('it does not hold 64 hexadecimal digits')
}

/** Written whole before it has its name, so that nobody reads half of it; the first to name it wins. */
async function makeKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  const key = await readKey(file)
  if (key === null) throw new Error('it vanished')
  return key
}
