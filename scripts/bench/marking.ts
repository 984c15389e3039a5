/** Watches a run from where its facts and decisions are acknowledged, without asking the register anything. */
import type { AppendItem, AppendResult, Register } from '@signalbox/engine'
import { now, type Mark } from './messages.ts'

/** The register, with `seen` told of every append that was acknowledged. */
export function watched(
  register: Register,
  seen: (item: AppendItem, result: AppendResult) => void,
): Register {
  return {
    ...register,
    append: async (item) => {
      const result = await register.append(item)
      seen(item, result)
      return result
    },
  }
}

/** Marks what an append means for the run. Appends that mean nothing to the bench leave none. */
export function markOf(item: AppendItem, result: AppendResult): Mark | null {
  const fact = item.facts?.[0]
  const what = whatOf(item, result, fact?.type)
  return what === null ? null : { runId: item.runId, what, at: now() }
}

function whatOf(item: AppendItem, result: AppendResult, fact?: string): Mark['what'] | null {
  if (fact === 'run.created') return 'created'
  if (fact === 'model.completed') return 'modelled'
  if (fact === 'tool.completed') return 'reported'
  if (result.decisionCode === 'ok') return 'decided'
  return item.claims && !item.decision && result.claims[0]?.code === 'ok' ? 'claimed' : null
}

/** The outcome, if the append ended the run. */
export function endOf(item: AppendItem, result: AppendResult): string | null {
  return result.decisionCode === 'ok' ? (item.decision?.outcome ?? null) : null
}
