/**
 * The composition root, loaded when something is started: whoever imports this package for a configuration, as the file
 * of a user and most commands do, does not load the server.
 */
import type { OnPortsOptions } from './on-ports.ts'
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
 * Starts a process on a register, a queue and a wake bus that it is given, for tests of agents.
 *
 * @throws ConfigError
 */
export async function startOnPorts(options: OnPortsOptions): Promise<Signalbox> {
  const root = await import('./on-ports.ts')
  return root.startOnPorts(options)
}
