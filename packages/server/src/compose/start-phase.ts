/** What a start is about, for whoever waits for it. */
/** Phases of the embedded Postgres: its programs are copied, its cluster is made, its server starts. */
export type EmbeddedPhase = 'programs' | 'cluster' | 'postgres'

/** `tools`: they are opened, MCP servers with them. `schema`: the database is brought to it. `engine`: work begins. */
export type StartPhase = EmbeddedPhase | 'tools' | 'schema' | 'engine'
