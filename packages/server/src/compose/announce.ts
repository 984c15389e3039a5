/**
 * Where a process serves, written into its data directory: commands that are typed in the same folder find the server there,
 * and a second server can say which one is in its way.
 *
 * A1 The file only helps: a process that cannot write it serves all the same, and one that was killed leaves it behind.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Assembly } from './start.ts'

const Announced = z.object({
  pid: z.number().int().positive(),
  url: z.string().max(300),
  /** Of the start: a process may serve more than once. */
  id: z.uuid(),
})

const fileIn = (dataDir: string): string => join(dataDir, 'server.json')

/** Writes the address, if that was asked for, and takes it back at the end. */
export async function announce(
  { options, environment, log, closers }: Assembly,
  url: string,
): Promise<void> {
  if (options.announce !== true) return
  const dataDir = resolve(options.dataDir ?? environment.dataDir)
  const file = fileIn(dataDir)
  const id = randomUUID()
  const draft = `${file}.${id}`
  try {
    // It is made where it will hold data anyway.
    if (environment.databaseUrl === null) await mkdir(dataDir, { recursive: true })
    await writeFile(draft, `${JSON.stringify({ pid: process.pid, url, id })}\n`)
    await rename(draft, file)
    closers.add('announcement', () => withdraw(dataDir, id))
  } catch (error) {
    log.debug('the address is not announced', { file, reason: String(error) })
  }
}

/** Another server of the folder, or a newer start of this one, may have written its own since. */
async function withdraw(dataDir: string, id: string): Promise<void> {
  if ((await announcedIn(dataDir))?.id === id) await rm(fileIn(dataDir), { force: true })
}

/** What stands in a data directory; null if nothing that can be read does. */
export async function announcedIn(dataDir: string): Promise<z.output<typeof Announced> | null> {
  try {
    return Announced.parse(JSON.parse(await readFile(fileIn(dataDir), 'utf8')))
  } catch {
    return null
  }
}
