/**
 * The invariants of edits: an edit ends without a turn, so it must have asked nobody. Would catch: an edit that asks a model, and is
 * excused from what runs have to keep that do.
 */
import type { MemoryRegister } from '@signalbox/testing/memory'
import { expect, it } from 'vitest'
import { logViolations } from '../invariants/check-log.ts'
import { isEdit, type RunRecord } from '../invariants/run-record.ts'
import { filingOf } from './files.ts'
import { simulate } from './simulate.ts'

const recordsOf = ({ tables }: MemoryRegister): readonly RunRecord[] =>
  [...tables.runs.values()].map((head) => ({
    head,
    log: tables.events.get(head.runId) ?? [],
    effects: [...tables.effects.values()].filter(({ runId }) => runId === head.runId),
    agent: tables.definitions.get(head.definitionHash),
    digestKey: null,
  }))

/** The runs of the first seed in which somebody changes files by hand, and that edit is made. */
async function edited(): Promise<{ readonly edit: RunRecord; readonly other: RunRecord }> {
  for (let seed = 1; seed < 500; seed++) {
    if (!filingOf(seed).isByHand) continue
    const runs = recordsOf((await simulate(seed)).register)
    const edit = runs.find((run) => isEdit(run) && run.head.stateName === 'completed')
    const other = runs.find(
      (run) => !isEdit(run) && run.log.some(({ type }) => type === 'model.completed'),
    )
    if (edit && other) return { edit, other }
  }
  throw new Error('no seed has an edit')
}

it('an edit completes without a turn, and asks nobody for anything (I23)', async () => {
  const { edit, other } = await edited()
  const { runId } = edit.head
  expect(logViolations(edit)).toEqual([])
  const [asked] = other.effects.filter(({ spec }) => spec.kind === 'model.call')
  const asking = { ...edit, effects: asked ? [asked] : [] }
  expect(logViolations(asking)).toContain(
    `I23 the edit ${runId} asked for model.call ${asked?.effectId}`,
  )
  const turn = other.log.find(({ type }) => type === 'model.completed')
  const answered = { ...edit, log: turn ? [...edit.log, turn] : [] }
  expect(logViolations(answered)).toContain(
    `I23 the edit ${runId} has model.completed at ${turn?.seq}`,
  )
})
