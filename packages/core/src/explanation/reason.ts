/** Why a call ran or did not, as a sentence in which each claim names its event. */
import { whoOf } from './approvals.ts'
import type { Check } from './check.ts'
import type { CallEnd, Ran } from './document.ts'
import { endOfRun } from './end-of-run.ts'
import type { CallStory, Story } from './story.ts'

/** Is the recorded result of the call looked up, in a rerun? Then nothing executes. */
export const isRecall = (checks: readonly Check[]): boolean =>
  checks.some((each) => each.check === 'dispatch' && each.verdict === 'recall')

export interface Case {
  readonly story: Story
  readonly call: CallStory
  readonly checks: readonly Check[]
  readonly ran: Ran
  readonly end: CallEnd
  /** The check that says how it ended; null where none does. */
  readonly decisive: Check | null
}

const at = ({ proof }: Pick<Check, 'proof'>): string => `(#${proof.seq})`

/** A sentence with its event: the number stands before the full stop. */
const cited = (check: Check): string => `${check.says.replace(/\.$/, '')} ${at(check)}.`

export function reasonOf(about: Case): string {
  const { ran, checks, end, decisive } = about
  if (end === 'by_provider')
    return `It ran outside of this system. ${decisive ? cited(decisive) : ''}`.trim()
  if (ran === 'ran')
    return [`It ran: ${groundsOf(checks)}.`, ...attemptsOf(checks), ...endsOf(about)].join(' ')
  if (ran === 'unknown')
    return ['It is not known whether it ran.', ...attemptsOf(checks), ...endsOf(about)].join(' ')
  return ['It did not run.', ...endsOf(about)].join(' ')
}

/** The grounds on which a call went on. */
function groundsOf(checks: readonly Check[]): string {
  const close = checks.find((each) => each.check === 'close')
  const redacted = checks.filter(
    (each) =>
      each.check === 'guardrails' && each.verdict === 'redacted' && each.place === 'arguments',
  )
  const warned = checks.find((each) => each.check === 'loop' && each.verdict === 'warned')
  const grounds = [
    close
      ? `the answer that asked for it closed positively ${at(close)}`
      : 'the answer that asked for it is not readable any more',
    ...(redacted.length > 0
      ? [`guardrails took something out of its arguments first ${redacted.map(at).join(' ')}`]
      : []),
    ...(warned ? [`the loop check only warned ${at(warned)}`] : []),
    permissionOf(checks),
  ]
  return `${grounds.slice(0, -1).join(', ')}, and ${grounds.at(-1)}`
}

function permissionOf(checks: readonly Check[]): string {
  const seqs = checks.flatMap((each) => (each.check === 'dispatch' ? [each.approval_seq] : []))
  const human = checks.findLast(
    (each) =>
      each.check === 'approval' && (each.verdict === 'reused' || seqs.includes(each.proof.seq)),
  )
  if (human?.check === 'approval') {
    if (human.verdict === 'reused')
      return `an approval that a person had given before stands for it ${at(human)}`
    const what =
      human.verdict === 'edited'
        ? 'replaced its arguments and allowed those'
        : 'approved exactly these arguments'
    return `${whoOf(human)} ${what} ${at(human)}`
  }
  const gone = checks.find(
    (each) => each.check === 'erased' && each.proof.type === 'approval.answered',
  )
  if (gone) return `a person answered, whose words were erased ${at(gone)}`
  const asked = checks.findLast((each) => each.check === 'policy' && each.verdict === 'allow')
  if (asked?.check === 'policy' && asked.policy_id !== null)
    return `the policy ${asked.policy_id} allows it ${at(asked)}`
  return asked
    ? `no policy of the pinned definition objected ${at(asked)}`
    : 'nothing that is recorded stood against it'
}

function attemptsOf(checks: readonly Check[]): readonly string[] {
  const attempts = checks.filter((each) => each.check === 'attempt')
  if (attempts.length === 0) return []
  const seqs = attempts.map((each) => `#${each.proof.seq} by ${each.worker}`).join(', ')
  return [
    attempts.length === 1
      ? `One attempt began (${seqs}).`
      : `${attempts.length} attempts began (${seqs}).`,
  ]
}

/** The words where no event says how the call ended. */
const open: Readonly<Partial<Record<CallEnd, string>>> = {
  running: 'The log does not say yet how it ended.',
  unknown: 'The run ended before the log said how the call did.',
  waiting: 'It waits for a worker.',
  waiting_for_approval: 'It waits for the answer of a person.',
  waiting_for_answer: 'It asks a person, and waits for the answer.',
  waiting_for_policies: 'It waits for the answer of the policies.',
  undecided: 'The answer that asked for it has not been decided yet.',
  never_started: 'The run ended before an attempt of it began.',
  cut_off: 'The run ended before it could begin.',
}

/** The same of a call whose recorded result is looked up. */
const openRecall: typeof open = {
  ...open,
  waiting: 'Its recorded result has not been looked up yet.',
  cut_off: 'The run ended before its recorded result was found.',
}

function openWords({ checks, end }: Case, isOver: boolean): string {
  const words = (isRecall(checks) ? openRecall : open)[end] ?? ''
  return isOver ? words : words.replace('The run ended', 'The run was to end')
}

function endsOf(about: Case): readonly string[] {
  const { story, checks, end, decisive } = about
  const human = checks.findLast(
    (each) =>
      each.check === 'approval' &&
      (end === 'rejected' || end === 'expired') &&
      each.verdict === end,
  )
  const said = human ?? decisive
  const doubts = checks.filter(
    (each) => each.check === 'outcome' && each !== said && contradicts(each, end),
  )
  if (said) return [cited(said), ...doubts.map(cited)]
  const ignored = checks.find((each) => each.check === 'outcome' && each.code === 'model.completed')
  if (end === 'ignored' && ignored) return [cited(ignored)]
  const { why, proofs, outcome } = endOfRun(story)
  const wasCut = end === 'cut_off' || end === 'never_started' || end === 'unknown'
  const because = wasCut && proofs.length > 0 ? [why] : []
  return [openWords(about, outcome !== null), ...because].filter((text) => text !== '')
}

/** Another word on whether it happened: both are said. */
const contradicts = (check: Check, end: CallEnd): boolean =>
  check.check === 'outcome' &&
  ((check.verdict === 'unknown' && end !== 'unknown') ||
    check.verdict === 'late' ||
    (end === 'late' && check.verdict === 'not_happened'))
