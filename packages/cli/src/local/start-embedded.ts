import type { StartEmbedded } from '@signalbox/server'

/** Starts the embedded Postgres of a process; loaded when one is wanted: beside a database of its own no process needs it. */
export const startEmbedded: StartEmbedded = async (options) => {
  const { startEmbeddedPostgres } = await import('@signalbox/embedded')
  return startEmbeddedPostgres(options)
}
