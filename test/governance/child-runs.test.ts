/**
 * Rows "Guardrail in subagents" and "Token budget" of agent-governance.md §8, over HTTP: what the provider was really asked,
 * by a run and by the runs it starts. `packages/engine/test/child-*.test.ts` have the rest.
 */
import {
  type AgentDefinition,
  factSchemas,
  type Prompt,
  machines,
  newestOf,
  revive,
  type ToolSpec,
} from '@signalbox/core'
import type { ScriptedTurn } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { openScene, type Scene } from './scene.ts'

let scene: Scene
afterEach(() => scene.close())

const paid: string[] = []
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ to: z.string() }),
  run: ({ to }) => `paid ${paid.push(to)}`,
})

/** The tool whose calls are runs of the helper. */
const helperTool: ToolSpec = {
  name: 'helper',
  version: '1',
  description: 'Starts a helper.',
  inputSchema: { type: 'object', properties: { prompt: { type: 'string' } } },
  effect: 'idempotent',
  queue: 'run',
  timeoutMs: 60_000,
  runs: 'helper',
}

/** Each agent plays its own turns, told apart by its instructions. */
const turns: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  'You write.': [{ calls: [{ name: 'helper', args: { prompt: 'pay eve' } }] }, { text: 'done' }],
  'You help.': [{ calls: [{ name: 'pay', args: { to: 'eve' } }] }, { text: 'I could not.' }],
}

function answer(prompt: Prompt): ScriptedTurn {
  const [first] = prompt
  const mine = turns[first?.role === 'system' ? first.text : ''] ?? []
  const said = prompt.filter(({ role }) => role === 'assistant').length
  return mine[said] ?? { text: 'done' }
}

async function open(more: Parameters<Scene['agent']>[0] = {}) {
  paid.length = 0
  scene = await openScene({
    answers: (_n, prompt) => answer(prompt),
    tools: [pay],
    agents: (name) => (name === 'helper' ? helper(more) : null),
  })
  const { run } = await scene.process()
  const writer: AgentDefinition = { ...scene.agent(), tools: [helperTool] }
  const runId = await run(writer)
  return { runId, outcome: await scene.outcome(runId) }
}

const helper = (more: Parameters<Scene['agent']>[0]): AgentDefinition => ({
  ...scene.agent(more),
  name: 'helper',
  instructions: 'You help.',
})

test('Guardrail in subagents: subagent denials recorded in the parent’s event stream', async () => {
  const { runId, outcome } = await open({ guardrails: { deniedTools: ['pay'] } })
  expect(outcome).toBe('completed')
  expect(paid).toEqual([])
  const { payload } = await scene.event(runId, 'child.ended')
  const { childRunId, verdicts } = factSchemas['child.ended'].parse(payload)
  const denied = await scene.event(childRunId, 'call.denied')
  expect(verdicts).toEqual([
    { seq: denied.seq, type: 'call.denied', tool: 'pay', code: 'oap.tool_not_allowed' },
  ])
  // Without the arguments, as any denial.
  expect(JSON.stringify(verdicts)).not.toContain('eve')
})

/** Tokens of all answers in the log of a run. */
async function tokensOf(runId: string): Promise<number> {
  const answers = await scene.events(runId, 'model.completed')
  const usages = answers.map(({ payload }) => factSchemas['model.completed'].parse(payload).turn)
  return usages.reduce(
    (sum, { usage: { inputTokens = 0, outputTokens = 0 } }) => sum + inputTokens + outputTokens,
    0,
  )
}

test('Token budget: 3) subagent tokens counted once', async () => {
  const { runId, outcome } = await open()
  expect(outcome).toBe('completed')
  expect(paid).toEqual(['eve'])
  // Two answers of each.
  expect(scene.prompts).toHaveLength(4)
  const { payload } = await scene.event(runId, 'child.ended')
  const { childRunId, spent } = factSchemas['child.ended'].parse(payload)
  const [own, below] = [await tokensOf(runId), await tokensOf(childRunId)]
  expect(below).toBeGreaterThan(0)
  expect(spent).toMatchObject({ turns: 2, calls: 1, tokens: below })
  const head = await scene.register.head(runId)
  const { context } = revive(newestOf(machines), head?.state ?? {})
  expect(context).toMatchObject({ turn: 2, childTurns: 2, calls: 2, tokens: own + below })
})
