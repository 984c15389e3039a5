/**
 * The answers of runs that were started, where the parent says how many it may start: partial ones of runs that were stopped on their way, what
 * guardrails take out, one tool for all agents, and merges that meet between being made and being recorded.
 */
import type { AgentDefinition, JsonObject, ModelTurn } from '@signalbox/core'
import type { Model, Register } from '@signalbox/engine'
import { afterEach, describe, expect, test } from 'vitest'
import { withOwn } from '../src/record/patient-register.ts'
import { edit, editing, editingTools, Gates, wait, write } from './support/editing.ts'
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
import { approveFirst } from './support/governed.ts'
import { toolSpec, turnModel } from './support/world.ts'

let tree: Family
let gates: Gates
afterEach(() => tree.stop())
const family = (parts: FamilyParts): Family => {
  gates = new Gates()
  return (tree = open({ tools: editingTools(gates), ...parts }))
}

const parent = (more: JsonObject = {}): AgentDefinition =>
  named('writer', [...editing, runsOf('helper')], { subagents: {}, ...more })
const helper = (more: JsonObject = {}): AgentDefinition => named('helper', editing, more)
const writes = turnModel([[ask('go')], 'done'])
const resultsOf = (): readonly string[] =>
  resultsIn(tree.asked.findLast(({ name }) => name === 'writer')?.prompt)

/** The model with its turns changed: the verdict of the nth, words before its calls. */
const changed = (model: Model, change: (turn: ModelTurn, n: number) => ModelTurn): Model => ({
  call: async (request, sink, signal) => {
    const n = request.prompt.filter(({ role }) => role === 'assistant').length
    return change(await model.call(request, sink, signal), n)
  },
})
/** Says where it stands, beside the calls of each turn. */
const talking = (model: Model): Model =>
  changed(model, (turn, n) => ({
    ...turn,
    message: {
      ...turn.message,
      parts: [{ type: 'text', text: `Step ${n}.` }, ...turn.message.parts],
    },
  }))

/** Starts the helper once, and answers the end of it that the writer was told. */
async function endOf(
  model: Model,
  { more = {}, of = {} }: { readonly more?: JsonObject; readonly of?: JsonObject } = {},
) {
  const { start, begin, outcome } = family({
    plays: { writer: writes, helper: model },
    agents: [helper(more)],
  })
  const engine = await start()
  const runId = await begin(engine, parent(of))
  expect(await outcome(runId)).toBe('completed')
  const { payload } = await tree.event(runId, 'child.ended')
  return payload
}

const looping = turnModel(Array.from({ length: 9 }, () => [write('a', 'x')]))
const stepping = turnModel(Array.from({ length: 9 }, (_, n) => [write('a', `x${n}`)]))

describe('a run that was stopped on its way', () => {
  test.each<[string, Model, JsonObject, string]>([
    ['budget_exhausted', talking(stepping), { limits: { maxTurns: 3 } }, 'Step 2.'],
    ['budget_exhausted', talking(stepping), { limits: { maxToolCalls: 2 } }, 'Step 2.'],
    ['budget_exhausted', talking(stepping), { limits: { maxTokens: 20 } }, 'Step 1.'],
    ['loop_stopped', talking(looping), { loop: { warnThreshold: 2, hardLimit: 3 } }, 'Step 2.'],
    ['timed_out', talking(turnModel([[wait('never')]])), { limits: { timeoutMs: 200 } }, 'Step 0.'],
    [
      'length_stopped',
      changed(turnModel(['So far: three ships, and']), (turn) => ({ ...turn, verdict: 'length' })),
      {},
      'So far: three ships, and',
    ],
  ])('%s: its last words, as an error that says so', async (outcome, model, more, last) => {
    const told = await endOf(model, { more })
    expect(told).toMatchObject({ outcome, partial: true, output: { isError: true } })
    const [result = ''] = resultsOf()
    expect(result).toContain(`The run of helper ended as ${outcome}, before it was done.`)
    expect(result).toContain(`What follows is partial: the last words that it said.${last}`)
  })

  test('of many words the last 4,000 characters', async () => {
    const long = Array.from({ length: 3_000 }, (_, n) => `w${n}`).join(' ')
    const model = changed(turnModel([long]), (turn) => ({ ...turn, verdict: 'length' }))
    const { output } = JSON.parse(JSON.stringify(await endOf(model)))
    const words: string = output.content[1].text
    expect(words).toHaveLength(4_000)
    expect(words.startsWith('[…]')).toBe(true)
    expect(long.endsWith(words.slice(3))).toBe(true)
  })

  test('words that a guardrail did not let pass are not among them', async () => {
    const guards = [{ use: 'banned-terms', terms: ['snozzberry'], action: 'fail' }]
    const model = changed(talking(stepping), (turn, n) =>
      n === 1
        ? {
            ...turn,
            verdict: 'guardrail',
            message: { ...turn.message, parts: [{ type: 'text', text: 'A snozz' }] },
            trip: {
              guardrail: { id: 'g', name: 'Terms' },
              outcome: 'fail',
              feedback: 'I must not say that.',
              partType: 'text',
              offset: 1,
            },
          }
        : turn,
    )
    await endOf(model, { more: { limits: { maxTurns: 2 }, guardrails: { stream: guards } } })
    const [result = ''] = resultsOf()
    expect(result).toContain('partial')
    expect(result).not.toContain('snozz')
  })

  test('of another end nothing is partial, and it reads as before', async () => {
    const told = await endOf(turnModel([[write('a', 'x')], '', '']))
    expect(told).toMatchObject({ outcome: 'failed', output: { isError: true } })
    expect(told).not.toHaveProperty('partial')
    expect(resultsOf()[0]).toMatch(/^The run of helper ended as failed\./)
  })
})

describe('the answer is a result like any other', () => {
  test('what is not to be read in results is taken out of it, and recorded', async () => {
    const told = await endOf(turnModel(['Write to ann@example.org now.']), {
      of: { guardrails: { stream: [{ use: 'pii', toolResults: true }] } },
    })
    expect(JSON.stringify(told)).not.toContain('ann@example.org')
    expect(told).toMatchObject({
      redactions: [{ place: 'result', tool: 'agent__helper', count: 1 }],
    })
    const [run] = [...tree.register.tables.runs.values()]
    const redacted = await tree.events(run?.runId ?? '', 'guardrail.redacted')
    expect(redacted).toHaveLength(1)
    expect(resultsOf().join()).not.toContain('ann@example.org')
  })

  test('of a long one the model reads head and tail', async () => {
    const told = await endOf(turnModel(['x'.repeat(12_001)]))
    expect(told).toMatchObject({ output: { content: [{ type: 'blob', bytes: 12_001 }] } })
    const whole = await endOf(turnModel(['x'.repeat(12_000)]))
    expect(whole).toMatchObject({ output: { content: [{ type: 'text' }] } })
  })
})

describe('one tool for all agents', () => {
  const task = { ...toolSpec('task', 'idempotent'), runs: ['scout', 'clerk'] }
  const call = (args: JsonObject) => [{ tool: 'task', args }]
  const look = { description: 'a look '.repeat(60), prompt: 'Look north.', agent: 'scout' }

  test('starts the agent that is named, with the prompt, under the description', async () => {
    const { start, begin, outcome, child, asked, register } = family({
      plays: {
        writer: turnModel([call(look), call({ ...look, agent: 'clrek' }), 'done']),
        scout: turnModel(['Two ships.']),
      },
      agents: [named('scout'), named('clerk')],
    })
    const engine = await start()
    const runId = await begin(engine, named('writer', [task], { subagents: { tool: 'task' } }))
    expect(await outcome(runId)).toBe('completed')
    expect(wordsIn(asked.find(({ name }) => name === 'scout')?.prompt)).toBe('Look north.')
    expect(resultsOf()).toEqual([
      'Two ships.',
      'Error: this call was not executed (unknown_agent). There is no such agent. The argument agent takes one of: scout, clerk.',
    ])
    const head = await register.head(await child(runId))
    expect(head).toMatchObject({
      agent: 'scout',
      metadata: { description: look.description.slice(0, 200) },
    })
    expect(await tree.event(runId, 'child.ended')).toMatchObject({
      tool: 'task',
      payload: { agent: 'scout' },
    })
  })

  test('a human lets it start', async () => {
    const { start, begin, outcome } = family({
      plays: {
        writer: turnModel([call(look), 'done']),
        scout: turnModel(['Two ships.']),
      },
      agents: [named('scout'), named('clerk')],
    })
    const engine = await start()
    const more = { subagents: { tool: 'task' }, guardrails: { approvalTools: ['task'] } }
    const runId = await begin(engine, named('writer', [task], more))
    await approveFirst(engine, tree.register, runId)
    expect(await outcome(runId)).toBe('completed')
    expect(resultsOf()).toEqual(['Two ships.'])
  })
})

test('merges that meet between being made and being recorded: the model is told', async () => {
  const doc = 'alpha\nbeta\n'
  const { start, begin, outcome, register } = family({
    plays: {
      writer: turnModel([[write('doc', doc)], [ask('go', 'one'), ask('go', 'two')], 'done']),
      one: turnModel([[edit('doc', 'alpha', 'first')], [wait('one')], 'One.']),
      two: turnModel([[edit('doc', 'alpha', 'second')], [wait('two')], 'Two.']),
    },
    agents: [named('one', editing), named('two', editing)],
  })
  // The first merge stands still once it has read what its parent has, and before it is recorded.
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let armed = false
  const slow: Register = withOwn(register, {
    putBlob: async (thread, blob) => {
      if (armed && thread.threadId === 'top') {
        armed = false
        reached.resolve()
        await held.promise
      }
      await register.putBlob(thread, blob)
    },
  })
  const engine = await start({ register: slow })
  const others = ['one', 'two'].map(runsOf)
  const definition = named('writer', [...editing, ...others], { subagents: { files: 'merge' } })
  const runId = await begin(engine, definition, { threadId: 'top' })
  for (const n of [0, 1]) await tree.event(await tree.child(runId, n), 'tool.completed')
  armed = true
  gates.open('one')
  await reached.promise
  gates.open('two')
  await tree.event(runId, 'child.ended')
  held.resolve()
  expect(await outcome(runId)).toBe('completed')
  const [two, one] = await tree.events(runId, 'child.ended')
  expect(one?.payload).toMatchObject({ filesSeen: expect.any(Number) })
  expect(Number(one?.payload['filesSeen'])).toBeLessThan(two?.seq ?? 0)
  expect(resultsOf().join('\n')).toContain(
    '[Another call of this turn changed the same files: doc. Edits of this call were made again in what the other one left.',
  )
})

test('two processes that tell of the same end tell it once', async () => {
  const { start, begin, outcome } = family({
    plays: {
      writer: turnModel([[write('doc', 'a\n')], [ask('go')], 'done']),
      helper: turnModel([[edit('doc', 'a', 'b')], 'Edited.']),
    },
    agents: [helper()],
  })
  const engine = await start()
  await start()
  const runId = await begin(engine, parent({ subagents: { files: 'merge' } }))
  expect(await outcome(runId)).toBe('completed')
  expect(await tree.events(runId, 'child.ended')).toHaveLength(1)
})
