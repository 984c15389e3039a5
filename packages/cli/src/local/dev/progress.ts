/** What a start is doing, in a line per phase: a first one takes seconds, and silence looks like a fault. */
import type { StartPhase } from '@signalbox/server'
import type { Terminal } from '../../output/terminal.ts'

const words: Readonly<Record<StartPhase, string>> = {
  tools: 'Loading tools and policies, and starting MCP servers',
  programs: 'Copying the programs of Postgres to /var/lib/signalbox, once',
  cluster: 'Making a database below the data directory, once; this takes some seconds',
  postgres: 'Starting Postgres',
  schema: 'Bringing the database to the schema of this version',
  engine: 'Starting orchestrator and worker',
}

/** Answers what is told of each phase. */
export function sayPhases(terminal: Terminal): (phase: StartPhase) => void {
  return (phase) => terminal.line(terminal.paint('dim', `  ${words[phase]} …`))
}
