/** The agent that learns: built in, made of the agent it learns for. */
import type { AgentDefinition } from '../definition.ts'
import { limits } from '../limits.ts'
import { memoryToolNames, memoryTools } from './candidate.ts'
import { learnInstructions } from './learn-prompt.ts'

/** Its name. No agent of a configuration may have it, for a name of those has no colon. */
export const learnerName = 'signalbox:memory'

/**
 * The definition of the learner for an agent: its model, safety, policies and stream guardrails, with those for secrets and personal data in any
 * case. Its tools are those of the memory; a list of allowed tools is about the tools of the agent, and one of denied tools holds here, too. Nobody
 * is asked: a policy that wants a human denies.
 */
export function learnerOf(agent: AgentDefinition): AgentDefinition {
  const queue = agent.tools.find(({ runs, settles }) => !runs && !settles)?.queue ?? 'tools'
  const { maxOutputTokens = limits.learnTokensMax / 10, ...model } = modelOf(agent)
  // What the agent does for its own conversations is left out.
  const { context: _c, uploads: _u, title: _t, todo: _d, fields: _f, ...kept } = agent
  return {
    ...kept,
    name: learnerName,
    model: { ...model, maxOutputTokens },
    fallbackModels: [],
    instructions: learnInstructions,
    tools: [...memoryTools(queue)].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    skills: [],
    guardrails: {
      ...agent.guardrails,
      allowedTools: null,
      policies: agent.guardrails.policies.map(allowing),
      approvalTools: [],
      stream: guardsOf(agent.guardrails.stream),
      maxGuardrailRetries: 0,
    },
    limits: {
      maxTurns: limits.learnTurnsMax,
      maxToolCalls: limits.learnCallsMax,
      maxTokens: limits.learnTokensMax,
      timeoutMs: limits.learnMsMax,
      maxCost: agent.limits.maxCost,
      warnAt: 1,
    },
    continuations: 0,
    ends: 'with_calls',
  }
}

/** A list of allowed tools, and those of the learner: such a list is about the tools of the agent. */
const allowing = (spec: Policy): Policy =>
  spec.use === 'allowlist' && spec.allowedTools && spec.allowedTools.length > 0
    ? { ...spec, allowedTools: [...spec.allowedTools, ...memoryToolNames] }
    : spec

type Policy = AgentDefinition['guardrails']['policies'][number]
type StreamGuardSpec = AgentDefinition['guardrails']['stream'][number]

/** The model that the agent names for learning, as far as it has one of that name. */
const modelOf = ({ model, fallbackModels, memory }: AgentDefinition): AgentDefinition['model'] =>
  [model, ...fallbackModels].find((each) => each.model === memory?.model) ?? model

/** Those of the agent, and those that learning always has. */
function guardsOf(stream: readonly StreamGuardSpec[]): StreamGuardSpec[] {
  const has = (use: string): boolean => stream.some((spec) => spec.use === use)
  const everywhere = { arguments: true, toolResults: true, action: 'redact' } as const
  const own: StreamGuardSpec[] = [
    ...(has('secrets') ? [] : [{ use: 'secrets', id: 'memory-secrets', ...everywhere } as const]),
    ...(has('pii')
      ? []
      : [
          {
            use: 'pii',
            id: 'memory-pii',
            entities: ['email', 'phone', 'ssn', 'credit-card', 'iban'],
            ...everywhere,
          } satisfies StreamGuardSpec,
        ]),
  ]
  return [...stream, ...own]
}
