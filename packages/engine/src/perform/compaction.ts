/**
 * Performing a compaction: a model sums up what was said before a moment; one fact holds the summary and the moment, or says why there is
 * none. Nobody sees it stream, and nothing that it asks for is executed.
 *
 * X1 A failure changes nothing (C4): whatever goes wrong is a `context.unchanged` with its reason.
 * X2 What is kept has passed the stream guardrails of the agent, as an answer would (C8); there is no correction. The fact tells what they took
 *    out of it.
 * X3 A summary is bounded, and smaller than half of what it replaces. By hand, nobody is asked where it can hardly be.
 * X4 It is paid for: reserved in the budget of the tree, and no turn. What the decision allows is for all of it: each request, what is thought,
 *    the words, and a second try. Where a request alone would use it up, it is not made.
 */
import {
  bytesPerToken,
  callsOf,
  checkPairing,
  clearRule,
  type ConversationPart,
  defaultContext,
  escapedOnce,
  type FactPayload,
  keptCut,
  marksOf,
  type ModelConfig,
  modelOf,
  type ModelTurn,
  type Moment,
  NewerError,
  summaryModelOf,
  tokensOf,
  type Usage,
  windowOf,
} from '@signalbox/core'
import { AbortError, messageOf, TerminalError } from '../errors.ts'
import type { FactDraft, ThreadRef } from '../ports.ts'
import {
  askTwice,
  type CompactionDeps,
  type CompactionTask,
  leftFor,
  type Requests,
  summaryMost,
} from './ask-summary.ts'
import {
  serialisedRequest,
  sharedRequest,
  type SummaryRequest,
  taskBytes,
} from './compaction-prompt.ts'
import { originOf } from './evidence.ts'
import { bytesOfKept, keptSkills } from './kept-skills.ts'
import type { Held } from './leases.ts'
import { jsonBytes } from './measure.ts'
import { type PromptDraft, promptOf, promptSteps } from './prompt-steps.ts'
import { type Refused, requestLength } from './reservation.ts'
import { believedTokens, bptIn, inTokens, learnedIn } from './room.ts'

type Unchanged = Pick<
  FactPayload<'context.unchanged'>,
  'reason' | 'error' | 'guardrail' | 'provider' | 'model' | 'images'
>

/** The end of a compaction. */
type Summed =
  | { readonly kept: Kept; readonly usage: Usage }
  | { readonly unchanged: Unchanged; readonly usage: Usage }
  | { readonly refused: Refused }

type Kept = Omit<FactPayload<'context.compacted'>, 'effectId' | 'attempt' | 'usage' | 'durationMs'>

/** Makes the summary and answers the fact about it. Null: the signal was aborted for another reason than a cancel. */
export async function performCompaction(
  deps: CompactionDeps,
  task: CompactionTask,
  held: Held,
): Promise<FactDraft | null> {
  const { writer } = deps
  const { effect, attempt } = task
  const about = { effectId: effect.id, attempt }
  const fence = { ...about, expect: 'started', becomes: 'done' } as const
  const began = deps.clock.monotonic()
  const passed = (): number => Math.round(deps.clock.monotonic() - began)
  const unchanged = (why: Unchanged, usage: Usage): FactDraft =>
    writer.fact(
      'context.unchanged',
      { ...about, ...why, usage, durationMs: passed() },
      { key: effect.id, fence, verdict: why.reason },
    )
  try {
    const summed = await sumUp(deps, task, held)
    if ('refused' in summed) {
      const { budget, used, limit } = summed.refused
      const refusal = { ...about, expect: 'started', becomes: 'cancelled' } as const
      return writer.fact(
        'budget.refused',
        { ...about, budget, used, limit },
        { key: effect.id, fence: refusal, verdict: budget },
      )
    }
    const { usage } = summed
    if ('unchanged' in summed) return unchanged(summed.unchanged, usage)
    const payload = { ...about, ...summed.kept, usage, durationMs: passed() }
    return writer.fact('context.compacted', payload, {
      key: effect.id,
      fence,
      verdict: 'compacted',
    })
  } catch (error) {
    if (error instanceof NewerError) throw error
    const cause = held.signal.reason instanceof AbortError ? held.signal.reason.abortCause : null
    if (cause === 'cancelled') return unchanged({ reason: 'aborted' }, {})
    if (cause !== null) return null
    return unchanged({ reason: 'failed', error: ours(messageOf(error)) }, {})
  }
}

/** An error of ours: nobody could be asked. */
const ours = (message: string): NonNullable<ModelTurn['error']> => ({
  class: 'invalid_request',
  kind: 'internal',
  retryable: false,
  message: message.slice(0, 2_000),
})

/** The place up to which a conversation is summed up, and what is known of the model that does it. */
interface Place {
  readonly through: Moment
  readonly writer: ModelConfig
  readonly bpt: number
  /** Tokens that a request of that model may have. */
  readonly room: number
  /** Is its window known? */
  readonly isBounded: boolean
}

async function sumUp(deps: CompactionDeps, task: CompactionTask, held: Held): Promise<Summed> {
  // The prompt of a run that was created for this ends with an answer; with the task behind it, it is whole.
  const draft = await promptOf(deps, task, unchecked)
  const summed = await sumUpDraft(deps, task, { draft, held })
  const images = draft.images().length
  if (!('unchanged' in summed) || images === 0) return summed
  return { ...summed, unchanged: { ...summed.unchanged, images } }
}

async function sumUpDraft(
  deps: CompactionDeps,
  task: CompactionTask,
  { draft, held }: { readonly draft: PromptDraft; readonly held: Held },
): Promise<Summed> {
  const { agent, effect } = task
  const place = placeIn(task, draft)
  const whole = place && (await wholePart(deps, task, { draft, through: place.through }))
  if (!place || !whole) return { unchanged: { reason: 'no_gain' }, usage: {} }
  const { events } = draft
  const skills = await keptSkills(deps, task, { events, through: place.through, part: whole })
  const part = without(whole, bytesOfKept(skills))
  if (part.bytes === 0 || (!effect.through && isLittle(part)))
    return { unchanged: { reason: 'no_gain' }, usage: {} }
  const { request, shorter } = requestsFor(task, { draft, part, place })
  const violations = checkPairing(request.prompt)
  if (violations.length > 0) throw new TerminalError('unpaired', JSON.stringify(violations))
  const { writer: model, bpt } = place
  const asked = { request, shorter, model, bpt, draft, held, tokensMax: effect.maxTokens }
  if (leftFor(request, asked) <= 0) return { unchanged: { reason: 'cap' }, usage: {} }
  const { turn, how, usage } = await askTwice(deps, task, asked)
  if ('code' in turn) return { refused: turn }
  const by = { provider: turn.provider, model: turn.model }
  const objection = objectionTo(turn)
  if (objection) return { unchanged: { ...objection, ...by }, usage }
  const words = textOf(turn)
  const summaryTokens = tokensOfWords(words, turn, bpt)
  if (summaryTokens > summaryMost(agent)) return { unchanged: { reason: 'too_long', ...by }, usage }
  const { appendix, sources } = draft.past(place.through)
  const bytes = jsonBytes(words) + jsonBytes(appendix)
  if (bytes * gainMin > part.bytes) return { unchanged: { reason: 'no_gain', ...by }, usage }
  const { prompt, measured: size } = draft
  const length = requestLength({ prompt, promptBytes: size.bytes, tools: agent.tools })
  const before = tokensOf(length, bpt)
  const after = Math.max(0, before - tokensOf(part.bytes - bytes, bpt))
  const kept: Kept = {
    through: place.through,
    keep: { runId: place.through.runId, seq: place.through.seq + 1 },
    summary: await deps.content.spill(task, [{ type: 'text', text: words }]),
    appendix,
    ...(skills.length > 0 ? { skills } : {}),
    ...wordsOf(part),
    ...instructionsOf(part),
    ...(part.memory ? { memory: part.memory } : {}),
    sources,
    tokens: { before, after, summary: summaryTokens },
    how,
    ...redactionsOf(turn),
    ...by,
  }
  return { kept, usage }
}

/** The same part, where so many bytes of it are said again and do not give way. */
const without = (part: ConversationPart, bytes: number): ConversationPart => ({
  ...part,
  bytes: Math.max(0, part.bytes - bytes),
  summaryBytes: Math.max(0, part.summaryBytes - bytes),
})

/** The newest words of a user, which stand behind the summary as they were said. */
function wordsOf({ words, earlierWords }: ConversationPart): Pick<Kept, 'words' | 'earlierWords'> {
  if (!words) return {}
  const copyOf = ({ id, parts }: typeof words) => ({ id, parts: [...parts] })
  const earlier = earlierWords.map(copyOf)
  return { words: copyOf(words), ...(earlier.length > 0 ? { earlierWords: earlier } : {}) }
}

/** The redactions of the words. Thoughts are no part of a summary. */
function redactionsOf({ redactions = [] }: ModelTurn): Pick<Kept, 'redactions'> {
  const ofWords = redactions.filter(({ place }) => place === 'text')
  return ofWords.length > 0 ? { redactions: ofWords } : {}
}

/** The system messages of clients, and how many more there were. */
function instructionsOf({
  instructions: { texts, leftOut },
}: ConversationPart): Pick<Kept, 'instructions' | 'instructionsLeftOut'> {
  return {
    ...(texts.length > 0 ? { instructions: [...texts] } : {}),
    ...(leftOut > 0 ? { instructionsLeftOut: leftOut } : {}),
  }
}

/** The part of the conversation that is summed up, long words that stand elsewhere read back: what was erased stays head and tail. */
async function wholePart(
  { content }: Pick<CompactionDeps, 'content'>,
  thread: ThreadRef,
  { draft, through }: { readonly draft: PromptDraft; readonly through: Moment },
): Promise<ConversationPart> {
  const part = draft.part(through)
  const texts = new Map<string, string>()
  for (const key of part.blobs) {
    const text = await content.read(thread, key)
    if (text !== null) texts.set(key, text)
  }
  return texts.size === 0 ? part : draft.part(through, texts)
}

/**
 * Tokens of the words of a summary. What was thought before them is in the count of the answer, and is no part of it: where nobody says how
 * much that was, their length counts.
 */
function tokensOfWords(words: string, { usage, message }: ModelTurn, bpt: number): number {
  const { outputTokens, reasoningTokens = 0 } = usage
  const bytes = jsonBytes(words)
  const hasThought = message.parts.some(({ type }) => type === 'reasoning')
  const isCounted = outputTokens !== undefined && (reasoningTokens > 0 || !hasThought)
  return isCounted ? believedTokens(outputTokens - reasoningTokens, bytes) : tokensOf(bytes, bpt)
}

const unchecked = promptSteps.filter(({ name }) => name !== 'pairing')

/** Where it is cut: where the decision says, or, by hand, where a run would. Null: nothing can be. */
function placeIn({ agent, effect, runId }: CompactionTask, draft: PromptDraft): Place | null {
  const writer = summaryModelOf(agent, effect.model)
  const learned = learnedIn(draft.overflows, { runId, model: writer })
  const marks = marksOf(agent.context ?? defaultContext, writer, learned)
  const bpt = bptIn(draft.events, writer) ?? bytesPerToken.unknown
  const cuts = effect.through ? [] : draft.cuts(clearRule(agent, marks, false), 1)
  const chosen = keptCut(
    cuts.map((cut) => inTokens(cut, bpt)),
    { least: 1, tokens: marks.keep },
  )
  const through = effect.through ?? chosen?.at
  const isBounded = windowOf(writer, learned) !== null
  return through ? { through, writer, bpt, room: marks.room, isBounded } : null
}

function requestsFor(
  { agent, effect }: CompactionTask,
  {
    draft,
    part,
    place,
  }: { readonly draft: PromptDraft; readonly part: ConversationPart; readonly place: Place },
): Requests {
  const instructions =
    originOf(draft.created).compact?.instructions ?? agent.context?.compact.instructions
  const asked = { agent, instructions }
  const isOwn = place.writer === modelOf(agent, effect.model)
  const bytes = Math.floor((place.room * place.bpt) / 100)
  const written = (share: number) => serialisedRequest(part, asked, bytes * share)
  const mayShare = isOwn && !effect.overflow && part.clean !== 0
  const shared = mayShare && sharedRequest(draft.prompt, part, asked)
  return shared && fits(shared, place)
    ? { request: shared, shorter: () => written(1) }
    : { request: written(1), shorter: () => written(0.5) }
}

/** A turn may have added more than the window holds: behind such a request nobody can be asked for anything. */
const fits = (request: SummaryRequest, { bpt, room, isBounded }: Place): boolean =>
  !isBounded || tokensOf(requestLength(request), bpt) <= room

/** A summary is at most half of what it replaces. */
const gainMin = 2

/**
 * Is there too little to gain? The next summary takes over what counts of an earlier one, so it is hardly shorter than that; and a part
 * that is shorter than the task is not worth to be asked for.
 */
const isLittle = ({ bytes, summaryBytes }: ConversationPart): boolean =>
  bytes < Math.max(taskBytes, summaryBytes * gainMin)

/** Why an answer is no summary; null if it may be one. */
function objectionTo(turn: ModelTurn): Unchanged | null {
  switch (turn.verdict) {
    case 'complete':
      if (callsOf(turn).length > 0) return { reason: 'calls' }
      return textOf(turn) === '' ? { reason: 'empty' } : null
    case 'safety':
    case 'refusal':
      return { reason: 'safety' }
    case 'guardrail':
      return { reason: 'guardrail', ...(turn.trip ? { guardrail: turn.trip.guardrail } : {}) }
    case 'length':
      return { reason: turn.suppressed.length > 0 ? 'calls' : 'too_long' }
    default:
      return { reason: 'failed', ...(turn.error ? { error: turn.error } : {}) }
  }
}

/** The words of an answer, trimmed and escaped: they will stand in a block of data. What repeats an earlier summary is escaped already. */
const textOf = ({ message }: ModelTurn): string =>
  escapedOnce(
    message.parts
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('\n')
      .trim(),
  )
