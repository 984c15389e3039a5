/**
 * The agents of the simulation: a plan's seed says which features its agent has. Each is rare, so that most seeds stay
 * short and every pair of them meets in ten thousand.
 */
import { AgentDefinition, type ToolSpec } from '@signalbox/core'
import { dayOf } from './days.ts'
import { isCommanding } from './files.ts'
import { planOf, seedOf, sharedLimits, startsIn, startTools } from './families.ts'
import { clarificationOf, questionTools } from './questions.ts'
import { visionOf } from './images.ts'
import { roomOf } from './rooms.ts'
import { seeded } from './seeded.ts'
import { skillsOf, skillTools } from './skills.ts'
import { subagentsOf } from './subagents.ts'
import { todoOf, todoTools } from './todos.ts'

/** What the guarded agents may not say. It stands in no event. */
export const bannedTerm = 'snozzberry'

const tool = (name: string, effect: ToolSpec['effect']): ToolSpec => ({
  name,
  version: '1',
  description: name,
  inputSchema: { type: 'object' },
  effect,
  queue: 'tools',
  timeoutMs: 60_000,
})

const model = (name: string, seed: number) => ({
  provider: 'scripted' as const,
  model: name,
  ...windowOf(seed),
  ...visionOf(seed, name),
  // Where a real model would be called; here it says which plan is played.
  baseURL: String(seed),
  price: { inputPerMTok: 1, outputPerMTok: 1 },
})

const windowOf = (seed: number) => {
  const room = roomOf(seed)
  return room ? { contextWindow: room.contextWindow } : {}
}

type Unit = () => number

/** `seed`: of the plan. The same seed always makes the same agent. */
export function simulatedAgent(onUnknown: 'ask' | 'tell', seed: number): AgentDefinition {
  return definitionOf(`agent-${onUnknown}`, onUnknown, seed)
}

/** The agents that runs start, by name: each is made once, as a process keeps its own. */
export function simulatedAgents(): (name: string) => AgentDefinition | null {
  const known = new Map<string, AgentDefinition>()
  return (name) => {
    const seed = planOf(name)
    if (seed === null) return null
    const agent = known.get(name) ?? definitionOf(name, seed % 2 === 0 ? 'tell' : 'ask', seed)
    known.set(name, agent)
    return agent
  }
}

function definitionOf(name: string, onUnknown: 'ask' | 'tell', seed: number): AgentDefinition {
  const unit = seeded(seed * 31 + 7)
  return AgentDefinition.parse({
    name,
    model: model('own', seed),
    instructions: 'Go.',
    tools: [
      tool('look', 'read'),
      tool('put', 'idempotent'),
      tool('pay', 'once'),
      ...(isCommanding(seedOf(seed))
        ? [{ ...tool('bash', 'idempotent'), contained: true as const }]
        : []),
      ...startTools(
        seed,
        tool('start', 'idempotent'),
        subagentsOf(seed).subagents?.tool !== undefined,
      ),
      ...todoTools(seed),
      ...questionTools(seed),
      ...skillTools(seed).map((each) => tool(each, 'read')),
    ],
    guardrails: guardrailsOf(unit, seed),
    approvals: approvalsOf(unit),
    limits: {
      maxTurns: 6,
      timeoutMs: seed % 7 === 0 ? 3_000 : 60_000,
      ...(unit() < 0.05 ? { maxTokens: 60 } : {}),
      ...(unit() < 0.05 ? { maxCost: 0.0001 } : {}),
      ...sharedLimits(seed),
    },
    modelRetries: { max: 3, baseMs: 20, capMs: 100 },
    ...(unit() < 0.15 ? { fallbackModels: [model('other', seed)] } : {}),
    breaker: { threshold: 1 + Math.floor(unit() * 2), openMs: 300 },
    continuations: unit() < 0.3 ? 1 : 0,
    loop: { warnThreshold: 2, hardLimit: 3 },
    onUnknown,
    // Agents of one name differ in it, so that what is remembered and recorded goes over from one scheme to the other.
    digests: unit() < 0.5 ? 'sha256' : 'hmac-sha256',
    ...contextOf(seed),
    ...titleOf(seed),
    ...todoOf(seed),
    ...clarificationOf(seed),
    ...skillsOf(seed),
    ...subagentsOf(seed),
  })
}

const contextOf = (seed: number) => {
  const room = roomOf(seed)
  return room ? { context: room.context } : {}
}

/** Some name their threads. Drawn by itself, so that the other agents of a seed are what they were. */
function titleOf(seed: number) {
  const pick = seeded(seed * 41 + 3)()
  if (pick < 0.12) return { title: { maxWords: 4 } }
  return pick < 0.15 ? { title: 'words' } : {}
}

function guardrailsOf(unit: Unit, seed: number) {
  const asks = unit()
  const stream = unit() < 0.12
  const pays = asks < 0.15 ? ['put'] : asks < 0.3 ? ['put', 'pay'] : asks < 0.35 ? ['pay'] : []
  return {
    // A quarter of those that start runs, whatever else they ask about.
    approvalTools: asks % 0.2 < 0.05 ? [...pays, 'start'] : pays,
    deniedTools: unit() < 0.05 ? ['pay'] : [],
    policies: policiesOf(unit, seed),
    failClosed: unit() < 0.7,
    stream: stream
      ? [{ use: 'banned-terms', terms: [bannedTerm], action: unit() < 0.9 ? 'fail' : 'stop' }]
      : [],
    maxGuardrailRetries: Math.floor(unit() * 3),
  }
}

/** Is it played where processes lack policies? There most agents have one that no run can be decided without. */
const lacksSome = (plan: number): boolean => dayOf(seedOf(plan)).kind === 'lacking'

/** A list that denies what others ask about, one that reads arguments, some with I/O, a passport that can be suspended. */
function policiesOf(unit: Unit, seed: number) {
  const list = { use: 'allowlist', id: 'list', deniedTools: ['put'], approvalTools: ['look'] }
  const ask = (id: string) => ({ use: 'module', id, path: `./${id}-${seed}.ts#policy` })
  const pure = { use: 'cedar', id: 'pure', policies: { plan: String(seed) } }
  const passport = {
    use: 'passport',
    id: 'passport',
    passport: { passport_id: 'p', status: 'active', capabilities: [] },
    capabilities: {
      look: 'exempt',
      put: 'exempt',
      pay: 'exempt',
      start: 'exempt',
      ...(isCommanding(seedOf(seed)) ? { bash: 'exempt' } : {}),
      ...Object.fromEntries(
        [...todoTools(seed), ...questionTools(seed)].map(({ name }) => [name, 'exempt']),
      ),
      ...Object.fromEntries(skillTools(seed).map((name) => [name, 'exempt'])),
    },
    source: './passport.json',
  }
  return [
    ...(unit() < 0.06 ? [list] : []),
    ...(unit() < (lacksSome(seed) ? 0.6 : 0.06) ? [pure] : []),
    ...(unit() < 0.15 ? [ask('first')] : []),
    ...(unit() < 0.1 ? [ask('second')] : []),
    // What starts runs is asked for again when an attempt was lost.
    ...(unit() < (startsIn(seed, 0) > 0 ? 0.4 : 0.06) ? [passport] : []),
  ]
}

const approvalsOf = (unit: Unit) => ({
  ...(unit() < 0.5 ? { expiresMs: 1_000 } : {}),
  roles: unit() < 0.1 ? ['manager'] : null,
  forbidRequester: unit() < 0.1,
})
