/**
 * Did a call run, and why? Told from its checks. A result is proof that it ran, whatever else is said; an attempt without
 * an end proves neither. What ended first stands, but for what nobody knew.
 */
import type { Check, Settled } from './check.ts'
import { type CallEnd, type ExplainedCall, proves, type Ran } from './document.ts'
import type { CallStory, Story } from './story.ts'
import { isRecall, reasonOf } from './reason.ts'

interface Found {
  readonly end: CallEnd
  readonly check: Check
}

/** How a call ended, and why. */
export function endingOf(
  story: Story,
  call: CallStory,
  checks: readonly Check[],
): Pick<ExplainedCall, 'ran' | 'end' | 'why'> {
  const found = decisiveIn(checks)
  const end = found?.end ?? openEnd(story, call, checks)
  const ran = ranBy(end, found?.check ?? null, checks)
  return {
    ran,
    end,
    why: reasonOf({ story, call, checks, ran, end, decisive: found?.check ?? null }),
  }
}

/** Failures that are told in the place of a tool that nobody heard of any more. */
const unheard = new Set(['mcp_connection_lost', 'mcp_no_answer', 'tool_host'])
/** Of an attempt that was lost before, what a later one says in these proves nothing. */
const doubtful: readonly CallEnd[] = ['denied_at_recheck', 'budget_refused', 'refused_by_worker']

function ranBy(end: CallEnd, decisive: Check | null, checks: readonly Check[]): Ran {
  // A recorded result is looked up, whatever comes of that: nothing executes.
  if (isRecall(checks)) return 'did_not_run'
  if (end === 'failed' && decisive?.check === 'outcome' && unheard.has(decisive.code ?? ''))
    return 'unknown'
  const attempts = checks.filter(({ check }) => check === 'attempt').length
  return attempts > 1 && doubtful.includes(end) ? 'unknown' : proves[end]
}

/** An event that was ignored ends nothing, unless nothing else does: a result of an attempt is one all the same. */
function decisiveIn(checks: readonly Check[]): Found | null {
  const ignored = new Set(
    checks.map((each) => (each.check === 'outcome' ? each.ignored_seq : null)),
  )
  const heard = checks.filter(({ proof }) => !ignored.has(proof.seq))
  const began = checks.some(({ check }) => check === 'attempt')
  return foundIn(heard) ?? (began ? foundIn(checks) : null)
}

function foundIn(checks: readonly Check[]): Found | null {
  let found: Found | null = null
  for (const [n, check] of checks.entries()) {
    if (check.check === 'outcome' && check.verdict === 'retry') found = null
    const end = endBy(check, checks.slice(0, n))
    if (end === null) continue
    const open = found === null || proves[found.end] === 'unknown'
    const isProof = proves[end] === 'ran' && found !== null && proves[found.end] !== 'ran'
    if (open || isProof) found = { end, check }
  }
  return found
}

function endBy(check: Check, before: readonly Check[]): CallEnd | null {
  switch (check.check) {
    case 'policy':
      return check.verdict === 'deny' ? 'denied' : null
    case 'denial':
      return denialEnds.get(check.code) ?? 'denied'
    case 'recheck':
      return 'denied_at_recheck'
    case 'loop':
      return check.verdict === 'stopped' ? 'loop_stopped' : null
    case 'budget':
      return budgetEnds[check.verdict]
    case 'outcome':
      return settledEnd(check, before)
    case 'erased':
      return erasedEnd(check, before)
    case 'close':
    case 'guardrails':
    case 'approval':
    case 'dispatch':
    case 'attempt':
      return null
  }
}

const denialEnds: ReadonlyMap<string, CallEnd> = new Map([
  ['rejected', 'rejected'],
  ['approval_expired', 'expired'],
])

const budgetEnds = {
  no_objection: null,
  exhausted: 'budget_exhausted',
  refused: 'budget_refused',
} as const

/** Codes with which a worker, or its tool host, refuses a call before it executes. */
const refusals = new Set([
  'call_changed',
  'unknown_tool',
  'tool_version_mismatch',
  'invalid_arguments',
  'mcp_unavailable',
])

function settledEnd({ verdict, code }: Settled, before: readonly Check[]): CallEnd | null {
  switch (verdict) {
    case 'asked':
    case 'child_started':
    case 'ignored':
    case 'retry':
      return null
    case 'failed': {
      const awaits = before.some(
        (each) => each.check === 'dispatch' && each.verdict === 'start_run',
      )
      const began = before.some(
        (each) => each.check === 'outcome' && each.verdict === 'child_started',
      )
      return (awaits && !began) || refusals.has(code ?? '') ? 'refused_by_worker' : 'failed'
    }
    // The event that came too late was a result, or only the word that there is none.
    case 'late':
      return code === 'tool.completed' || code === 'tool.failed' ? 'late' : null
    default:
      return verdict
  }
}

const erasedEnds: ReadonlyMap<string, CallEnd> = new Map([
  ['tool.completed', 'completed'],
  ['tool.failed', 'failed'],
  ['tool.denied', 'denied_at_recheck'],
  ['tool.aborted', 'aborted'],
  ['tool.unknown', 'unknown'],
  ['child.ended', 'child_ended'],
  ['recall.missed', 'recall_missed'],
  ['todo.written', 'completed'],
  ['input.answered', 'answered'],
  ['input.expired', 'unanswered'],
])

/** The columns of an erased event prove how it ended, not more. */
function erasedEnd(
  { proof, verdict }: Extract<Check, { check: 'erased' }>,
  before: readonly Check[],
): CallEnd | null {
  if (proof.type === 'tool.resolved')
    return verdict === 'happened' || verdict === 'not_happened' ? verdict : null
  const end = erasedEnds.get(proof.type) ?? null
  const isEnd = end !== null && (proves[end] === 'ran' || end === 'denied_at_recheck')
  return isEnd && isRecall(before) ? 'recalled' : end
}

/** No event says how it ended: where it stands. */
function openEnd(story: Story, call: CallStory, checks: readonly Check[]): CallEnd {
  const ended = story.steps.some(({ payload }) => payload.outcome !== null)
  const has = (name: Check['check']) => checks.some(({ check }) => check === name)
  if (has('attempt') && !isRecall(checks)) return ended ? 'unknown' : 'running'
  const leaves = ended || isLeaving(story)
  if (has('attempt')) return leaves ? 'cut_off' : 'waiting'
  if (has('dispatch')) return leaves ? 'never_started' : 'waiting'
  if (checks.some((each) => each.check === 'outcome' && each.code === 'model.completed'))
    return 'ignored'
  if (leaves) return 'cut_off'
  if (checks.some((each) => each.check === 'outcome' && each.verdict === 'asked'))
    return 'waiting_for_answer'
  if (checks.some((each) => each.check === 'approval' && each.verdict === 'asked'))
    return 'waiting_for_approval'
  if (has('policy')) return 'waiting_for_policies'
  return call.answer?.step ? 'cut_off' : 'undecided'
}

/** From here on nothing new begins, and nobody is asked any more. */
const isLeaving = ({ steps }: Story): boolean => steps.at(-1)?.payload.path.at(-1) === 'cancelling'
