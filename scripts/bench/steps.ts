/** Where the time of a run alone goes: the way from each mark of a run to the next one, by what lies between. */
import { median, round } from './cost.ts'
import type { Mark } from './messages.ts'

/** What is done on the way to a mark. Each way begins where the one before ended. */
const ways = {
  asked: null,
  /** The run is created, admitted and decided, and its model call claimed: one append. */
  created: 'create',
  /** Prompt, model, fact and the decision made of it: one append. */
  modelled: 'model',
  /** From the orchestrator to the worker. */
  hinted: 'dispatch',
  claimed: 'claim',
  /** Tool and fact. */
  reported: 'tool',
  /** Wake, load, decision and the claim of the next model call. */
  decided: 'decide',
} as const satisfies Record<Mark['what'], string | null>

export type Way = Exclude<(typeof ways)[Mark['what']], null>
export type Steps = Readonly<Record<Way, number>>

/** Median milliseconds of each way over all runs. */
export function stepsOf(marks: readonly Mark[]): Steps {
  const taken: Record<Way, number[]> = {
    create: [],
    model: [],
    dispatch: [],
    claim: [],
    tool: [],
    decide: [],
  }
  for (const ofRun of Map.groupBy(marks, (mark) => mark.runId).values()) {
    for (const [n, mark] of ofRun.entries()) {
      const way = ways[mark.what]
      const before = ofRun[n - 1]
      if (way !== null && before) taken[way].push(mark.at - before.at)
    }
  }
  const typical = (way: Way): number => round(median(taken[way]))
  return {
    create: typical('create'),
    model: typical('model'),
    dispatch: typical('dispatch'),
    claim: typical('claim'),
    tool: typical('tool'),
    decide: typical('decide'),
  }
}
