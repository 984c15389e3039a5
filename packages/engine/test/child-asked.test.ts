/** Calls that were asked for before a tree had a budget, and run when it has one: each is counted once. */
import { decisionSchemas } from '@signalbox/core'
import { expect, test } from 'vitest'
import { helper, look } from './support/budget.ts'
import { ask, family, named, runsOf } from './support/family.ts'
import { caller } from './support/governed.ts'
import { functionTools, toolSpec, turnModel } from './support/world.ts'

test('a call of the first turn that a human approves later is not counted twice', async () => {
  const tree = family({
    plays: { writer: turnModel([[ask('a'), look], 'done']), helper: turnModel(['helped']) },
    agents: [helper()],
    tools: functionTools({ look: async () => 'seen' }),
  })
  const engine = await tree.start()
  const runId = await tree.begin(
    engine,
    named('writer', [runsOf('helper'), toolSpec('look')], {
      limits: { maxToolCalls: 2 },
      guardrails: { approvalTools: ['look'] },
    }),
  )
  const asking = await tree.event(runId, 'approval.requested')
  await tree.event(runId, 'child.ended')
  const { callId } = decisionSchemas['approval.requested'].parse(asking.payload)
  await engine.commands.answerApproval({ ...caller, runId, callId, decision: 'approve' })
  const outcome = await tree.outcome(runId)
  const refused = await tree.events(runId, 'budget.refused')
  await tree.stop()
  expect({ outcome, refused }).toEqual({ outcome: 'completed', refused: [] })
})
