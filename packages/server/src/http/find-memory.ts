/**
 * Whose memory a request is about.
 *
 * F1 Whoever is identified has one memory, and no name in a request changes that. A request of a server, which is not, names the subject.
 * F2 The memory of an agent, which everybody is shown, is written by those who may administer.
 */
import type { AgentDefinition } from '@signalbox/core'
import { memoryOf, type MemoryOf } from '@signalbox/engine'
import { suggestion } from '../config/nearest.ts'
import type { Api, Identified } from './api.ts'
import { insistOn } from './authorize.ts'
import { Problem } from './problem.ts'

export interface FoundMemory {
  readonly memory: MemoryOf
  readonly definition: AgentDefinition
  readonly scope: string
  readonly subject: string | null
}

interface Asked {
  readonly agent?: string | undefined
  readonly subject?: string | undefined
}

/** @throws Problem `unknown_agent`, `no_memory`, `memory_forbidden`, `invalid_request` */
export function findMemory(
  api: Pick<Api, 'agents'>,
  caller: Identified,
  { agent, subject }: Asked,
): FoundMemory {
  const definition = rememberingAgent(api, agent)
  const { scope = '' } = definition.memory ?? {}
  const own = caller.endUser ?? caller.user?.id
  if (own !== undefined && subject !== undefined && subject !== own)
    throw new Problem('memory_forbidden', {
      detail: 'The request is identified as somebody else. Leave `subject` out.',
      field: 'subject',
    })
  const isOwn = own !== undefined
  if (scope.startsWith('group:')) return ofGroup(caller, { definition, scope, isOwn })
  const wanted = own ?? subject
  if (scope !== 'agent' && wanted === undefined)
    throw new Problem('no_memory', {
      detail:
        'Nobody is named. Send the headers of `server.identity`, or `subject`: the pseudonym of an end user, or the id of a user.',
      field: 'subject',
    })
  const served = { tenantId: caller.tenantId, ...(wanted === undefined ? {} : { endUser: wanted }) }
  const memory = memoryOf(served, definition)
  if (!memory) throw new Error('unreachable: there is a subject')
  return { memory, definition, scope, subject: scope === 'agent' ? null : (wanted ?? null) }
}

function ofGroup(
  { tenantId, user }: Identified,
  {
    definition,
    scope,
    isOwn,
  }: { readonly definition: AgentDefinition; readonly scope: string; readonly isOwn: boolean },
): FoundMemory {
  const role = isOwn ? (user?.role ?? null) : scope.slice('group:'.length)
  const memory = memoryOf({ tenantId, user: { id: '', role } }, definition)
  if (!memory)
    throw new Problem('memory_forbidden', {
      detail: `This memory is that of the group "${scope.slice('group:'.length)}".`,
    })
  return { memory, definition, scope, subject: null }
}

function rememberingAgent(
  { agents }: Pick<Api, 'agents'>,
  name: string | undefined,
): AgentDefinition {
  const known = [...agents.values()].filter(({ memory }) => memory !== undefined)
  if (name === undefined) {
    const [only, ...others] = known
    if (only && others.length === 0) return only
    throw new Problem('no_memory', {
      detail:
        known.length === 0
          ? 'No agent remembers anything. Configure `memory` for one.'
          : `Say which agent: ${known.map((each) => each.name).join(', ')}.`,
      field: 'agent',
    })
  }
  const agent = agents.get(name)
  if (!agent)
    throw new Problem('unknown_agent', {
      detail: `There is no agent "${name}".${suggestion(name, [...agents.keys()])}`,
      field: 'agent',
    })
  if (!agent.memory)
    throw new Problem('no_memory', {
      detail: `The agent "${name}" remembers nothing.`,
      field: 'agent',
    })
  return agent
}

/** May the caller change it (F2)? @throws Problem `forbidden_scope` */
export function insistOnWriting(caller: Identified, { scope }: FoundMemory): void {
  if (scope === 'agent') insistOn({ all: ['admin'], any: [] }, caller)
}
