/** An agent that starts runs, and what becomes of them, as moves. */
import {
  type AgentDefinition,
  type FactPayload,
  type Outcome,
  type Webhook,
} from '../../src/index.ts'
import { agentWith, type Patch } from './agent.ts'
import { created, digest, modelEffect, type Move, toolCall } from './facts.ts'

type ToolSpec = AgentDefinition['tools'][number]

const starter = (name: string, effect: ToolSpec['effect'] = 'idempotent'): ToolSpec => ({
  name,
  version: 'v1',
  description: name,
  inputSchema: { type: 'object' },
  effect,
  queue: 'default',
  timeoutMs: 30_000,
  runs: 'helper',
})

/**
 * The agent of `agentWith` with tools whose calls start runs of `helper`: `task`, `study` (reads), `hire` (must be approved)
 * and `ban` (denied).
 */
export const parentWith = (patch: Patch = {}): AgentDefinition =>
  agentWith({
    ...patch,
    tools: [
      ...agentWith().tools,
      starter('task'),
      starter('study', 'read'),
      starter('hire'),
      starter('ban'),
    ],
    guardrails: {
      approvalTools: ['pay', 'hire'],
      deniedTools: ['rm', 'ban'],
      ...patch.guardrails,
    },
  })

/** The run was started by another one, at this depth; at 0 by nobody. Who wants to be told of it is. */
export const createdAt =
  (depth: number, webhooks: readonly Webhook[] = []): Move =>
  (known) => {
    const fact = created(known)
    if (fact.type !== 'run.created') return fact
    if (depth === 0) return { ...fact, payload: { ...fact.payload, webhooks: [...webhooks] } }
    const parent = { runId: 'p', callId: 'c', effectId: 'p.2', rootId: 'p', depth }
    return { ...fact, payload: { ...fact.payload, parent } }
  }

/** The run that does the work of the nth call exists. */
export const starts =
  (n: number): Move =>
  (known) => ({
    type: 'child.started',
    payload: { ...toolCall(known, n), childRunId: `child ${n}` },
  })

export type Spent = FactPayload<'child.ended'>['spent']

const nothingSpent: Spent = { turns: 0, calls: 0, tokens: 0, cost: 0, activeMs: 0 }

/** The run that did the work of the nth call has ended, with what it used. */
export const ends =
  (n: number, spent: Partial<Spent> = {}, outcome: Outcome = 'completed'): Move =>
  (known) => {
    const { effectId, callId } = toolCall(known, n)
    const isError = outcome !== 'completed'
    const text = isError ? `Error: the run ended as ${outcome}.` : `answer ${n}`
    return {
      type: 'child.ended',
      payload: {
        effectId,
        callId,
        childRunId: `child ${n}`,
        outcome,
        output: { content: [{ type: 'text', text }], isError },
        resultHash: digest(text),
        spent: { ...nothingSpent, ...spent },
        verdicts: [],
      },
    }
  }

/** The run that did the work of the nth call answered these words. */
export const endsSaying =
  (n: number, text: string): Move =>
  (known) => {
    const fact = ends(n)(known)
    if (fact.type !== 'child.ended') return fact
    const output = { content: [{ type: 'text' as const, text }], isError: false }
    return { ...fact, payload: { ...fact.payload, output, resultHash: digest(text) } }
  }

/** The run that does the work of the nth call is not started, as this one is being cancelled. */
export const neverStarts =
  (n: number): Move =>
  (known) => ({
    type: 'tool.aborted',
    payload: { ...toolCall(known, n), reason: 'never_started' },
  })

const tokens = { budget: 'tokens', used: 1_000, limit: 900 } as const

/** The tree has no tokens left for the model call. */
export const modelRefused: Move = (known) => ({
  type: 'budget.refused',
  payload: { effectId: modelEffect(known), attempt: 1, ...tokens },
})

/** The tree has no calls left for the nth call. */
export const callRefused =
  (n: number): Move =>
  (known) => ({
    type: 'budget.refused',
    payload: { ...toolCall(known, n), budget: 'calls', used: 40, limit: 40 },
  })
