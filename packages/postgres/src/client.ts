/** A connection of its own, beside the pools. */
import { Client, type ClientConfig } from 'pg'

/**
 * Makes a client that no lost connection ends the process for: the query under way, or the next one, gets the error. Without a listener
 * for it, Node would throw. Not connected yet.
 */
export function newClient(config: ClientConfig): Client {
  const client = new Client(config)
  client.on('error', () => undefined)
  return client
}

/** Connects a client, works with it, and ends it. */
export async function withClient<T>(
  config: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = newClient(config)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
