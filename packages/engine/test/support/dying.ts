/** A run that is summed up by a process that dies at an append of that, and gone on with by another one. */
import { expect } from 'vitest'
import { factSchemas, payloadOf } from '@signalbox/core'
import type { Model, ModelRequest, Register } from '@signalbox/engine'
import { asked, byTurn, dumping, eventsOf, reads, readerAgent, said } from './compacting.ts'
import { counting } from './counting.ts'
import { type Death, expire, mortal } from './faulty.ts'
import { begin, outcomeOf } from './governed.ts'
import { world } from './world.ts'

/** The answer to a request for a summary: one that stands, or one that says nothing. */
export type Answer = 'compacted' | 'unchanged'

const modelOf = (answer: Answer): { readonly model: Model; requests: readonly ModelRequest[] } =>
  counting(
    byTurn(reads(12), () => said(answer === 'compacted' ? 'Some are read.' : ' ')),
    32_000,
  )

const definition = readerAgent({ context: { compact: { failuresMax: 1 } } })

/** The texts that an undisturbed run asked its model. */
export async function undisturbed(
  register: Register,
  answer: Answer,
): Promise<ReturnType<typeof asked>> {
  const { model, requests } = modelOf(answer)
  const { engine } = world({ model, tools: dumping(), register })
  await engine.start()
  const runId = await begin(engine, definition)
  expect(await outcomeOf(register, runId)).toBe('completed')
  await engine.stop(1_000)
  return asked(requests, runId)
}

/** The same run with a death in it: asked the same, byte for byte, and one outcome for each summary that was asked for. */
export async function expectSurvived(
  register: Register,
  { answer, death, before, hurry = () => {} }: Dying,
): Promise<void> {
  const { model, requests } = modelOf(answer)
  const { register: dying, dead } = mortal(register, death)
  const first = world({ model, tools: dumping(), register: dying }).engine
  await first.start()
  const runId = await begin(first, definition)
  await dead
  await first.stop(0)
  await expire(register, runId)
  hurry()
  const second = world({ model, tools: dumping(), register }).engine
  await second.start()
  try {
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(asked(requests, runId)).toEqual(before)
    const compacted = await eventsOf(register, runId, 'context.compacted')
    const unchanged = await eventsOf(register, runId, 'context.unchanged')
    expect(answer === 'compacted' ? unchanged : compacted).toEqual([])
    const settled = [
      ...compacted.map((event) => payloadOf(factSchemas['context.compacted'], event).effectId),
      ...unchanged.map((event) => payloadOf(factSchemas['context.unchanged'], event).effectId),
    ]
    expect(settled).not.toEqual([])
    expect(new Set(settled).size).toBe(settled.length)
    expect(await register.openEffects(runId)).toEqual([])
    const results = await eventsOf(register, runId, 'tool.completed')
    expect(results).toHaveLength(12)
  } finally {
    await second.stop(1_000)
  }
}

interface Dying {
  readonly answer: Answer
  readonly death: Death
  /** The texts that the run asks its model without the death. */
  readonly before: ReturnType<typeof asked>
  /** Has the register find at once what it would find in seconds. */
  readonly hurry?: () => void
}
