/**
 * The composition root, loaded when something is started: whoever imports this package for a configuration, as the file
 * of a user and most commands do, does not load the server.
 */
import type { InMemoryOptions } from './in-memory.ts'
import type { Signalbox, StartOptions } from './start.ts'

/**
 * Starts a process. What was opened is closed again if a later part fails.
 *
 * @throws ConfigError, StartError
 */
export async function startSignalbox(options: StartOptions): Promise<Signalbox> {
  const root = await import('./start.ts')
  return root.startSignalbox(options)
}

/**
 * Starts a process whose register is its own memory, for tests of agents.
 *
 * @throws ConfigError
 */
export async function startInMemory(options: InMemoryOptions): Promise<Signalbox> {
  const root = await import('./in-memory.ts')
  return root.startInMemory(options)
}
