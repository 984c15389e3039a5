/** Where a process listens. */
import type { Assembly } from './start.ts'

/** The port that was asked of this very process; null: none. */
export const portOf = ({ options, environment }: Assembly): number | null =>
  options.port ?? environment.port

/** The interface. */
export const hostOf = ({ environment, config }: Assembly): string =>
  environment.host ?? config.server.host
