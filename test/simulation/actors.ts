/**
 * The world outside the engine: a model that plays a random but fixed plan for each run, and tools that leave a mark in
 * the world's own log whenever they execute. The checks compare that log with the register's.
 */
import { createHash } from 'node:crypto'
import { AgentDefinition, type ModelTurn, type ToolSpec } from '@signalbox/core'
import { canonical, type Model, type ModelRequest, type ToolHost } from '@signalbox/engine'
import type { Execution } from '../invariants/run-record.ts'
import type { Incarnation } from './process.ts'
import { seeded, type Schedule } from './schedule.ts'

/** What really happened, whatever the register says. */
export interface World {
  readonly schedule: Schedule
  readonly executions: Execution[]
  /** What the actors saw that must not be. */
  readonly complaints: string[]
}

const tool = (name: string, effect: ToolSpec['effect']): ToolSpec => ({
  name,
  version: '1',
  description: name,
  inputSchema: { type: 'object' },
  effect,
  queue: 'tools',
  timeoutMs: 60_000,
})

export const simulatedAgent = (onUnknown: 'ask' | 'tell', seed: number): AgentDefinition =>
  AgentDefinition.parse({
    name: `agent-${onUnknown}`,
    model: { provider: 'scripted', model: String(seed) },
    instructions: 'Go.',
    tools: [tool('look', 'read'), tool('put', 'idempotent'), tool('pay', 'once')],
    guardrails: { approvalTools: seed % 5 === 0 ? ['put'] : [] },
    limits: { maxTurns: 6, timeoutMs: seed % 7 === 0 ? 3_000 : 60_000 },
    modelRetries: { max: 3, baseMs: 20, capMs: 100 },
    loop: { warnThreshold: 2, hardLimit: 3 },
    onUnknown,
  })

const names = ['look', 'put', 'pay', 'nobody'] as const

/**
 * The plan of one turn: the same whenever it is asked for, so a repeated call gives the same answer. Some agents repeat
 * themselves, some never come to an end.
 */
function planTurn(seed: number, turn: number): readonly { tool: string; n: number }[] {
  if (seed % 6 === 1) return [{ tool: 'look', n: 0 }]
  if (seed % 9 === 2) return [{ tool: 'look', n: turn }]
  const unit = seeded(seed * 1_000 + turn)
  const turns = 1 + Math.floor(unit() * 3)
  if (turn >= turns) return []
  const calls = 1 + Math.floor(unit() * 3)
  return Array.from({ length: calls }, () => ({
    tool: names[Math.floor(unit() * (unit() < 0.1 ? 4 : 3))] ?? 'look',
    n: Math.floor(unit() * 3),
  }))
}

const verdicts = ['interrupted', 'error', 'safety', 'length', 'refusal'] as const

export function simulatedModel({ schedule, complaints }: World, life: Incarnation): Model {
  return {
    call: async (request, _sink, signal) => {
      await life.clock.sleep(schedule.between(2, 40), signal)
      signal.throwIfAborted()
      if (lacksResult(request))
        complaints.push(`I24 a prompt of ${request.messageId} lacks a result`)
      const turn = request.prompt.filter((message) => message.role === 'assistant').length
      const bad = schedule.faults && schedule.chance(0.06)
      const broken = Number(request.model.model) % 13 === 3 && turn === 1
      const picked = verdicts[Math.floor(schedule.unit() * verdicts.length)]
      const verdict = broken ? 'interrupted' : bad ? picked : undefined
      const plan = planTurn(Number(request.model.model), turn)
      return answer(request.messageId, verdict ?? 'complete', verdict ? [] : partsOf(request, plan))
    },
  }
}

/** Calls of this very run must have their results; those of an earlier run may have ended without. */
function lacksResult({ prompt, callIdPrefix }: ModelRequest): boolean {
  const run = callIdPrefix.slice(0, callIdPrefix.lastIndexOf('_'))
  return prompt.some(
    (message) =>
      message.role === 'tool' &&
      message.results.some(
        ({ callId, output }) =>
          callId.startsWith(run) && JSON.stringify(output).includes('has no result'),
      ),
  )
}

type Parts = ModelTurn['message']['parts']

function partsOf(
  request: { readonly callIdPrefix: string },
  plan: ReturnType<typeof planTurn>,
): Parts {
  if (plan.length === 0) return [{ type: 'text', text: 'done' }]
  return plan.map(({ tool: name, n }, index) => {
    const args = { n }
    const argsHash = createHash('sha256').update(canonical(args)).digest('hex')
    return { type: 'tool_call', id: `${request.callIdPrefix}_${index}`, name, args, argsHash }
  })
}

function answer(id: string, verdict: ModelTurn['verdict'], parts: Parts): ModelTurn {
  return {
    verdict,
    message: { id, role: 'assistant', parts },
    suppressed: verdict === 'complete' ? [] : [{ name: 'pay', argsBytes: 3, argsHmac: 'x' }],
    evidence: [],
    finish: verdict === 'complete' ? { unified: 'stop' } : null,
    usage: { inputTokens: 10, outputTokens: 10 },
    provider: 'scripted',
    model: 'simulated',
  }
}

export function simulatedTools(world: World, life: Incarnation): ToolHost {
  const { schedule } = world
  return {
    specs: async () => [],
    knows: async () => true,
    call: async (request, signal) => {
      await life.clock.sleep(schedule.between(1, 20), signal)
      if (!life.alive) return new Promise(() => {})
      if (signal.aborted) return { status: 'aborted', settled: true }
      world.executions.push({
        effectId: request.idempotencyKey,
        attempt: request.attempt,
        runId: request.runId,
        callId: request.callId,
        tool: request.name,
        argsHash: createHash('sha256').update(canonical(request.args)).digest('hex'),
      })
      schedule.note(`executes ${request.idempotencyKey}`)
      await life.clock.sleep(schedule.between(1, schedule.chance(0.1) ? 1_500 : 60), signal)
      if (signal.aborted) return { status: 'aborted', settled: schedule.chance(0.5) }
      const failed = schedule.chance(0.1)
      if (failed) return { status: 'failed', error: { code: 'boom', message: 'it broke' } }
      const text = `${request.name} ${JSON.stringify(request.args)}`
      return { status: 'completed', output: { content: [{ type: 'text', text }], isError: false } }
    },
    close: async () => {},
  }
}
