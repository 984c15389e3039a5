/**
 * How many runs an agent may start, by which tool, and the files that these begin with (`subagents`). The limits are those of the page: of five
 * calls in a turn three run, and the seventh of a run is denied. An agent without the field is what it was.
 */
import { describe, expect, test } from 'vitest'
import {
  AgentDefinition,
  createAppendix,
  type JsonObject,
  readDefinition,
  setKey,
} from '../src/index.ts'
import { asked } from './support/agent.ts'
import { createdAt, ends, parentWith } from './support/children.ts'
import {
  admitted,
  asks,
  asksOddly,
  created,
  digest,
  type Known,
  type Move,
} from './support/facts.ts'
import { answered, event, said, text } from './support/log.ts'
import { approves, approvesHere, judged, policiesSay, rejects } from './support/permissions.ts'
import { given, type Story } from './support/story.ts'

const subagents = (patch: Partial<NonNullable<AgentDefinition['subagents']>> = {}) => ({
  perTurn: 3,
  perRun: 6,
  files: 'none' as const,
  ...patch,
})
const starting = (patch: Parameters<typeof subagents>[0] = {}) =>
  given(parentWith({ subagents: subagents(patch) }), created, admitted)
const id = (n: number, turn = 1): string => `c_0123456789ab_${turn}_${n}`
const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
/** Calls that start runs with different tasks. */
const tasks = (n: number, from = 0): readonly string[] =>
  letters.slice(from, from + n).map((letter) => `task:${letter}`)

const denials = (story: Story): readonly (readonly [string, string])[] =>
  story.decision.verdicts.flatMap((each) =>
    each.type === 'call.denied' ? [[each.payload.callId, each.payload.code] as const] : [],
  )
const startedCalls = (story: Story): readonly string[] =>
  story.decision.effects.flatMap((effect) => (effect.kind === 'run.start' ? [effect.callId] : []))
/** The nth calls of the turn end. */
const ended = (story: Story, ...calls: readonly number[]): Story =>
  calls.reduce((before: Story, n) => before.and(ends(n)), story)

describe('the runs of one turn', () => {
  test('of five that are asked for, three run and two are denied, in the order of the calls', () => {
    const story = starting().and(asks(...tasks(5)))
    expect(startedCalls(story)).toEqual([id(0), id(1), id(2)])
    expect(denials(story)).toEqual([
      [id(3), 'too_many_at_once'],
      [id(4), 'too_many_at_once'],
    ])
    expect(story.state.context.children).toBe(3)
  })

  test('the model reads why, beside the answers of those that ran', () => {
    const prompt = ended(starting({ perTurn: 1 }).and(asks(...tasks(2))), 0).prompt()
    expect(prompt.slice(-2)).toEqual([
      `result ${id(0)} task: answer 0`,
      `error ${id(1)} task: Error: this call was not executed (too_many_at_once). A turn may start 1 run; other calls of this turn do. Ask again in a later turn.`,
    ])
  })

  test('are counted anew in the next one; other tools are not among them', () => {
    const story = starting({ perTurn: 2 }).and(asks('search', 'task:a', 'search:b', 'task:b'))
    expect(denials(story)).toEqual([])
    const next = ended(story, 1, 3)
      .and((known) => ({
        type: 'tool.completed',
        payload: { ...callOf(known, 0), ...found },
      }))
      .and((known) => ({
        type: 'tool.completed',
        payload: { ...callOf(known, 2), ...found },
      }))
    expect(denials(next.and(asks(...tasks(2, 2))))).toEqual([])
  })

  test('a call that lists deny takes no place', () => {
    const story = starting({ perTurn: 1 }).and(asks('ban', 'task'))
    expect(denials(story)).toEqual([[id(0), 'oap.tool_not_allowed']])
    expect(startedCalls(story)).toEqual([id(1)])
  })

  test('one that waits for a human takes its place, and keeps it', () => {
    const story = starting({ perTurn: 1 }).and(asks('hire', 'task'))
    expect(denials(story)).toEqual([[id(1), 'too_many_at_once']])
    expect(startedCalls(story.and(approves(0, 'hire')))).toEqual([id(0)])
    expect(story.and(rejects(0, 'hire')).state.context.children).toBe(0)
  })

  test('those that policies with I/O are asked about are as many', () => {
    const agent = parentWith({
      subagents: subagents({ perTurn: 2 }),
      guardrails: { policies: [asked] },
    })
    const story = given(agent, created, admitted).and(asks(...tasks(3)))
    expect(denials(story)).toEqual([[id(2), 'too_many_at_once']])
    expect(story.decision.effects).toMatchObject([{ callIds: [id(0), id(1)] }])
  })
})

const found = { output: { content: [text('found')], isError: false }, durationMs: 1 }
const callOf = ({ effects }: Known, n: number) => {
  const effect = effects.findLast((each) => 'callId' in each && each.callId.endsWith(`_${n}`))
  return { effectId: effect?.id ?? '', attempt: 1, callId: id(n) }
}

describe('the runs of a whole run', () => {
  const six = () => {
    const first = ended(starting().and(asks(...tasks(3))), 0, 1, 2)
    return ended(first.and(asks(...tasks(3, 3))), 0, 1, 2)
  }

  test('the seventh is denied with a code of its own, and the run goes on', () => {
    const full = six()
    expect(full.state.context.children).toBe(6)
    const story = full.and(asks('task:g', 'search'))
    expect(denials(story)).toEqual([[id(0, 3), 'too_many_children']])
    expect(story.decision.effects).toMatchObject([{ kind: 'tool.call', tool: 'search' }])
    expect(story.prompt().join('\n')).toContain('A run may start 6 runs; this one has.')
  })

  test('of what is over both limits, that of the run is told: the next turn cannot start it either', () => {
    const five = ended(starting({ perTurn: 5 }).and(asks(...tasks(5))), 0, 1, 2, 3, 4)
    expect(denials(five.and(asks(...tasks(3, 5))))).toEqual([
      [id(1, 2), 'too_many_children'],
      [id(2, 2), 'too_many_children'],
    ])
  })

  test('an agent that says nothing of it starts as many at once as there may be at all', () => {
    const story = given(parentWith(), created, admitted).and(asks(...tasks(8)))
    expect(denials(story)).toEqual([])
    expect(startedCalls(story)).toHaveLength(8)
    for (const key of ['filesThrough', 'waitsBelow'])
      expect(story.decision.effects[0]).not.toHaveProperty(key)
    expect(starting().and(asks('task')).decision.effects[0]).toMatchObject({ waitsBelow: true })
  })
})

const repeats: Move = (known) => {
  const fact = created(known)
  if (fact.type !== 'run.created') return fact
  return { ...fact, payload: { ...fact.payload, rerun: { runId: 'other' } } }
}

describe('in a rerun', () => {
  const again = (patch: Parameters<typeof subagents>[0] = {}) =>
    given(parentWith({ subagents: subagents(patch) }), repeats, admitted)

  test('the same calls are denied as in the run that it repeats', () => {
    const story = again({ perTurn: 2, perRun: 3 }).and(asks(...tasks(3)))
    expect(denials(story)).toEqual([[id(2), 'too_many_at_once']])
    const results = [0, 1].reduce(
      (before: Story, n) =>
        before.and((known) => ({
          type: 'tool.completed',
          payload: { ...callOf(known, n), ...found, recalled: { runId: 'other', seq: 9 } },
        })),
      story,
    )
    expect(denials(results.and(asks(...tasks(2, 3))))).toEqual([[id(1, 2), 'too_many_children']])
  })

  test('nothing is taken from a budget: no run is started', () => {
    const story = again().and(asks('task'))
    expect(story.state.context.children).toBe(1)
    expect(story.decision.effects).toMatchObject([{ kind: 'tool.recall' }])
    expect(story.decision.effects[0]).not.toHaveProperty('shared')
  })
})

describe('the files that a run is started with', () => {
  test.each(['read', 'merge'] as const)(
    '%s: those after the answer that asked for it, or the word of a human that let it run',
    (files) => {
      const story = starting({ files }).and(asks('task:a', 'hire'))
      expect(story.decision.effects).toMatchObject([{ callId: id(0), filesThrough: 3 }])
      const later = story.and(ends(0)).and(approves(1, 'hire'))
      expect(later.decision.effects).toMatchObject([{ callId: id(1), filesThrough: 5 }])
    },
  )

  test('none: none', () => {
    expect(starting().and(asks('task')).decision.effects[0]).not.toHaveProperty('filesThrough')
  })
})

/** The agent of the others, with one tool for several agents. */
const naming = (patch: Parameters<typeof parentWith>[0] = {}): AgentDefinition => {
  const parent = parentWith({ subagents: subagents(), ...patch })
  const tools = parent.tools.map((tool) =>
    tool.name === 'task' || tool.name === 'hire' ? { ...tool, runs: ['scout', 'clerk'] } : tool,
  )
  return AgentDefinition.parse({ ...parent, tools })
}
/** A call that names the agent. */
const names = (tool: string, args: JsonObject): Move =>
  asksOddly([tool], (part) => ({ ...part, args, argsHash: digest(JSON.stringify(args)) }))

describe('one tool for all agents', () => {
  const begun = (patch: Parameters<typeof naming>[0] = {}) =>
    given(naming(patch), created, admitted)

  test('starts a run of the agent that the call names', () => {
    const story = begun().and(
      names('task', { agent: 'clerk', prompt: 'Pay.', description: 'pays' }),
    )
    expect(story.decision.effects).toMatchObject([{ kind: 'run.start', agent: 'clerk' }])
  })

  test.each([[{ agent: 'nobody', prompt: 'x' }], [{ agent: 7, prompt: 'x' }], [{ prompt: 'x' }]])(
    'of %j none: the model reads which agents there are',
    (args) => {
      const story = begun().and(names('task', args))
      expect(story.decision.effects).toMatchObject([{ kind: 'model.call' }])
      expect(story.state.context.children).toBe(0)
      expect(story.prompt().at(-1)).toBe(
        `error ${id(0)} task: Error: this call was not executed (unknown_agent). There is no such agent. The argument agent takes one of: scout, clerk.`,
      )
    },
  )

  test('a human is asked about a call that names one, and starts that', () => {
    const args = { agent: 'scout', prompt: 'Look.' }
    const story = begun().and(names('hire', args))
    expect(story.state.name).toBe('approval')
    const approved = story.and(approvesHere(0, 'hire', { args }))
    expect(approved.decision.effects).toMatchObject([{ kind: 'run.start', agent: 'scout' }])
  })

  test('a human names another one', () => {
    const story = begun().and(names('hire', { agent: 'scout', prompt: 'Look.' }))
    const edited = (agent: string) => {
      const args = { agent, prompt: 'Look.' }
      return approvesHere(0, 'hire', { decision: 'edit', edited: { args, argsHash: agent } })
    }
    expect(story.and(edited('clerk')).decision.effects).toMatchObject([{ agent: 'clerk' }])
    expect(denials(story.and(edited('nobody')))).toEqual([[id(0), 'unknown_agent']])
  })

  test('what lets it run does not say the arguments: then nothing is started', () => {
    const story = begun().and(names('hire', { agent: 'scout', prompt: 'Look.' }))
    expect(denials(story.and(approves(0, 'hire')))).toEqual([[id(0), 'unknown_agent']])
  })

  test('policies with I/O are asked before, and say the arguments', () => {
    const args = { agent: 'scout', prompt: 'Look.' }
    const story = begun({ guardrails: { policies: [asked] } }).and(names('task', args))
    const allowed = policiesSay((known) => ({ ...judged(0, 'task', 'allow')(known), args }))
    expect(story.and(allowed).decision.effects).toMatchObject([{ agent: 'scout' }])
    const silent = story.and(policiesSay(judged(0, 'task', 'allow')))
    expect(denials(silent)).toEqual([[id(0), 'unknown_agent']])
    expect(silent.state.context.children).toBe(0)
  })

  test('a run as deep as runs may be starts none of them', () => {
    const deepest = given(naming(), createdAt(3), admitted)
    expect(denials(deepest.and(names('task', { agent: 'scout', prompt: 'x' })))).toEqual([
      [id(0), 'too_deep'],
    ])
  })
})

describe('the loop check', () => {
  const task = { effect: 'idempotent' as const, runs: ['scout', 'clerk'] }
  const keyOf = (args: JsonObject): string => setKey([{ name: 'task', args }], () => task)
  const look = { agent: 'scout', prompt: 'Look.' }

  test('takes the same task of the same agent for the same call, whatever it is called', () => {
    expect(keyOf({ ...look, description: 'a look' })).toBe(keyOf({ ...look, description: 'again' }))
  })

  test.each([[{ agent: 'clerk', prompt: 'Look.' }], [{ agent: 'scout', prompt: 'Look. ' }]])(
    '%j is another one',
    (other) => {
      expect(keyOf(other)).not.toBe(keyOf(look))
    },
  )
})

describe('the appendix of a summary', () => {
  const asking = (calls: readonly JsonObject[]) =>
    answered(
      'm1',
      calls.map((args, n) => ({
        type: 'tool_call',
        id: `c${n}`,
        name: 'task',
        args,
        argsHash: 'h',
      })),
    )
  const end = (n: number, patch: object = {}) =>
    event('child.ended', {
      effectId: `e${n}`,
      callId: `c${n}`,
      childRunId: 'child',
      outcome: 'completed',
      output: { content: [text('Two ships.')], isError: false },
      resultHash: 'h',
      spent: { turns: 1, calls: 0, tokens: 10, cost: 0, activeMs: 0 },
      verdicts: [],
      ...patch,
    })
  const appendixOf = (...events: readonly ReturnType<typeof event>[]): string => {
    const appendix = createAppendix()
    for (const each of events) appendix.take(each)
    return appendix.text()
  }
  const look = { description: 'a look', prompt: 'Look north.', agent: 'scout' }

  test('names the agent and the task, and says which was asked for before', () => {
    const calls = asking([look, { ...look, prompt: 'Look south.' }, look])
    const ofScout = { agent: 'scout' }
    expect(appendixOf(said(['go']), calls, end(0, ofScout), end(1, ofScout), end(2, ofScout))).toBe(
      [
        'Runs that were started:',
        '- scout "Look north.": completed: Two ships.',
        '- scout "Look south.": completed: Two ships.',
        '- scout "Look north." (the same task as before): completed: Two ships.',
      ].join('\n'),
    )
  })

  test('names files that were taken over', () => {
    const files = [
      { path: 'a.md', key: 'k', bytes: 1 },
      { path: 'b.md', key: null, bytes: 0 },
    ]
    const text = appendixOf(said(['go']), asking([look]), end(0, { agent: 'scout', files }))
    expect(text).toContain('Files that were changed:\n- a.md\n- b.md (deleted)')
  })

  test('of an agent that says nothing of it is what it was', () => {
    expect(appendixOf(said(['go']), asking([look]), end(0))).toBe(
      'Runs that were started:\n- task: completed: Two ships.',
    )
  })
})

test('a stored definition keeps what it says, and one without the field says nothing', () => {
  const stored = JSON.parse(JSON.stringify(naming()))
  expect(readDefinition(stored).subagents).toEqual({ perTurn: 3, perRun: 6, files: 'none' })
  expect(readDefinition(JSON.parse(JSON.stringify(parentWith()))).subagents).toBeUndefined()
  expect(AgentDefinition.parse({ ...parentWith(), subagents: {} }).subagents).toEqual({
    perTurn: 3,
    perRun: 6,
    files: 'read',
  })
  for (const wrong of [{ perTurn: 0 }, { perTurn: 17 }, { perRun: 65 }, { files: 'write' }])
    expect(AgentDefinition.safeParse({ ...parentWith(), subagents: wrong }).success).toBe(false)
})
