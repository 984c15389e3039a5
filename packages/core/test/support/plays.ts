/** What fast-check makes: agents with narrow limits, and worlds in which anything may happen. */
import fc from 'fast-check'
import {
  type AgentDefinition,
  decide,
  type Decision,
  type Fact,
  type FactPayload,
  initialState,
  type Subject,
  type ToolOutput,
} from '../../src/index.ts'
import { agentWith, asked, cedar, modelNamed } from './agent.ts'
import { type FactBody } from './facts.ts'
import { policyAnswer } from './permissions.ts'
import { type Chance, World } from './world.ts'

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
      cycles: cycles && windowSize >= 4 ? { warn: 1, hardLimit: 2 } : null,
      stagnation,
    }
  })

const guardrails = fc
  .record({
    lists: fc.constantFrom<Partial<AgentDefinition['guardrails']>>(
      {},
      { approvalTools: ['search', 'pay', 'fly'] },
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
  })
  .map((patch) => agentWith(patch))

const text = fc.string({ maxLength: 4 })
const callId = fc.oneof(
  text,
  fc.constantFrom('__proto__', 'c_0123456789ab_1_0', 'c_0123456789ab_1___proto__'),
)
const about = { effectId: text, attempt: fc.integer(), callId }
const output = fc.record({ content: fc.constant<ToolOutput['content']>([]), isError: fc.boolean() })

/** Facts that fit their schema and nothing else. */
const strays: fc.Arbitrary<FactBody> = fc.oneof(
  fc.record({
    type: fc.constant('tool.completed' as const),
    payload: fc.record({ ...about, output, durationMs: fc.constant(1) }),
  }),
  fc.record({
    type: fc.constant('tool.unknown' as const),
    payload: fc.record({ ...about, reason: fc.constant('not_settled' as const) }),
  }),
  fc.record({
    type: fc.constant('tool.resolved' as const),
    payload: fc.record({
      effectId: text,
      callId,
      resolution: fc.constantFrom('happened' as const, 'retry' as const),
    }),
  }),
  fc.record({
    type: fc.constant('model.aborted' as const),
    payload: fc.record({ effectId: text, attempt: fc.integer() }),
  }),
  fc.record({
    type: fc.constant('input.answered' as const),
    payload: fc.record({ callId, output }),
  }),
  fc.record({
    type: fc.constant('approval.answered' as const),
    payload: fc.record({
      callId,
      tool: fc.constantFrom('pay', 'fly', ''),
      decision: fc.constantFrom('approve' as const, 'reject' as const, 'edit' as const),
      argsHash: text,
    }),
  }),
  fc.record({
    type: fc.constant('timer.fired' as const),
    payload: fc.record({ timerId: callId.map((id) => `approval:${id}`) }),
  }),
  fc.record({
    type: fc.constant('tool.denied' as const),
    payload: fc.record({
      ...about,
      tool: text,
      answer: fc.constantFrom(policyAnswer('deny'), policyAnswer('allow')),
    }),
  }),
  fc.record({
    type: fc.constant('policy.answered' as const),
    payload: fc.record({
      effectId: text,
      attempt: fc.integer(),
      decisions: fc.constant<FactPayload<'policy.answered'>['decisions']>([]),
      durationMs: fc.constant(1),
    }),
  }),
)

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
  readonly chances: readonly Chance[]
}

/** What happens to one run: most are admitted at once, few are faulted at last. */
export const scripts: fc.Arbitrary<Script> = fc
  .tuple(agents, of('admit'), fc.array(chance, { maxLength: 30 }), fault)
  .map(([agent, first, rest, last]) => ({
    agent,
    chances:
      first.what === 'admit' && first.pick % 10 ? [first, ...rest, ...last] : [...rest, ...last],
  }))

/** Plays a script to its end: whatever came is decided, the run may be anywhere. */
export function play(
  { agent, chances }: Script,
  run = '01930000-0000-7000-8000-0123456789ab',
): World {
  const world = new World({ run, agent })
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
  return { world, subject, facts, batch: decide(subject, initialState, facts) }
}

/**
 * Answers a checker of properties. They share the runs, so that each run is played once; for one that does not hold,
 * fast-check plays anew from the same seed, and shrinks.
 */
export function checker(numRuns: number): (check: (played: Played) => void) => void {
  const seed = Math.trunc(Math.random() * 0x7fffffff)
  const runs = fc.sample(scripts, { numRuns, seed }).map(played)
  return (check) => {
    try {
      runs.forEach(check)
    } catch {
      fc.assert(
        fc.property(scripts, (script) => check(played(script))),
        { numRuns, seed },
      )
      throw new Error('a property did not hold, and then it did: it is not deterministic')
    }
  }
}
