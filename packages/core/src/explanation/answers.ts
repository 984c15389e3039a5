/** The answers of the model: how each closed, and what was taken out of it. */
import type { FactPayload } from '../event/fact.ts'
import type { SuppressedCall } from '../turn.ts'
import type { ExplainedAnswer, GuardrailVerdict, SuppressedCalls } from './document.ts'
import type { VerdictType, Known } from './place.ts'
import { type AnswerStory, type AnsweredTurn, proofOf, type Story } from './story.ts'

export function explainAnswer(story: Story, about: AnswerStory): ExplainedAnswer {
  const { answer, step, verdicts, calls } = about
  const event = answer.type === 'erased' ? answer.event : answer
  const suppressed = suppressedIn(about)
  const ids = calls.map(({ id }) => id)
  return {
    ...unknownModel,
    turn: turnOf(story, about),
    effect_id: answer.type === 'erased' ? null : answer.payload.effectId,
    suppressed,
    guardrails: verdicts.flatMap(guardrailVerdict),
    calls: ids,
    ...toldOf(answer, { calls: ids.length, suppressed }),
    proof: proofOf(event),
    decided: [...(step ? [proofOf(step)] : []), ...verdicts.map(proofOf)],
  }
}

const unknownModel = { finish: null, provider: null, model: null, evidence: [], cut: null }

interface Counted {
  readonly calls: number
  readonly suppressed: readonly SuppressedCalls[]
}

function toldOf(answer: AnswerStory['answer'], counted: Counted) {
  switch (answer.type) {
    case 'model.completed':
      return closed(answer.payload, counted)
    case 'model.aborted':
      return {
        verdict: 'aborted' as const,
        says: 'The model call was taken back, or told to stop: the run was ending.',
      }
    case 'budget.refused': {
      const { budget, used, limit } = answer.payload
      const says = `The model was not asked: the tree of runs had used up its budget of ${budget} (${used} of ${limit}).`
      return { verdict: 'refused' as const, says }
    }
    case 'erased': {
      const by = answer.record
        ? `, by the record #${answer.record.seq}`
        : ', without a record in this log'
      return {
        verdict: 'erased' as const,
        says: `The answer was erased${by}: its calls are known only from what followed.`,
      }
    }
  }
}

function closed({ turn }: AnsweredTurn['payload'], { calls, suppressed }: Counted) {
  const { verdict, finish, provider, model, evidence, cut = null } = turn
  const taken = suppressed.reduce((sum, { count }) => sum + count, 0)
  const raw = finish ? (finish.raw ?? finish.unified) : null
  const how = raw === null ? '' : ` (${raw})`
  const says =
    verdict === 'complete'
      ? `The answer closed positively${how}. ${askedFor(calls)}`
      : `The answer did not close positively: ${words[verdict]}${kindOf(turn)}${how}. ${takenOut(taken)}`
  return {
    verdict,
    finish: finish && { unified: finish.unified, raw: finish.raw ?? null },
    provider,
    model,
    evidence,
    cut,
    says,
  }
}

/** One word of ours about an error. */
const kindOf = ({ verdict, error }: AnsweredTurn['payload']['turn']): string =>
  verdict === 'error' && error ? ` (${error.kind ?? error.class})` : ''

const counts = (n: number): string => (n === 1 ? 'One call' : `${n} calls`)

const askedFor = (n: number): string =>
  n === 0
    ? 'It asked for no call.'
    : n === 1
      ? 'It asked for one call, which is explained below.'
      : `It asked for ${n} calls, which are explained below.`

const takenOut = (n: number): string =>
  n === 0
    ? 'No call was taken out of it.'
    : `${counts(n)} ${n === 1 ? 'was' : 'were'} taken out before anything was recorded: nothing of that ran.`

type NotPositive = Exclude<FactPayload<'model.completed'>['turn']['verdict'], 'complete'>

const words: Readonly<Record<NotPositive, string>> = {
  length: 'it reached its length limit',
  safety: 'the provider stopped it for safety',
  refusal: 'the model refused',
  interrupted: 'the stream broke off',
  error: 'it ended with an error, or there was none',
  unknown_terminal: 'the provider ended it with a word that is not known',
  guardrail: 'a stream guardrail ended it',
}

/** From the answer, or where it was erased, from what was decided about it. */
function suppressedIn({ answer, verdicts }: AnswerStory): SuppressedCalls[] {
  const calls: readonly SuppressedCall[] =
    answer.type === 'model.completed'
      ? answer.payload.turn.suppressed
      : (verdicts.flatMap((each) => ('calls' in each.payload ? [each.payload.calls] : []))[0] ?? [])
  const byTool = new Map<string, number>()
  for (const { name } of calls) byTool.set(name, (byTool.get(name) ?? 0) + 1)
  return [...byTool].map(([tool, count]) => ({ tool, count }))
}

function turnOf(story: Story, { answer, verdicts }: AnswerStory): number | null {
  const effect = answer.type === 'erased' ? undefined : story.effects.get(answer.payload.effectId)
  if (effect?.kind === 'model.call') return effect.turn
  return verdicts.flatMap(({ payload }) => ('turn' in payload ? [payload.turn] : []))[0] ?? null
}

function guardrailVerdict(event: Known<VerdictType>): GuardrailVerdict[] {
  const proof = proofOf(event)
  if (event.type === 'guardrail.redacted') {
    const { guardrail, kind, place, count, tool = null } = event.payload
    return [{ verdict: 'redacted', guardrail: guardrail.id, kind, place, tool, count, proof }]
  }
  if (event.type !== 'guardrail.tripped' && event.type !== 'guardrail.stopped') return []
  const { guardrail, partType } = event.payload.trip
  const verdict = event.type === 'guardrail.tripped' ? 'tripped' : 'stopped'
  return [
    {
      verdict,
      guardrail: guardrail.id,
      kind: null,
      place: partType,
      tool: null,
      count: null,
      proof,
    },
  ]
}
