/** Hints to the caches of providers, besides the request. Requests of one run are told the same, summaries among them. */
import type { AgentDefinition } from '@signalbox/core'
import type { ModelRequest } from '../ports.ts'
import { canonical, sha256 } from '../record/draft.ts'
import type { ModelTask } from './model-call.ts'

export const cacheHints = ({
  tenantId,
  threadId,
  agent,
}: Pick<ModelTask, 'tenantId' | 'threadId' | 'agent'>): Pick<
  ModelRequest,
  'cacheKey' | 'waitsForPeople' | 'keepsHead'
> => ({
  // The tenant is in it: caches of two tenants have nothing in common, whatever their threads are called (C12).
  cacheKey: sha256(canonical([tenantId, threadId])).slice(0, 32),
  ...(asksPeople(agent) ? { waitsForPeople: true } : {}),
  // A prune leaves instructions, tools and the summary in front as they were.
  ...(agent.context ? { keepsHead: true } : {}),
})

/** Do lists of the agent name tools that a human must approve? What a policy with I/O will say, nobody knows before. */
function asksPeople({ guardrails: { approvalTools, policies } }: AgentDefinition): boolean {
  const lists = policies.filter((policy) => policy.use === 'allowlist')
  return [approvalTools, ...lists.map((list) => list.approvalTools)].some(
    (tools) => tools.length > 0,
  )
}
