/** A tool that does not come back before the test says so. */
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'

const gates = new Map<string, PromiseWithResolvers<void>>()
const holding = new Set<string>()

function gateOf(runId: string): PromiseWithResolvers<void> {
  const gate = gates.get(runId) ?? Promise.withResolvers<void>()
  gates.set(runId, gate)
  return gate
}

export const hold = defineTool({
  name: 'hold',
  description: 'Holds its run, and the thread of it, until it is let go.',
  effect: 'read',
  input: z.object({}),
  run: async (_, { idempotencyKey }) => {
    // The key is the id of the effect: that of the run and a number.
    const runId = idempotencyKey.replace(/\.\d+$/, '')
    holding.add(runId)
    await gateOf(runId).promise
    return 'held'
  },
})

/** Has the call of a run begun? */
export const isHolding = (runId: string): boolean => holding.has(runId)

/** Lets the call of a run go, whether it has begun or not. */
export function letGo(runId: string): void {
  gateOf(runId).resolve()
}

/** Lets everybody go who holds. */
export function letAllGo(): void {
  for (const { resolve } of gates.values()) resolve()
}
