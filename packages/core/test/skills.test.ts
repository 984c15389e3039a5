/**
 * Skills in the machine (context-systems §9, §19 skills 3). Would catch: a skill that allows something, one that takes away what a model needs to go
 * on, and one that is told twice.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  namedSkills,
  type PinnedSkill,
  persist,
  pinnedSkills,
  readDefinition,
} from '../src/index.ts'
import { agentWith, asked } from './support/agent.ts'
import { admitted, asks, cancels, completes, created, fails, type Move } from './support/facts.ts'
import { reviveState } from './support/machine.ts'
import { approves, judged, policiesSay } from './support/permissions.ts'
import { createdWith, loads, skill, skilled } from './support/skills.ts'
import { given } from './support/story.ts'

const pdf = skill('pdf', { tools: ['search'] })
const csv = skill('csv', { tools: ['write'] })
const plain = skill('plain')
const none = skill('none', { tools: [] })

const agent = skilled([csv, none, pdf, plain])
const restricted = skilled([csv, none, pdf, plain], { skillTools: 'restrict' })

describe('a skill is loaded', () => {
  test('by a call that answers it, once, with what was read and the tools that it names', () => {
    const story = given(agent, created, admitted, asks('load_skill:pdf'))
      .when(loads(0, 'pdf', 'sha256:read'))
      .gives({
        state: 'model',
        path: ['tools', 'loop', 'model'],
        effects: ['3 model.call'],
        verdicts: ['skill.activated model'],
      })
    expect(story.verdicts.at(-1)?.payload).toEqual({
      name: 'pdf',
      digest: 'sha256:read',
      by: 'model',
      tools: ['search'],
      callId: 'c_0123456789ab_1_0',
    })
    expect(story.state.context.skills).toEqual([2])
    expect(reviveState(persist(story.state))).toEqual(story.state)
    const again = story.and(asks('load_skill:pdf')).and(loads(0, 'pdf'))
    expect(again.verdicts).toHaveLength(1)
    expect(again.state.context.skills).toEqual([2])
  })

  test('by two calls of one turn, once each', () => {
    const turn = asks('load_skill:pdf', 'load_skill:csv', 'load_skill:pdf')
    const story = given(agent, created, admitted, turn).and(
      loads(2, 'pdf'),
      loads(0, 'pdf'),
      loads(1, 'csv'),
    )
    expect(story.verdicts.map(({ payload }) => 'name' in payload && payload.name)).toEqual([
      'pdf',
      'csv',
    ])
    expect(story.state.context.skills).toEqual([0, 2])
  })

  test('by the words of the user, when the run begins', () => {
    const story = given(agent)
      .when(createdWith('plain', 'csv'), admitted)
      .gives({
        state: 'model',
        path: ['queued', 'model'],
        effects: ['1 model.call'],
        verdicts: ['skill.activated user', 'skill.activated user'],
        timeout: 3_600_000,
      })
    expect(story.verdicts.map(({ payload }) => payload)).toEqual([
      { name: 'plain', digest: 'sha256:plain', by: 'user', tools: null },
      { name: 'csv', digest: 'sha256:csv', by: 'user', tools: ['write'] },
    ])
    expect(story.prompt()).toEqual(['user: hello|How to plain.|How to csv.'])
    const again = story.and(asks('load_skill:csv')).and(loads(0, 'csv'))
    expect(again.verdicts).toHaveLength(2)
  })

  test('never, if the agent has none of this name, as of an older build, or the call failed', () => {
    const old = agentWith({ skills: [{ name: 'pdf', path: 'skills/pdf/SKILL.md' }] })
    for (const other of [old, skilled([csv])]) {
      const story = given(other, createdWith('pdf'), admitted, asks('search'), loads(0, 'pdf'))
      expect(story.verdicts).toEqual([])
      expect(story.state.context.skills).toEqual([])
    }
    const failed = given(agent, created, admitted, asks('load_skill:pdf'), fails(0))
    expect(failed.state.context.skills).toEqual([])
  })

  test('also where the run is to end, and nothing is asked for', () => {
    const story = given(agent, created, admitted, asks('load_skill:pdf', 'search'), cancels())
      .when(loads(0, 'pdf'))
      .gives({ state: 'cancelling', verdicts: ['skill.activated model'] })
    expect(story.state.context.skills).toEqual([2])
  })
})

test('calls are told of the skills that were loaded when they were judged', () => {
  const told = (moves: readonly Move[]) =>
    given(agent, createdWith('csv'), admitted, ...moves).decision.effects.map((effect) =>
      'skills' in effect ? effect.skills : null,
    )
  expect(told([asks('search', 'load_skill:pdf')])).toEqual([['csv'], ['csv']])
  expect(told([asks('load_skill:pdf'), loads(0, 'pdf'), asks('search')])).toEqual([['csv', 'pdf']])
  const [effect] = given(agent, created, admitted, asks('search')).decision.effects
  expect(effect).not.toHaveProperty('skills')
})

const codesOf = (story: ReturnType<typeof given>) =>
  story.verdicts.flatMap(({ type, payload }) =>
    type === 'call.denied' ? [`${payload.tool} ${payload.code}`] : [],
  )

describe('§19.3 restrict', () => {
  const begun = given(restricted, created, admitted)

  test('before a skill is loaded, everything that the agent allows may be called', () => {
    expect(codesOf(begun.and(asks('write', 'search')))).toEqual([])
  })

  test('at it: calls of the turn that loads it were judged before', () => {
    const story = begun.and(asks('load_skill:pdf', 'write')).and(loads(0, 'pdf'), completes(1))
    expect(codesOf(story)).toEqual([])
  })

  test('at it: a call that waited for a person meanwhile is not made', () => {
    const waits = begun.and(asks('pay', 'load_skill:pdf')).and(loads(1, 'pdf'))
    const story = waits.when(approves(0, 'pay')).gives({
      state: 'model',
      path: ['approval', 'loop', 'model'],
      effects: ['3 model.call'],
      verdicts: ['call.denied denied pay'],
      timeout: 3_600_000,
    })
    expect(codesOf(story)).toEqual(['pay skill.tool_not_allowed'])
  })

  test('after it: what no loaded skill names is denied, and its siblings go on', () => {
    const loaded = begun.and(asks('load_skill:pdf')).and(loads(0, 'pdf'))
    const story = loaded.when(asks('write', 'search')).gives({
      state: 'tools',
      path: ['model', 'safety', 'guardrail', 'tools'],
      effects: ['4 tool.call search'],
      verdicts: ['call.denied denied write'],
    })
    const denied = story.verdicts.at(-1)
    expect(denied?.payload).toMatchObject({
      code: 'skill.tool_not_allowed',
      message: 'The skills that are loaded (pdf) do not name the tool write. They name: search.',
    })
    // It is denied before a person is asked about it.
    expect(codesOf(loaded.and(asks('pay')))).toEqual(['pay skill.tool_not_allowed'])
    // Another skill adds its tools.
    const both = loaded
      .and(asks('load_skill:csv'))
      .and(loads(0, 'csv'))
      .and(asks('write', 'search'))
    expect(codesOf(both)).toEqual([])
  })

  test('by the user: from the beginning', () => {
    const story = given(restricted, createdWith('pdf'), admitted, asks('write'))
    expect(codesOf(story)).toEqual(['write skill.tool_not_allowed'])
  })

  test('skills that name no tools restrict nothing, and add none to those of others', () => {
    expect(codesOf(given(restricted, createdWith('plain'), admitted, asks('write')))).toEqual([])
    const both = given(restricted, createdWith('plain', 'pdf'), admitted, asks('write', 'search'))
    expect(codesOf(both)).toEqual(['write skill.tool_not_allowed'])
  })

  test('never takes away the tools by which a model loads, reads, plans and asks', () => {
    const names = ['load_skill', 'read_file', 'read_result', 'write_todos', 'ask_clarification']
    const [search] = agentWith().tools
    if (!search) throw new Error('no tool')
    const tools = [...agentWith().tools, ...names.map((name) => ({ ...search, name }))]
    const all = agentWith({ skills: [none, pdf], tools, skillTools: 'restrict' })
    const story = given(all, createdWith('none'), admitted, asks(...names, 'search'))
    expect(codesOf(story)).toEqual(['search skill.tool_not_allowed'])
  })

  test('never widens: a list, and a policy with I/O, deny what a skill names', () => {
    const all = skill('all', { tools: ['search', 'write', 'pay', 'rm', 'load_skill'] })
    const listed = given(skilled([all], { skillTools: 'restrict' }), createdWith('all'), admitted)
    expect(codesOf(listed.and(asks('rm', 'search')))).toEqual(['rm oap.tool_not_allowed'])
    expect(listed.and(asks('pay')).state.name).toBe('approval')
    const policies = skilled([all], { guardrails: { policies: [asked] } })
    const story = given(policies, createdWith('all'), admitted, asks('search')).and(
      policiesSay(judged(0, 'search', 'deny')),
    )
    expect(codesOf(story)).toEqual(['search x.deny'])
  })

  test('ignore, which is the default, denies nothing', () => {
    expect(codesOf(given(agent, createdWith('pdf'), admitted, asks('write')))).toEqual([])
  })

  test('property: what passes with any skills passes without any, in whatever order they come', () => {
    const tools = ['search', 'write', 'pay', 'rm'] as const
    const wish = fc.option(fc.uniqueArray(fc.constantFrom(...tools)), { nil: null })
    const arbitrary = fc.array(wish, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(arbitrary, fc.constantFrom(undefined, 'restrict' as const), (wishes, mode) => {
        const skills = wishes.map((named, n): PinnedSkill => skill(`s${n}`, { tools: named }))
        const patch = mode ? { skillTools: mode } : {}
        const passing = (names: readonly string[]) => {
          const story = given(
            skilled(skills, patch),
            createdWith(...names),
            admitted,
            asks(...tools),
          )
          const denied = codesOf(story).map((each) => each.split(' ')[0])
          return tools.filter((tool) => !denied.includes(tool))
        }
        const names = skills.map(({ name }) => name)
        const [without, all, back] = [passing([]), passing(names), passing(names.toReversed())]
        expect(all.every((tool) => without.includes(tool))).toBe(true)
        expect(back).toEqual(all)
        const named = new Set(wishes.flatMap((each) => each ?? []))
        const isBound = mode === 'restrict' && wishes.some((each) => each !== null)
        expect(all).toEqual(without.filter((tool) => !isBound || named.has(tool)))
      }),
      { numRuns: 40 },
    )
  })
})

const saidOf = (tool: string) =>
  given(agent, created, admitted, asks(tool)).verdicts.map(({ payload }) =>
    'message' in payload ? payload.message : '',
  )

test('a skill that is called as a tool is told from a tool that there is not', () => {
  expect(saidOf('pdf')).toEqual([
    'There is no tool named pdf. It is a skill: load it with load_skill.',
  ])
  expect(saidOf('nothing')).toEqual(['There is no tool named nothing.'])
})

describe('definitions', () => {
  test('of older builds name skills by a file: they are read, and none of them can be loaded', () => {
    const old = agentWith({ skills: [{ name: 'pdf', path: 'docs/pdf.md' }] })
    expect(readDefinition(JSON.parse(JSON.stringify(old)))).toEqual(old)
    expect(pinnedSkills(old)).toEqual([])
    expect(namedSkills(old)).toEqual([{ name: 'pdf', path: 'docs/pdf.md' }])
  })

  test('name the file of each skill for guardrails', () => {
    expect(namedSkills(skilled([pdf]))).toEqual([{ name: 'pdf', path: 'skills/pdf/SKILL.md' }])
  })

  test('without skills say as much as they said', () => {
    expect(JSON.stringify(agentWith())).toContain('"skills":[]')
    expect(agentWith()).not.toHaveProperty('skillTools')
  })
})
