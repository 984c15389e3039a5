/** What stored logs must show between them: every outcome, every way a human, a policy or a guardrail can step in. */

/** Outcomes of runs, types of events, and types with their verdicts. */
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
  'budget.exhausted money',
  'budget.exhausted tokens',
  'budget.exhausted turns',
  'budget.warned',
  'call.denied',
  'event.ignored',
  'guardrail.stopped',
  'guardrail.tripped',
  'loop.stopped',
  'loop.warned',
  'model.replaced',
  'model.retried',
  'policy.answered allow',
  'policy.answered deny',
  'policy.faulted',
  'safety.suppressed',
  'tool.aborted',
  'tool.denied',
  'tool.failed',
  'tool.resolved',
  'tool.unknown',
  'turn.continued',
  'turn.cut',
] as const

export type Feature = (typeof features)[number]

/** The features of a log. */
export function featuresOf(
  outcome: string | null,
  events: readonly { readonly type: string; readonly verdict?: string | null | undefined }[],
): ReadonlySet<Feature> {
  const words = new Set([
    outcome ?? '',
    ...events.flatMap(({ type, verdict }) => [type, `${type} ${verdict}`]),
  ])
  return new Set(features.filter((feature) => words.has(feature)))
}
