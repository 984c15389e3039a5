import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Client, DatabaseError } from 'pg'

import { superuser } from './cluster.ts'

/** Address of the server for the superuser. Holds the password: never log it. */
export function serverUrl(port: number, password: string): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`
}

/** "The database system is starting up", or shutting down, or in recovery. */
const cannotConnectNow = '57P03'

/** Does the server of this cluster listen there, and does it accept the password? Asks again while it starts. */
export async function knock(
  where: { readonly port: number; readonly password: string; readonly cluster: string },
  deadline: number,
): Promise<boolean> {
  for (;;) {
    const client = new Client({
      connectionString: serverUrl(where.port, where.password),
      connectionTimeoutMillis: 5000,
      query_timeout: 5000,
    })
    // Node would throw a lost connection that nobody listens for; the query gets the error.
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ data_directory: string }>('show data_directory')
      const found = rows[0]?.data_directory
      return found !== undefined && resolve(found) === resolve(where.cluster)
    } catch (error) {
      const starting = error instanceof DatabaseError && error.code === cannotConnectNow
      if (!starting || Date.now() >= deadline) return false
      await sleep(50)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
