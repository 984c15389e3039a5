/** What fast-check makes: agents with narrow limits, and worlds in which anything may happen. */
import fc from 'fast-check'
import {
  type AgentDefinition,
  decide,
  type Decision,
  type Fact,
  limits,
  type Subject,
  type Webhook,
  WebhookMoment,
  questionToolName,
  todoTool,
  todoToolName,
} from '../../src/index.ts'
import { agentWith, asked, cedar, modelNamed } from './agent.ts'
import { curiousAgent } from './questions.ts'
import { strays } from './strays.ts'
import { type Chance, World } from './world.ts'
import { machine, fresh } from './machine.ts'

const loops = fc
  .record({
    warn: fc.integer({ min: 1, max: 3 }),
    more: fc.nat(3),
    wider: fc.nat(8),
    frequent: fc.integer({ min: 1, max: 8 }),
    progress: fc.boolean(),
    cycles: fc.boolean(),
    stagnation: fc.constantFrom(null, { warn: 1, hardLimit: 2 }, { warn: 2, hardLimit: null }),
  })
  .map(({ warn, more, wider, frequent, progress, cycles, stagnation }) => {
    const hardLimit = warn + more
    const windowSize = hardLimit + wider
    return {
      warnThreshold: warn,
      hardLimit,
      windowSize,
      toolFreqWarn: frequent,
      toolFreqHardLimit: frequent * 4,
      progress,
      cycles:
        cycles && windowSize >= 4 ? { warn: 1, hardLimit: 2, longest: 2 + (wider % 2) } : null,
      stagnation,
    }
  })

const guardrails = fc
  .record({
    lists: fc.constantFrom<Partial<AgentDefinition['guardrails']>>(
      {},
      { approvalTools: ['search', 'pay', 'fly', questionToolName, todoToolName] },
      { deniedTools: ['write', 'pay'] },
      { allowedTools: ['write', 'pay'] },
    ),
    policies: fc
      .tuple(fc.nat(2), fc.nat(2))
      .map(([from, many]) => [asked, cedar, asked].slice(from, from + many)),
    failClosed: fc.boolean(),
    maxGuardrailRetries: fc.nat(2),
  })
  .map(({ lists, ...others }) => ({ ...lists, ...others }))

/** The agent with runs behind these tools. */
const startingRuns = (agent: AgentDefinition, names: readonly string[]): AgentDefinition => ({
  ...agent,
  tools: agent.tools.map((tool) => (names.includes(tool.name) ? { ...tool, runs: 'b' } : tool)),
})

const agents: fc.Arbitrary<AgentDefinition> = fc
  .record({
    model: fc.constantFrom<Partial<AgentDefinition['model']>>(
      {},
      { price: { inputPerMTok: 3, outputPerMTok: 15 } },
    ),
    fallbackModels: fc.nat(2).map((n) => [modelNamed('b'), modelNamed('c')].slice(0, n)),
    safety: fc.record({
      afterRefusal: fc.constantFrom(
        'keep' as const,
        'drop-turn' as const,
        'reset-context' as const,
      ),
    }),
    limits: fc.record({
      maxTurns: fc.integer({ min: 1, max: 6 }),
      maxToolCalls: fc.constantFrom(0, 3, 9, 90, 90),
      maxTokens: fc.integer({ min: 1, max: 400 }),
      timeoutMs: fc.integer({ min: 1, max: 20_000 }),
      maxCost: fc.constantFrom(null, 0.000_5),
      warnAt: fc.constantFrom(0.1, 0.8, 1),
    }),
    loop: loops,
    modelRetries: fc.record({
      max: fc.integer({ min: 0, max: 2 }),
      baseMs: fc.constantFrom(0, 100),
    }),
    continuations: fc.nat(2),
    onUnknown: fc.constantFrom('ask' as const, 'tell' as const),
    guardrails,
    starters: fc.constantFrom<readonly string[]>([], [], ['search'], ['search', 'write', 'pay']),
    isCurious: fc.boolean(),
    isPlanning: fc.boolean(),
  })
  .map(({ starters, isCurious, isPlanning, ...patch }) => {
    const agent = isCurious ? curiousAgent(patch) : agentWith(patch)
    const plans = { todo: true as const, tools: [...agent.tools, todoTool] }
    return startingRuns(isPlanning ? { ...agent, ...plans } : agent, starters)
  })

const of = (what: Exclude<Chance['what'], 'stray'>): fc.Arbitrary<Chance> =>
  fc.record({
    what: fc.constant(what),
    pick: fc.nat(1000),
    how: fc.nat(1000),
    waitMs: fc.nat(2_000),
    decide: fc.boolean(),
  })

const chance: fc.Arbitrary<Chance> = fc.oneof(
  { weight: 12, arbitrary: of('answer') },
  { weight: 3, arbitrary: of('human') },
  { weight: 1, arbitrary: of('inject') },
  { weight: 2, arbitrary: of('repeat') },
  { weight: 2, arbitrary: of('misdirect') },
  { weight: 1, arbitrary: of('admit') },
  { weight: 1, arbitrary: of('cancel') },
  { weight: 2, arbitrary: of('timeout') },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('stray' as const), fact: strays }) },
)

const fault: fc.Arbitrary<readonly Chance[]> = fc.oneof(
  { weight: 9, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: of('fault').map((each) => [each]) },
)

export interface Script {
  readonly agent: AgentDefinition
  readonly depth: number
  readonly webhooks?: readonly Webhook[]
  readonly chances: readonly Chance[]
}

/** What happens to a run: most are admitted at once, few are faulted at last. */
const happenings = fc
  .tuple(of('admit'), fc.array(chance, { minLength: 4, maxLength: 30, size: 'medium' }), fault)
  .map(([first, rest, last]) =>
    first.what === 'admit' && first.pick % 10 ? [first, ...rest, ...last] : [...rest, ...last],
  )

/** Runs with room for others below them. */
export const families: fc.Arbitrary<Script> = fc.record({
  agent: fc
    .record({
      guardrails: guardrails.map(({ policies }) => ({ policies: policies.slice(0, 1) })),
      timeoutMs: fc.constantFrom(3_000, 1_000_000),
      onUnknown: fc.constantFrom('ask' as const, 'tell' as const),
    })
    .map(({ timeoutMs, ...patch }) =>
      startingRuns(agentWith({ ...patch, limits: { timeoutMs }, loop: { enabled: false } }), [
        'search',
        'write',
        'pay',
      ]),
    ),
  depth: fc.constantFrom(0, 0, 1),
  chances: happenings,
})

/** Some are told of some of it. */
const webhooks: fc.Arbitrary<readonly Webhook[]> = fc.array(
  fc.record({
    origin: fc.constant('https://hooks.test'),
    on: fc.subarray([...WebhookMoment.options], { minLength: 1 }),
  }),
  { maxLength: 2 },
)

/** What happens to one run. Most are started by nobody; the deepest may start none. */
export const scripts: fc.Arbitrary<Script> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      agent: agents,
      depth: fc.constantFrom(0, 0, 0, 1, limits.childDepthMax),
      webhooks,
      chances: happenings,
    }),
  },
  { weight: 1, arbitrary: families },
)

/** Plays a script to its end: whatever came is decided, the run may be anywhere. */
export function play(
  { agent, depth, webhooks: told, chances }: Script,
  run = '01930000-0000-7000-8000-0123456789ab',
): World {
  const world = new World({ run, agent, machine }, depth, told)
  for (const each of chances) world.take(each)
  world.decide(0)
  return world
}

export interface Played {
  readonly world: World
  readonly subject: Subject
  readonly facts: readonly Fact[]
  /** All facts of the run, decided at once. */
  readonly batch: Decision
}

const played = (script: Script): Played => {
  const world = play(script)
  const { subject, facts } = world
  return { world, subject, facts, batch: decide(subject, fresh, facts) }
}

/**
 * Answers a checker of properties. They share the runs, so that each run is played once; for one that does not hold,
 * fast-check plays anew from the same seed, and shrinks.
 */
export function checker(
  numRuns: number,
  from = scripts,
): (check: (played: Played) => void) => void {
  const seed = Math.trunc(Math.random() * 0x7fffffff)
  const runs = fc.sample(from, { numRuns, seed }).map(played)
  return (check) => {
    try {
      runs.forEach(check)
    } catch {
      fc.assert(
        fc.property(from, (script) => check(played(script))),
        { numRuns, seed },
      )
      throw new Error('a property did not hold, and then it did: it is not deterministic')
    }
  }
}
