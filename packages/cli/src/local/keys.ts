/**
 * Keys, straight in the database: so that the first key of a tenant can be made before anybody could ask a server for it.
 * Whoever may connect as the administrator of the database may do everything anyway.
 */
import { createKeyring, type Keyring } from '@signalbox/postgres'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { databaseFailure, findAddress } from './database.ts'

/** Does something with the keys of the register that the environment or the folder names. @throws Failure */
export async function withKeys<T>(shell: Shell, work: (keys: Keyring) => Promise<T>): Promise<T> {
  const { url, source, stop } = await findAddress(shell)
  const keys = createKeyring({ url, role: 'signalbox_owner' })
  try {
    return await work(keys).catch((error: unknown) => {
      throw isNewer(error) ? outdated(source, error) : databaseFailure(source, error)
    })
  } finally {
    await keys.close()
    await stop()
  }
}

const undefinedObjects = ['42P01', '42883']
const isNewer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && undefinedObjects.includes(String(error.code))

const outdated = (source: string, cause: unknown): Failure =>
  new Failure(
    'no_register',
    `There are no keys in ${source}: it is older than this version. Start a server once, or type: signalbox migrate`,
    { exitCode: exitCodes.usage, cause },
  )
