/** Runs that start runs: what a child gets from its parent, and what comes back, over the register in memory. */
import type { AgentDefinition, JsonObject, ModelTurn } from '@signalbox/core'
import { type Model, withReadResult } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import {
  ask,
  type Family,
  family as open,
  type FamilyParts,
  named,
  resultsIn,
  runsOf,
  wordsIn,
} from './support/family.ts'
import { functionTools, toolSpec, turnModel } from './support/world.ts'

let tree: Family
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => (tree = open(parts))

const writer = (more: JsonObject = {}): AgentDefinition => named('writer', [runsOf('helper')], more)

/** Answers what it was asked, once `before` lets it. */
const echo = (before: (words: string) => Promise<void> = async () => {}): Model => ({
  call: async (request, sink, signal) => {
    const words = wordsIn(request.prompt)
    await before(words)
    return turnModel([`Answer to ${words}.`]).call(request, sink, signal)
  },
})

test('two runs at once, and their answers as results of the calls, in the order of the calls', async () => {
  const second = Promise.withResolvers<void>()
  const { start, begin, outcome, events, asked, register } = family({
    plays: {
      writer: turnModel([[ask('one'), ask('two')], 'Both have answered.']),
      // The first answers only after the second has: one after the other they would wait for ever.
      helper: echo((words) => (words === 'one' ? second.promise : Promise.resolve())),
    },
    agents: [named('helper')],
  })
  const engine = await start()
  const runId = await begin(engine, writer())
  await tree.event(runId, 'child.ended')
  second.resolve()
  expect(await outcome(runId)).toBe('completed')
  const ended = await events(runId, 'child.ended')
  expect(ended.map(({ payload }) => payload)).toMatchObject(
    ['two', 'one'].map((words) => ({
      outcome: 'completed',
      output: { content: [{ type: 'text', text: `Answer to ${words}.` }], isError: false },
      spent: { turns: 1, calls: 0, tokens: 15, cost: 0 },
      verdicts: [],
    })),
  )
  expect(resultsIn(asked.at(-1)?.prompt)).toEqual(['Answer to one.', 'Answer to two.'])
  const children = await register.children(runId)
  expect(children.map((child) => child.ended)).toEqual([true, true])
})

test('a long answer moves to the thread of the parent, which reads on in it', async () => {
  const long = Array.from({ length: 6_000 }, (_, n) => `line ${n}`).join('\n')
  const reads: Model = {
    call: (request, sink, signal) => {
      const [, key = '', offset = '0'] =
        /read_result \{"result":"([0-9a-f]+)","offset":(\d+)\}/.exec(
          resultsIn(request.prompt)[0] ?? '',
        ) ?? []
      const args = { result: key, offset: Number(offset) }
      const turns = [[ask('all of it')], [{ tool: 'read_result', args }], 'done']
      return turnModel(turns).call(request, sink, signal)
    },
  }
  const { start, begin, outcome, child, asked, register } = family({
    plays: { writer: reads, helper: turnModel([long]) },
    agents: [named('helper')],
  })
  const tools = withReadResult(functionTools({}))
  const engine = await start({ tools })
  const definition = named('writer', [runsOf('helper'), ...(await tools.specs())])
  const runId = await begin(engine, definition)
  expect(await outcome(runId)).toBe('completed')
  const [head = '', page = ''] = resultsIn(asked.at(-1)?.prompt)
  const [, offset = ''] = /"offset":(\d+)/.exec(head) ?? []
  expect(offset).not.toBe('')
  const from = Number(offset)
  expect(head.startsWith(long.slice(0, from))).toBe(true)
  expect(page).toContain(long.slice(from, from + 10_000))
  const threads = await Promise.all([runId, await child(runId)].map((id) => register.head(id)))
  const blobs = [...register.tables.blobs.keys()].map((key) => key.split('\u0000'))
  expect(blobs).toHaveLength(2)
  expect(new Set(blobs.map(([, thread]) => thread))).toEqual(
    new Set(threads.map((each) => each?.threadId)),
  )
  expect(new Set(blobs.map(([, , key]) => key)).size).toBe(2)
})

test('a call without a prompt asks with its arguments', async () => {
  const { start, begin, outcome, asked } = family({
    plays: {
      writer: turnModel([[{ tool: 'agent__helper', args: { b: 1, a: 'x' } }], 'done']),
      helper: echo(),
    },
    agents: [named('helper')],
  })
  await outcome(await begin(await start(), writer()))
  expect(wordsIn(asked[1]?.prompt)).toBe('{"a":"x","b":1}')
})

test('runs start runs three deep; the next is denied, and its model reads why', async () => {
  const { start, begin, outcome, child, events, asked, register } = family({
    plays: { writer: turnModel([[ask('go')], 'done']), helper: turnModel([[ask('go')], 'done']) },
    agents: [named('helper', [runsOf('helper')])],
  })
  const root = await begin(await start(), writer())
  expect(await outcome(root)).toBe('completed')
  const line = [root]
  for (const depth of [1, 2, 3]) {
    const above = line.at(-1) ?? ''
    const below = await child(above)
    const [created] = await events(below, 'run.created')
    expect(created?.payload['parent']).toMatchObject({ depth, runId: above, rootId: root })
    line.push(below)
  }
  expect(register.tables.runs.size).toBe(4)
  const denied = asked.flatMap(({ prompt }) => resultsIn(prompt)).find((it) => it.includes('deep'))
  expect(denied).toBe(
    'Error: this call was not executed (too_deep). Runs may be started 3 deep; this one starts none.',
  )
  expect((await events(line[2] ?? '', 'child.ended'))[0]?.payload).toMatchObject({
    outcome: 'completed',
    verdicts: [{ type: 'call.denied', tool: 'agent__helper', code: 'too_deep' }],
  })
})

test('what children of children used, the run at the top has used', async () => {
  const { start, begin, outcome, child, events } = family({
    plays: {
      writer: turnModel([[ask('go')], 'done']),
      helper: turnModel([[ask('go', 'clerk'), { tool: 'look', args: {} }], 'done']),
      clerk: turnModel([[{ tool: 'look', args: {} }], 'done']),
    },
    agents: [
      named('helper', [runsOf('clerk'), toolSpec('look')]),
      named('clerk', [toolSpec('look')]),
    ],
    tools: functionTools({ look: async () => 'seen' }),
  })
  const root = await begin(await start(), writer())
  expect(await outcome(root)).toBe('completed')
  const spent = async (runId: string) =>
    (await events(runId, 'child.ended')).map(({ payload }) => payload['spent'])
  expect(await spent(await child(root))).toMatchObject([{ turns: 2, calls: 1, tokens: 30 }])
  expect(await spent(root)).toMatchObject([{ turns: 4, calls: 3, tokens: 60 }])
})

test('an agent nobody knows is a failed call; the run goes on', async () => {
  const { start, begin, outcome, asked, register } = family({
    plays: { writer: turnModel([[ask('go')], 'done']) },
  })
  const runId = await begin(await start(), writer())
  expect(await outcome(runId)).toBe('completed')
  expect(resultsIn(asked.at(-1)?.prompt)).toEqual([
    'Error: the tool failed (unknown_agent). there is no agent named helper',
  ])
  expect(await register.children(runId)).toEqual([])
})

/** A turn that the provider stopped for safety. */
const stopped: Model = {
  call: async (request): Promise<ModelTurn> => ({
    verdict: 'safety',
    message: { id: request.messageId, role: 'assistant', parts: [] },
    suppressed: [],
    evidence: [{ detector: 'd', field: 'f', value: 'v' }],
    finish: null,
    usage: {},
    provider: 'scripted',
    model: 'test',
  }),
}

test('a child works for the end user of its parent: the hold on him holds it', async () => {
  const { start, begin, outcome, asked, register } = family({
    plays: { writer: turnModel([[ask('go')], 'done']), helper: stopped },
    agents: [
      named('helper', [], {
        safety: { hold: { stops: 1, withinMs: 3_600_000, holdMs: 3_600_000 } },
      }),
    ],
  })
  const engine = await start()
  const first = await begin(engine, writer(), { endUser: 'e1' })
  expect(await outcome(first)).toBe('completed')
  expect(asked.map(({ name, endUser }) => [name, endUser])).toEqual([
    ['writer', 'e1'],
    ['helper', 'e1'],
    ['writer', 'e1'],
  ])
  const second = await begin(engine, writer(), { endUser: 'e1' })
  expect(await outcome(second)).toBe('completed')
  expect(resultsIn(asked.at(-1)?.prompt)[0]).toContain('(held)')
  expect(await register.children(second)).toEqual([])
  // Nobody else is held.
  const other = await begin(engine, writer(), { endUser: 'e2' })
  expect(await outcome(other)).toBe('completed')
  expect(await register.children(other)).toHaveLength(1)
})

test('a child pins its agent as it was when the child began', async () => {
  let version = 1
  const answered = Promise.withResolvers<void>()
  const { start, begin, outcome, asked } = family({
    plays: {
      writer: turnModel([[ask('go')], [ask('go')], 'done']),
      v1: echo(() => answered.promise),
      v2: echo(),
    },
  })
  const engine = await start({
    agents: () => named('helper', [], { instructions: `v${version}` }),
  })
  const runId = await begin(engine, writer())
  await tree.child(runId)
  version = 2
  answered.resolve()
  expect(await outcome(runId)).toBe('completed')
  expect(asked.map(({ name }) => name)).toEqual(['writer', 'v1', 'writer', 'v2', 'writer'])
})

test('the limits of a child are those of its agent, lowered to what its parent has left', async () => {
  const { start, begin, outcome, child, register } = family({
    plays: {
      writer: turnModel([[ask('go'), { tool: 'look', args: {} }], 'done']),
      helper: turnModel(['done']),
    },
    agents: [named('helper', [], { limits: { maxTurns: 3, maxCost: 5, timeoutMs: 7_200_000 } })],
    tools: functionTools({ look: async () => 'seen' }),
  })
  const limits = { maxTurns: 9, maxToolCalls: 6, maxTokens: 1_000, maxCost: 2, timeoutMs: 60_000 }
  const definition = named('writer', [runsOf('helper'), toolSpec('look')], { limits })
  const runId = await begin(await start(), definition)
  expect(await outcome(runId)).toBe('completed')
  const head = await register.head(await child(runId))
  const pinned = await register.definition(head?.definitionHash ?? '')
  // Two calls and 15 tokens are used; of the turns the child's own limit is lower.
  expect(pinned?.limits).toMatchObject({ maxTurns: 3, maxToolCalls: 4, maxTokens: 985, maxCost: 2 })
  expect(pinned?.limits.timeoutMs).toBeLessThanOrEqual(60_000)
})

test('a child that ends otherwise is a failed call that says how', async () => {
  const { start, begin, outcome, asked } = family({
    plays: {
      writer: turnModel([[ask('go')], 'done']),
      helper: turnModel([[{ tool: 'look', args: {} }], 'never said']),
    },
    agents: [named('helper', [toolSpec('look')], { limits: { maxTurns: 1 } })],
    tools: functionTools({ look: async () => 'seen' }),
  })
  expect(await outcome(await begin(await start(), writer()))).toBe('completed')
  const [said = ''] = resultsIn(asked.at(-1)?.prompt)
  expect(said).toMatch(/^The run of helper ended as budget_exhausted\./)
  expect(said).toContain('[BUDGET EXHAUSTED]')
})
