/** Skills of an agent, and what loads them. */
import {
  type AgentDefinition,
  loadSkillToolName,
  type PinnedSkill,
  ToolSpec,
} from '../../src/index.ts'
import { agentWith, type Patch } from './agent.ts'
import { completes, created, type Move } from './facts.ts'

export const skill = (name: string, over: Partial<PinnedSkill> = {}): PinnedSkill => ({
  name,
  description: `Does ${name}.`,
  digest: `sha256:${name}`,
  tools: null,
  ...over,
})

const loadTool = ToolSpec.parse({
  name: loadSkillToolName,
  version: 'v1',
  description: 'Loads a skill.',
  inputSchema: { type: 'object' },
  effect: 'read',
  queue: 'tools',
  timeoutMs: 30_000,
})

/** An agent with these skills, and the tool that loads them. */
export const skilled = (skills: readonly PinnedSkill[], patch: Patch = {}): AgentDefinition => {
  const { tools = agentWith().tools, ...rest } = patch
  return agentWith({ skills: [...skills], tools: [...tools, loadTool], ...rest })
}

/** The nth call answers the instructions of a skill. */
export const loads =
  (n: number, name: string, digest = `sha256:${name}`): Move =>
  (known) => {
    const fact = completes(n, `<skill name="${name}">`)(known)
    return fact.type === 'tool.completed'
      ? { ...fact, payload: { ...fact.payload, skill: { name, digest } } }
      : fact
  }

/** The run begins with words that name skills. */
export const createdWith =
  (...names: readonly string[]): Move =>
  (known) => {
    const fact = created(known)
    const skills = names.map((name) => ({
      name,
      digest: `sha256:${name}`,
      body: [{ type: 'text' as const, text: `How to ${name}.` }],
    }))
    return fact.type === 'run.created' ? { ...fact, payload: { ...fact.payload, skills } } : fact
  }
