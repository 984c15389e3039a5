/**
 * What is worth saying of a verdict on one line, by type: what safety, guardrails, policies, humans, the loop check and
 * budgets decided. Who or what decided, and about what; never arguments, and never the words of a model.
 */
import { at, listAt, textAt, timeAt, withWord } from './payload.ts'

/** The details of an event, most important first. What people and policies wrote is said with `verbose` only. */
export type Detail = (payload: unknown, verbose: boolean) => readonly string[]

/** Names of calls, `a, b`. */
const namesOf = (calls: readonly unknown[]): string =>
  calls.map((call) => textAt(call, 'name')).join(', ')

const taken: Detail = (payload) => [withWord('calls taken out:', namesOf(listAt(payload, 'calls')))]

const words =
  (verbose: boolean, ...path: readonly string[]) =>
  (payload: unknown): string =>
    verbose ? textAt(payload, ...path) : ''

/** The name of the policy, unless the agent's own lists decided. */
const policy = (payload: unknown): string => withWord('by', textAt(payload, 'policyId'))

const trip: Detail = (payload, verbose) => [
  textAt(payload, 'trip', 'guardrail', 'id'),
  withWord('in', textAt(payload, 'trip', 'partType')),
  ...taken(payload, verbose),
]

const loops: Readonly<Record<string, string>> = {
  identical_call_set: 'times the same calls',
  tool_frequency: 'calls of one tool',
  alternating_cycle: 'rounds of the same two sets',
  stagnant_results: 'sets with the same results',
}

const loop: Detail = (payload) => {
  const layer = textAt(payload, 'layer') || 'identical_call_set'
  const tools = listAt(payload, 'tools').filter((name) => typeof name === 'string')
  const names = [...new Set(tools)].slice(0, 8).join(', ')
  return [
    `${layer}: ${textAt(payload, 'count')} ${loops[layer] ?? 'times'}`,
    names === '' ? '' : `(${names})`,
  ]
}

const budget: Detail = (payload) => [
  textAt(payload, 'budget'),
  `${textAt(payload, 'used')} of ${textAt(payload, 'limit')}`,
]

/** `2 allowed, 1 denied`. */
function countEffects(decisions: readonly unknown[]): string {
  const effects = decisions.map((decision) => textAt(decision, 'answer', 'effect'))
  return ['allow', 'warn', 'deny', 'require_approval']
    .map((effect) => [effects.filter((each) => each === effect).length, effect] as const)
    .filter(([number]) => number > 0)
    .map(([number, effect]) => `${number} ${effect}`)
    .join(', ')
}

/** Details of verdicts by type of event. */
export const verdictDetails: Readonly<Record<string, Detail>> = {
  'safety.suppressed': taken,
  'turn.cut': (payload, verbose) => [
    textAt(payload, 'verdict'),
    ...taken(payload, verbose),
    textAt(payload, 'error', 'message'),
    textAt(payload, 'reason', 'detail'),
  ],
  'turn.continued': (payload) => [`after turn ${textAt(payload, 'turn')} reached its length`],
  'answer.missing': (payload) => [`turn ${textAt(payload, 'turn')} said nothing, twice`],
  'guardrail.tripped': (payload, verbose) => [
    ...trip(payload, verbose),
    `correction ${textAt(payload, 'correction')}`,
    words(verbose, 'trip', 'feedback')(payload),
  ],
  'guardrail.redacted': (payload) => [
    textAt(payload, 'guardrail', 'id'),
    `${textAt(payload, 'count')} × ${textAt(payload, 'kind')}`,
    `in ${textAt(payload, 'place')}`,
  ],
  'guardrail.stopped': (payload, verbose) => [
    ...trip(payload, verbose),
    `after ${textAt(payload, 'corrections')} corrections`,
    words(verbose, 'trip', 'feedback')(payload),
  ],
  'call.denied': (payload, verbose) => [
    textAt(payload, 'code'),
    policy(payload),
    words(verbose, 'message')(payload),
  ],
  'tool.denied': (payload, verbose) => [
    textAt(listAt(payload, 'answer', 'reasons')[0], 'code'),
    policy(at(payload, 'answer')),
    textAt(payload, 'configuration') === 'current'
      ? 'right before its execution, by the configuration of the worker'
      : 'right before its execution',
    words(verbose, 'message')(listAt(payload, 'answer', 'reasons')[0]),
  ],
  'policy.answered': (payload) => {
    const decisions = listAt(payload, 'decisions')
    const faults = decisions.flatMap((decision) => listAt(decision, 'faults')).length
    return [countEffects(decisions), faults === 0 ? '' : `${faults} could not answer`]
  },
  'policy.warned': (payload, verbose) => [
    textAt(payload, 'code'),
    policy(payload),
    words(verbose, 'message')(payload),
  ],
  'policy.faulted': (payload, verbose) => [
    textAt(payload, 'policyId'),
    'could not answer',
    words(verbose, 'message')(payload),
  ],
  'approval.requested': (payload, verbose) => [
    textAt(payload, 'approvalId') || textAt(payload, 'callId'),
    policy(payload),
    withWord('until', timeAt(payload, 'expiresAt')),
    words(verbose, 'reason')(payload),
  ],
  'approval.answered': (payload, verbose) => [
    textAt(payload, 'decision'),
    textAt(payload, 'callId'),
    withWord('by', textAt(payload, 'by', 'id')),
    withWord('for', reach(textAt(payload, 'scope'))),
    words(verbose, 'note')(payload),
  ],
  'approval.reused': (payload) => [
    textAt(payload, 'callId'),
    withWord('approved before for', reach(textAt(payload, 'scope'))),
  ],
  'approval.expired': (payload) => [
    textAt(payload, 'approvalId') || textAt(payload, 'callId'),
    'nobody answered in time',
  ],
  'approval.skipped': (payload, verbose) => [
    textAt(payload, 'callId'),
    'nobody is asked in a rerun',
    policy(payload),
    words(verbose, 'reason')(payload),
  ],
  'rerun.stopped': (payload) => [textAt(payload, 'callId'), textAt(payload, 'reason')],
  'loop.warned': loop,
  'loop.stopped': loop,
  'budget.warned': budget,
  'budget.exhausted': budget,
  'budget.refused': budget,
}

/** How far an approval reaches; nothing is said of one that is for this call alone. */
function reach(scope: string): string {
  if (scope === 'run') return 'this run'
  return scope === 'always' ? 'always' : ''
}
