/**
 * One attempt to make the title of a thread, after its run has ended. It records a note, since the run may take no facts any more.
 *
 * N1 Nothing but the run itself is read, so that nothing is told of what was said before and is not to be told.
 * N2 A title that a person gave stands, and so does that of a run that has completed before: the note says so, and no model is asked.
 * N3 A failure leaves the title as it is. Its note holds nothing of what the model answered.
 * N4 What is answered is judged by the stream guardrails of the agent, once more as it would be shown, and is on no stream.
 * N5 A provider that can is held to answer one field. Where it refuses such a request, it is asked once more for words.
 */
import {
  type AgentDefinition,
  callsOf,
  factSchemas,
  givenPaths,
  type JsonObject,
  limits,
  type ModelConfig,
  type ModelTurn,
  NewerError,
  type NotePayload,
  payloadOf,
  type Prompt,
  saidTexts,
  titleAnswer,
  type TitleEffect,
  titleIn,
  titlePrompt,
  type TitleRefusal,
  untitled,
  type Usage,
} from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type {
  AppendItem,
  Clock,
  EffectRow,
  Log,
  Model,
  ModelRequest,
  Random,
  Register,
  StoredEvent,
  StreamGuardrails,
  ThreadTitle,
} from '../ports.ts'
import type { Digests } from '../record/digests.ts'
import type { Writer } from '../record/draft.ts'
import { type Breaker, circuitOf } from './breaker.ts'
import { originOf } from './evidence.ts'
import { guardedTitle, objectionTo } from './guarded-words.ts'
import { streamGuardOf } from './guard.ts'
import type { Held } from './leases.ts'
import { withUsage } from './reservation.ts'

export interface TitleDeps {
  readonly model: Model
  readonly register: Pick<Register, 'head' | 'events' | 'threadTitle'>
  readonly breaker: Breaker
  readonly guardrails: StreamGuardrails
  readonly digests: Digests
  readonly writer: Writer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The data that a title is made of, as they were read before the claim. */
export interface Titled {
  readonly agent: AgentDefinition
  /** The title of the thread; null: the thread is deleted. */
  readonly title: ThreadTitle | null
  /** The first texts of the user, and the answer of the run; empty where there is none, or it was erased. */
  readonly asked: readonly string[]
  readonly answered: string
  /** Paths of the files that the run was given. */
  readonly files: readonly string[]
  /** The newest event that it is made of. */
  readonly through: number
  readonly endUser: string | null
  /** Is the run deleted for its users? */
  readonly isHidden: boolean
}

/** A title that this process has claimed. */
export interface TitleTask {
  readonly row: EffectRow & { readonly spec: TitleEffect }
  readonly attempt: number
  readonly titled: Titled
}

/** The last events of a run: its answer is among them, as a rule. */
const tailMax = 50

const isAnswer = ({ type }: StoredEvent): boolean => type === 'model.completed'

/** Reads what the title is made of. Rejects with a `NewerError` where the run says anything that this build does not know. */
export async function readTitled(
  { register }: Pick<TitleDeps, 'register'>,
  { runId, tenantId, threadId }: EffectRow,
  agent: AgentDefinition,
): Promise<Titled> {
  const [first = null] = await register.events(runId, { limit: 1 })
  const { seq = 0 } = (await register.head(runId)) ?? {}
  const tail = await register.events(runId, { after: Math.max(0, seq - tailMax) })
  const late = tail.findLast(isAnswer)
  const answer = late ?? (await register.events(runId, {})).findLast(isAnswer) ?? null
  const created = first?.salt ? payloadOf(factSchemas['run.created'], first) : null
  return {
    agent,
    title: await register.threadTitle({ tenantId, threadId }),
    asked: saidTexts(created?.input ?? []),
    files: givenPaths(created?.files),
    answered: answer?.salt ? answerOf(payloadOf(factSchemas['model.completed'], answer).turn) : '',
    through: answer?.seq ?? 1,
    endUser: first?.salt ? originOf(first).endUser : null,
    isHidden: tail.some(({ type }) => type === 'run.hidden'),
  }
}

/** The words of an answer that may be kept; of a long part its beginning. */
function answerOf(turn: ModelTurn): string {
  if (turn.verdict !== 'complete') return ''
  const words = turn.message.parts.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    return part.type === 'blob' ? [part.preview] : []
  })
  return words.join('\n')
}

/** Makes the title, and answers what to append. Rejects with the reason of an aborted signal. */
export async function performTitle(
  deps: TitleDeps,
  task: TitleTask,
  held: Held,
): Promise<Pick<AppendItem, 'notes' | 'settle'>> {
  const { spec } = task.row
  const why = refusalBefore(task)
  if (why !== null) return unchanged(deps, task, { reason: why })
  if (spec.make === 'untitled') return titledNote(deps, task, { title: untitled, by: 'words' })
  if (spec.make === 'model') return askModel(deps, task, held)
  const { agent, asked: texts, files } = task.titled
  const title = guardedTitle(deps.guardrails, agent, { texts, files })
  return titledNote(deps, task, { title, by: 'words', sources: { from: 1, through: 1 } })
}

/** Why nothing is to be made any more; null if it is. */
function refusalBefore({ row, titled }: TitleTask): TitleRefusal | null {
  const { title, isHidden, asked, answered, files } = titled
  if (!title || isHidden) return 'gone'
  const isOwn = title.runId === row.runId
  if (title.by !== 'words') return 'titled'
  if (row.spec.make === 'untitled') return isOwn ? null : 'titled'
  if (title.isOfCompleted && !isOwn) return 'titled'
  const isEmpty = asked.length === 0 && answered === '' && files.length === 0
  return isEmpty ? 'gone' : null
}

/** The usage of a call of a model, with the model and the time. */
type Spent = Pick<NotePayload<'thread.titled'>, 'usage' | 'provider' | 'model' | 'durationMs'>

type Refused = Pick<NotePayload<'title.unchanged'>, 'reason' | 'guardrail' | 'error'>

async function askModel(deps: TitleDeps, task: TitleTask, held: Held) {
  const { agent, asked, answered, through } = task.titled
  const model = modelFor(agent)
  const circuit = circuitOf(model)
  const { state } = await deps.breaker.admit(circuit, agent.breaker)
  if (state === 'open') return unchanged(deps, task, { reason: 'failed', error: 'circuit_open' })
  const prompt = titlePrompt({ asked: asked.join('\n'), answered }, maxWordsOf(agent))
  const began = deps.clock.monotonic()
  const { turn, hasAnswered } = await answerTo(deps, { ...task, model, prompt }, held)
  const outcome = outcomeOf(turn, hasAnswered)
  if (outcome) await deps.breaker.report(circuit, outcome, agent.breaker)
  const durationMs = Math.round(deps.clock.monotonic() - began)
  const about = { provider: model.provider, model: model.model, durationMs }
  // Nobody says what was used of an answer that was cut off: then it is all that a title may use.
  const usage: Usage = turn
    ? withUsage(turn, { prompt, tools: [] }).usage
    : { inputTokens: 0, outputTokens: limits.titleTokensMax, estimated: true }
  const judged = turn ? judge(deps, agent, turn) : ({ reason: 'cap' } as const)
  const spent = { ...about, usage }
  if ('reason' in judged) return unchanged(deps, task, { ...judged, ...spent })
  const sources = { from: 1, through }
  return titledNote(deps, task, { title: judged.title, by: 'model', sources, ...spent })
}

/** The word of the call about its model, as turns have it: nothing of what was asked wrongly, or could not be asked. */
function outcomeOf(turn: ModelTurn | null, hasAnswered: boolean): 'ok' | 'failed' | null {
  if (!turn) return hasAnswered ? 'ok' : 'failed'
  if (turn.verdict !== 'error' && turn.verdict !== 'interrupted') return 'ok'
  return (turn.error?.retryable ?? true) ? 'failed' : null
}

/** The model that the agent names for titles, as far as it has one of that name. */
function modelFor({ model, fallbackModels, title }: AgentDefinition): ModelConfig {
  const name = typeof title === 'object' ? title.model : undefined
  const named = [model, ...fallbackModels].find((each) => each.model === name) ?? model
  const most = Math.min(named.maxOutputTokens ?? limits.titleTokensMax, limits.titleTokensMax)
  return { ...named, maxOutputTokens: most }
}

const maxWordsOf = ({ title }: AgentDefinition): number =>
  typeof title === 'object' ? title.maxWords : 6

/** The end of a call. `turn` null: it was cut off, for it took too long, or said too much. */
interface Answered {
  readonly turn: ModelTurn | null
  /** Has the model said anything? */
  readonly hasAnswered: boolean
}

/** One call. */
async function answerTo(
  deps: TitleDeps,
  task: TitleTask & { readonly model: ModelConfig; readonly prompt: Prompt },
  held: Held,
): Promise<Answered> {
  const cap = new AbortController()
  const over = new AbortController()
  const { row, model } = task
  let chars = 0
  const answered = (turn: ModelTurn | null): Answered => ({ turn, hasAnswered: chars > 0 })
  try {
    const request = await requestOf(deps, task, titleAnswer)
    await held.begin()
    void deps.clock.sleep(limits.titleMsMax, over.signal).then(() => cap.abort())
    const delta = (_: unknown, text: string): void => {
      chars += text.length
      if (chars > limits.titleStreamCharsMax) cap.abort()
    }
    const signal = AbortSignal.any([held.signal, cap.signal])
    const turn = await deps.model.call(request, { delta }, signal)
    if (turn.error?.class !== 'invalid_request') return answered(turn)
    // Not every model of a provider can be held to a form.
    return answered(await deps.model.call(await requestOf(deps, task), { delta }, signal))
  } catch (error) {
    held.signal.throwIfAborted()
    if (error instanceof NewerError) throw error
    if (cap.signal.aborted) return answered(null)
    const message = messageOf(error)
    deps.log.warn('a title could not be asked for', { effectId: row.effectId, error: message })
    return answered(brokenTurn(model, row.effectId))
  } finally {
    over.abort()
  }
}

async function requestOf(
  deps: TitleDeps,
  {
    row,
    model,
    prompt,
    titled: { agent, endUser },
  }: TitleTask & { readonly model: ModelConfig; readonly prompt: Prompt },
  answer?: JsonObject,
): Promise<ModelRequest> {
  const { argsHash } = await deps.digests.by(row.tenantId, agent)
  return {
    model,
    detectors: agent.safety.detectors,
    prompt,
    tools: [],
    messageId: row.effectId,
    callIdPrefix: row.effectId,
    argsHash,
    hmacKey: deps.random.hex(32),
    guard: streamGuardOf(deps.guardrails, agent, { correction: 0 }),
    endUser,
    ...(answer === undefined ? {} : { answer }),
  }
}

/** A turn that could not be asked for. */
const brokenTurn = ({ provider, model }: ModelConfig, id: string): ModelTurn => ({
  verdict: 'error',
  message: { id, role: 'assistant', parts: [] },
  suppressed: [],
  evidence: [],
  finish: null,
  usage: {},
  error: { class: 'invalid_request', kind: 'internal', retryable: false, message: '' },
  provider,
  model,
})

/** The title that an answer is, or why it is none. Never throws. */
function judge(
  { guardrails }: Pick<TitleDeps, 'guardrails'>,
  agent: AgentDefinition,
  turn: ModelTurn,
): { readonly title: string } | Refused {
  const { verdict, trip, redactions = [], error, usage, message } = turn
  const guardrail = trip?.guardrail ?? redactions[0]?.guardrail
  if (guardrail) return { reason: 'guardrail', guardrail }
  switch (verdict) {
    case 'complete':
      break
    case 'safety':
    case 'refusal':
      return { reason: 'safety' }
    case 'length':
      return { reason: 'cap' }
    default:
      return { reason: 'failed', ...(error ? { error: error.class } : {}) }
  }
  const ofTools = message.parts.some(({ type }) => type === 'provider_tool')
  if (ofTools || callsOf(turn).length > 0) return { reason: 'calls' }
  if ((usage.outputTokens ?? 0) > limits.titleTokensMax) return { reason: 'cap' }
  const found = titleIn(answerOf(turn))
  if ('refused' in found) return { reason: found.refused }
  const objection = objectionTo(guardrails, agent, found.title)
  return objection === null ? found : { reason: 'guardrail', ...objection }
}

const fenceOf = ({ row: { effectId }, attempt }: TitleTask) =>
  ({ effectId, attempt, expect: 'started', becomes: 'done', delayMs: 0 }) as const

function titledNote(
  { writer }: TitleDeps,
  task: TitleTask,
  made: Pick<NotePayload<'thread.titled'>, 'title' | 'by' | 'sources'> & Spent,
): Pick<AppendItem, 'notes' | 'settle'> {
  const { effectId } = task.row
  const payload = { effectId, attempt: task.attempt, ...made }
  const note = writer.event('thread.titled', payload, { verdict: made.by })
  return { notes: [note], settle: fenceOf(task) }
}

function unchanged(
  { writer }: TitleDeps,
  task: TitleTask,
  why: Refused & Spent,
): Pick<AppendItem, 'notes' | 'settle'> {
  const { effectId } = task.row
  const payload = { effectId, attempt: task.attempt, ...why }
  const note = writer.event('title.unchanged', payload, { verdict: why.reason })
  return { notes: [note], settle: fenceOf(task) }
}
