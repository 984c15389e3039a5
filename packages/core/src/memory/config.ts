/** How an agent remembers whom it works for, as its definition says it. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { MemoryKind } from './item.ts'

/**
 * Whose memory it is. `user`: of whom a run works for, with every agent that says so. `user+agent`: of whom it works for, with this agent alone.
 * `agent`: of the agent, written by operators only and shown to everybody. `group:<name>`: of those who have this role.
 */
export const MemoryScope = z.union([
  z.enum(['user', 'user+agent', 'agent']),
  z
    .string()
    .regex(
      /^group:[^\s:]{1,100}$/,
      'takes user, user+agent, agent, or group:<name> with the name of a role',
    ),
])

/** What an agent remembers. Absent from a definition: nothing. */
export const MemoryConfig = z.strictObject({
  /** Is a memory made of the words of users, after runs that completed? */
  learn: z.boolean().default(false),
  /** Name of the model that learns, one of `model` and `fallbackModels`. Default: that of `model`. */
  model: z.string().min(1).max(limits.idCharsMax).optional(),
  /** Not before this long after the end of a run. A newer run of its thread that is under way by then learns for both. */
  delayMs: z.number().int().min(0).max(limits.memoryDelayMsMax).default(30_000),
  /** `block`: items stand in the request. `tool`: the model looks for them by `search_memory`. */
  mode: z.enum(['block', 'tool']).default('block'),
  scope: MemoryScope.default('user+agent'),
  /** Kinds of items that are kept. Default: all. */
  kinds: z.array(MemoryKind).min(1).optional(),
})

export type MemoryScope = z.infer<typeof MemoryScope>
export type MemoryConfig = z.infer<typeof MemoryConfig>
