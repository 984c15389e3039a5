/**
 * Whose memory a run has. The thread of a memory is found from the tenant, the scope and the subject, by every process alike.
 *
 * M1 A subject is somebody the server has authenticated: the end user, else the user. Without one there is no memory, and never a shared one (C12).
 * M2 A group's memory is for those whose authenticated role is that of the group; an agent's, which operators write, is for everybody.
 */
import type { AgentDefinition, FactPayload, JsonObject } from '@signalbox/core'
import type { Person } from './engine.ts'
import type { Register } from './ports.ts'
import { canonical, uuidOf } from './record/draft.ts'

/** The memory of whom a run works for. */
export interface MemoryOf {
  readonly threadId: string
  /** `scope`, and as far as there are any `subject` and `agent`. */
  readonly about: JsonObject
}

/** Whom a run works for, as the server has authenticated them. */
export interface Served {
  readonly tenantId: string
  readonly user?: Person
  readonly endUser?: string
}

/** Null: the agent remembers nothing, or nobody is known. */
export function memoryOf(
  { tenantId, user, endUser }: Served,
  { name, memory }: Pick<AgentDefinition, 'name' | 'memory'>,
): MemoryOf | null {
  if (!memory) return null
  const { scope } = memory
  const about = aboutOf({
    scope,
    agent: name,
    subject: endUser ?? user?.id ?? null,
    role: user?.role ?? null,
  })
  return about && { threadId: memoryThreadId(tenantId, about), about }
}

function aboutOf({
  scope,
  agent,
  subject,
  role,
}: {
  readonly scope: string
  readonly agent: string
  readonly subject: string | null
  readonly role: string | null
}): JsonObject | null {
  if (scope === 'agent') return { scope, agent }
  if (scope.startsWith('group:'))
    return role !== null && scope === `group:${role}` ? { scope } : null
  if (subject === null) return null
  return scope === 'user' ? { scope, subject } : { scope, agent, subject }
}

/** The id of the thread of a memory. */
export const memoryThreadId = (tenantId: string, about: JsonObject): string =>
  uuidOf(`signalbox.memory\u0000${tenantId}\u0000${canonical(about)}`)

/** What a new run says of the memory of whom it works for; null: nothing. */
type Marked = NonNullable<FactPayload<'run.created'>['memory']>

/** The request for a run, as far as its memory asks. */
export interface Remembering extends Served {
  readonly threadId: string
  readonly definition: AgentDefinition
  /** The client wants nothing of it to be remembered. */
  readonly memory?: 'off'
  /** Is there anything to learn from: words of a user? */
  readonly isSaid: boolean
}

/** The mark of a new run; null where it has nothing to do with a memory. An agent without one costs no read. */
export async function memoryMark(
  { register }: { readonly register: Pick<Register, 'isMemoryOff'> },
  request: Remembering,
): Promise<Marked | null> {
  const { definition, tenantId, threadId, memory, isSaid } = request
  const found = memory === 'off' ? null : memoryOf(request, definition)
  if (!found || (await register.isMemoryOff({ tenantId, threadId }))) return null
  const { learn = false, scope } = definition.memory ?? {}
  const isLearned = learn && scope !== 'agent' && isSaid
  return { threadId: found.threadId, ...(isLearned ? { learn: true } : {}) }
}
