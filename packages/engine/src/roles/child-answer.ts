/**
 * The answer of a run that has ended, for the run that started it, where that one says how many it may start (`subagents`): its words as any result,
 * of a run that was stopped on its way the last ones that it said, and its changes of files.
 */
import {
  type AgentDefinition,
  type ContentPart,
  type FactPayload,
  factSchemas,
  limits,
  sentenceOf,
  textTail,
  partWords,
} from '@signalbox/core'
import { changesOf, type ChildFilesDeps, takeFiles } from '../perform/child-files.ts'
import {
  type FilesFate,
  filesWords,
  isPartial,
  partialNote,
  type ToldChange,
} from '../perform/child-words.ts'
import type { Content } from '../perform/content.ts'
import { cleanOutput } from '../perform/guard.ts'
import { keepResult } from '../perform/read-result.ts'
import type { EffectRow, RunHead, StoredEvent, StreamGuardrails } from '../ports.ts'
import { canonical } from '../record/draft.ts'
import type { Digests } from '../record/digests.ts'
import type { Views } from '../record/view.ts'

export interface ChildAnswerDeps extends Omit<ChildFilesDeps, 'content'> {
  readonly content: Content
  readonly guardrails: StreamGuardrails
  readonly digests: Digests
  readonly views: Pick<Views, 'definition'>
}

/** The run that has ended, by its log, and the effect of the run that started it. */
export interface EndedChild {
  readonly head: RunHead
  readonly events: readonly StoredEvent[]
  /** Its last answer; null if its log cannot be read any more. */
  readonly said: readonly ContentPart[] | null
  readonly row: EffectRow
  /** The call that it did the work of. */
  readonly call: { readonly callId: string; readonly tool: string }
  /** The agent of the run that started it. */
  readonly agent: AgentDefinition
}

type Ended = FactPayload<'child.ended'>
export type ChildAnswer = Pick<
  Ended,
  'output' | 'resultHash' | 'agent' | 'partial' | 'files' | 'filesSeen' | 'redactions'
>

export async function childAnswer(deps: ChildAnswerDeps, ended: EndedChild): Promise<ChildAnswer> {
  const { head, row, call, agent } = ended
  const { outcome } = head
  const partial = outcome !== null && isPartial(outcome)
  const files = await filesOf(deps, ended)
  const content = [
    ...(await wordsOf(deps, ended)),
    ...(files.words === null ? [] : [text(files.words)]),
  ]
  const isError = outcome !== 'completed' || ended.said === null
  const clean = await cleanOutput(deps.guardrails, agent, { output: { content, isError }, ...call })
  const digest = await deps.digests.by(row.tenantId, agent)
  const said = clean.output.content
  return {
    agent: head.agent,
    output: { ...clean.output, content: await keepResult(deps, row, said) },
    resultHash: digest.short(canonical(said), 16),
    ...(partial ? { partial } : {}),
    ...(files.taken ? { files: files.taken, filesSeen: files.seen } : {}),
    ...(clean.redactions.length > 0 ? { redactions: [...clean.redactions] } : {}),
  }
}

const text = (words: string): ContentPart => ({ type: 'text', text: words })

/** What it says: behind what became of it, if that is not the plain end. */
async function wordsOf(
  { content }: Pick<ChildAnswerDeps, 'content'>,
  { head, events, said }: EndedChild,
): Promise<readonly ContentPart[]> {
  const { agent, outcome } = head
  if (outcome !== null && isPartial(outcome)) {
    const note = text(partialNote(agent, outcome, stopIn(events)))
    const last = textsOf(await content.hydrate(head, lastSaid(events)))
    return [note, text(last === '' ? '(It said nothing.)' : newest(last))]
  }
  return plainWords({ content }, { head, said })
}

/** The last answer of the run, behind what became of it if that is not the plain end. */
export async function plainWords(
  { content }: Pick<ChildAnswerDeps, 'content'>,
  { head, said }: Pick<EndedChild, 'head' | 'said'>,
): Promise<readonly ContentPart[]> {
  const { agent, outcome } = head
  const note = outcome === 'completed' ? [] : [text(`The run of ${agent} ended as ${outcome}.`)]
  const words = said ? await content.hydrate(head, said) : [text('(unreadable answer)')]
  const all = [...note, ...words]
  return all.length > 0 ? all : [text('(no answer)')]
}

/** The words that stand in the place of the answer it did not come to: why it was stopped. */
const stopIn = (events: readonly StoredEvent[]): string | null =>
  events.reduce<string | null>((found, event) => sentenceOf(event)?.text ?? found, null)

const Answered = factSchemas['model.completed'].pick({ turn: true })

/** The words of its newest answer that has some. Nothing of what a guardrail or a provider cut. */
function lastSaid(events: readonly StoredEvent[]): readonly ContentPart[] {
  const answers = events.flatMap(({ type, payload }): readonly (readonly ContentPart[])[] => {
    const turn = type === 'model.completed' ? Answered.safeParse(payload).data?.turn : undefined
    if (turn?.verdict !== 'complete' && turn?.verdict !== 'length') return []
    return [turn.message.parts.filter((part) => part.type === 'text' || part.type === 'blob')]
  })
  return answers.findLast((parts) => textsOf(parts) !== '') ?? []
}

const textsOf = (parts: readonly ContentPart[]): string => parts.map(partWords).join('\n').trim()

/** The end of a long text, for it is nearest to where the run was stopped. */
const newest = (words: string): string =>
  words.length <= limits.partialWordsCharsMax
    ? words
    : `[…]${textTail(words, limits.partialWordsCharsMax - '[…]'.length)}`

interface ChildFiles {
  readonly taken: FactPayload<'child.ended'>['files'] | null
  readonly seen: number
  readonly words: string | null
}

/** The changes that its parent takes over, and what the model of that reads of them. */
async function filesOf(deps: ChildAnswerDeps, ended: EndedChild): Promise<ChildFiles> {
  const { head, row, agent } = ended
  const { outcome } = head
  const left = (told: readonly ToldChange[], fate: FilesFate): ChildFiles => ({
    taken: null,
    seen: 0,
    words: filesWords(told, fate),
  })
  if (agent.subagents?.files !== 'merge') return left(await changesOf(deps, head), { is: 'kept' })
  // What a run did that failed, was cancelled, or was stopped for what it said is nothing to go on from.
  if (outcome !== 'completed' && !(outcome !== null && isPartial(outcome)))
    return left(await changesOf(deps, head), { is: 'refused', because: `it ended as ${outcome}` })
  const { files, filesSeen, told, refused } = await takeFiles(deps, { child: head, parent: row })
  if (refused !== null) return left(told, { is: 'refused', because: refused })
  return { taken: files, seen: filesSeen, words: filesWords(told, { is: 'taken' }) }
}
