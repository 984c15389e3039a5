/** What stored logs must show between them: every outcome, every way a human, a policy or a guardrail can step in. */
import type { JsonObject } from '@signalbox/core'

/** Outcomes of runs, types of events, and types with their verdicts, codes or reasons. */
export const features = [
  'budget_exhausted',
  'cancelled',
  'completed',
  'failed',
  'guardrail_stopped',
  'interrupted',
  'length_stopped',
  'loop_stopped',
  'refused',
  'rolled_back',
  'safety_stopped',
  'timed_out',
  'answer.missing',
  'approval.answered approve',
  'approval.answered edit',
  'approval.answered reject',
  'approval.expired',
  'approval.requested',
  'approval.reused always',
  'approval.reused run',
  'budget.exhausted calls',
  'budget.exhausted money',
  'budget.exhausted tokens',
  'budget.exhausted turns',
  'budget.refused calls',
  'budget.refused money',
  'budget.refused tokens',
  'budget.refused turns',
  'budget.warned',
  'call.denied',
  'call.denied too_deep',
  'cancel.requested parent',
  'child.ended budget_exhausted',
  'child.ended cancelled',
  'child.ended completed',
  'child.ended failed',
  'child.ended timed_out',
  'child.started',
  'context.compacted',
  'context.exhausted',
  'context.pruned',
  'context.unchanged',
  'event.ignored',
  'files of a result',
  'files of a run',
  'files of an edit',
  'guardrail.stopped',
  'guardrail.tripped',
  'input.injected',
  'input.left',
  'input.taken',
  'loop.stopped',
  'loop.warned',
  'model.replaced',
  'model.retried',
  'policy.answered allow',
  'policy.answered deny',
  'policy.faulted',
  'run.created by a run',
  'run.created title made',
  'run.created title open',
  'safety.suppressed',
  'thread.titled model',
  'thread.titled words',
  'title.unchanged failed',
  'title.unchanged guardrail',
  'tool.aborted',
  'tool.denied',
  'tool.failed',
  'tool.resolved',
  'tool.unknown',
  'turn.continued',
  'turn.cut',
] as const

export type Feature = (typeof features)[number]

interface Shown {
  readonly type: string
  readonly verdict?: string | null | undefined
  readonly payload: JsonObject
}

/** The origin of files: a result of a call, a run that is given some, or an edit. */
function givenBy({ type, payload }: Pick<Shown, 'type' | 'payload'>): string {
  if (type === 'tool.completed') return 'a result'
  return payload['edit'] === undefined ? 'a run' : 'an edit'
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const wordsOf = ({ type, verdict, payload }: Shown): readonly string[] => [
  type,
  ...[verdict, payload['code'], payload['reason']].flatMap((word) =>
    typeof word === 'string' ? `${type} ${word}` : [],
  ),
  ...(payload['parent'] ? [`${type} by a run`] : []),
  ...(payload['files'] === undefined ? [] : [`files of ${givenBy({ type, payload })}`]),
  ...(type === 'run.created' && payload['title']
    ? [`${type} title ${text(payload['title'])}`]
    : []),
]

/** The features of a log. */
export function featuresOf(outcome: string | null, events: readonly Shown[]): ReadonlySet<Feature> {
  const words = new Set([outcome ?? '', ...events.flatMap(wordsOf)])
  return new Set(features.filter((feature) => words.has(feature)))
}
