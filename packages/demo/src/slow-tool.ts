import type { RunEvent } from './run-event.ts'

/** A tool of the MCP server "everything" that takes as long as it is told to. It declares itself read-only. */
export const slowTool = 'mcp__everything__trigger-long-running-operation'

/** Has the tool been started? */
export const slowToolStarted = ({ type, tool }: RunEvent): boolean =>
  type === 'effect.started' && tool === slowTool
