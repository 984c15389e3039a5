/** `audit digest`: what the log knows arguments by. For whoever may read the database: with the key, digests can be guessed. */
import { text as readAll } from 'node:stream/consumers'
import { ambiguityOf, JsonObjectSchema } from '@signalbox/core'
import { createDigests, systemRandom } from '@signalbox/engine'
import type { Pool } from 'pg'
import { exitCodes } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { openDatabase } from './database.ts'

export interface DigestedArguments {
  readonly tenant: string
  /** As runs of new definitions have it. */
  readonly args_hash: string
  /** As runs of before have it. */
  readonly sha256: string
}

/** Makes the digests of the arguments for one tenant; `-` reads them from the standard input. @throws Failure */
export async function digestArguments(
  shell: Shell,
  written: string,
  tenant: string,
): Promise<DigestedArguments> {
  const args = readArguments(written === '-' ? await readAll(process.stdin) : written)
  const database = await openDatabase(shell)
  try {
    const digestKey = async () => keyOf(database.pool, tenant)
    const digests = createDigests({ register: { digestKey }, random: systemRandom })
    const [made] = await digests.both(tenant, [args])
    if (!made) throw new Error('unreachable: one call has one pair of digests')
    const [sha256, args_hash] = made
    return { tenant, args_hash, sha256 }
  } finally {
    await database.close()
  }
}

function readArguments(written: string) {
  const parsed = JsonObjectSchema.safeParse(parse(written))
  const problem = parsed.success ? ambiguityOf(written) : 'they are no object'
  if (parsed.success && problem === null) return parsed.data
  throw usageFailure(`The arguments are an object of JSON, such as {"path":"a.txt"}: ${problem}.`)
}

function parse(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return null
  }
}

async function keyOf(pool: Pool, tenant: string): Promise<string> {
  const { rows } = await pool.query<{ key: string }>(
    `select encode(key, 'hex') as key from signalbox.digest_key where tenant_id = $1`,
    [tenant],
  )
  if (rows[0]) return rows[0].key
  const message = `No run of the tenant ${tenant} has keyed a digest yet: there is no key.`
  throw new Failure('no_digest_key', message, { exitCode: exitCodes.notFound })
}
