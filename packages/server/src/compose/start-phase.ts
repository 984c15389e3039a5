/** What a start is about, for whoever waits for it. */
import type { EmbeddedPhase } from '@signalbox/postgres'

/** `tools`: they are opened, MCP servers with them. `schema`: the database is brought to it. `engine`: work begins. */
export type StartPhase = EmbeddedPhase | 'tools' | 'schema' | 'engine'
