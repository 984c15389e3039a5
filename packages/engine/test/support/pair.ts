/** The smallest tree: a writer that asks a helper once, and what it must have come to. */
import type { AgentDefinition } from '@signalbox/core'
import { expect } from 'vitest'
import { ask, type Family, type FamilyParts, named, resultsIn, runsOf } from './family.ts'
import { turnModel } from './world.ts'

/** Starts runs of the helper. */
export const writer = (): AgentDefinition => named('writer', [runsOf('helper')])

/** Both play their turns to the end. */
export const pair = (): FamilyParts => ({
  plays: { writer: turnModel([[ask('go')], 'done']), helper: turnModel(['helped']) },
  agents: [named('helper')],
})

/** The tree ended well: one child, told once, and its answer read. */
export async function expectOneChild(tree: Family, root: string): Promise<void> {
  expect(await tree.outcome(root)).toBe('completed')
  expect(await tree.register.children(root)).toHaveLength(1)
  expect(await tree.events(root, 'child.ended')).toHaveLength(1)
  expect(resultsIn(tree.asked.at(-1)?.prompt)).toEqual(['helped'])
  const effects = [...tree.register.tables.effects.values()]
  expect(effects.find(({ kind }) => kind === 'run.start')?.status).toBe('done')
}
