/** The field `subagents` of an agent: how many runs it may start, by which tool, and which files those have. */
import { z } from 'zod'
import { limits } from '../../limits.ts'

/**
 * The files of a run that another one starts. `none`: its own alone. `read`: it begins with those of the run that starts it, and keeps its
 * changes to itself. `merge`: its changes are taken over when it ends.
 */
const ChildFiles = z.enum(['none', 'read', 'merge'])

/** Absent, an agent starts as many runs in a turn as it likes, up to the limit of all runs, and shares no file with them. */
export const SubagentsConfig = z.strictObject({
  /** Runs that one turn may start. */
  perTurn: z.number().int().min(1).max(limits.childrenPerTurnMax).default(3),
  /** Runs that one run may start. */
  perRun: z.number().int().min(1).max(limits.childrenMax).default(6),
  /** `task`: one tool for all of its agents, which a call names. Absent: a tool for each. */
  tool: z.literal('task').optional(),
  files: ChildFiles.default('read'),
})
