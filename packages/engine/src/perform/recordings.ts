/**
 * The calls in the log of a run that has ended: each one that was to execute, or that a human refused, with the
 * event that says what came of it. Results themselves stay in the log: what is kept here is as short as a list of calls.
 */
import { decisionSchemas, limits, questionToolName, settles } from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import type { Register, StoredEvent } from '../ports.ts'

/** One call of the log, by the last event about it; null if the log never says what came of it. */
export interface RecordedCall {
  readonly end: { readonly seq: number; readonly type: string } | null
}

/** Calls are known by what they ask: the same tool with the same arguments. */
export type RecordedAnswers = ReadonlyMap<string, readonly RecordedCall[]>

/** Names a call within a recording. */
export const recordingKey = (tool: string, argsHash: string): string => `${tool}\u0000${argsHash}`

/** The digests of the arguments with which a recording holds calls of a tool. */
export const argsHashesOf = (recording: RecordedAnswers, tool: string): readonly string[] => {
  const before = recordingKey(tool, '')
  return [...recording.keys()].flatMap((key) =>
    key.startsWith(before) ? [key.slice(before.length)] : [],
  )
}

export interface Recordings {
  /** The calls of a run that has ended, each list in the order in which they were to execute. */
  of(runId: string): Promise<RecordedAnswers>
}

/** Of so many runs the recordings are kept: they never change. */
const keptMax = 64

export function createRecordings(register: Pick<Register, 'events'>): Recordings {
  const kept = new LRUCache<string, RecordedAnswers>({ max: keptMax })
  return {
    async of(runId) {
      const known = kept.get(runId)
      if (known) return known
      const tape = new Tape()
      for await (const event of logOf(register, runId)) tape.take(event)
      kept.set(runId, tape.calls)
      return tape.calls
    },
  }
}

/** A log, page by page: a long one is never held whole. */
export async function* logOf(
  register: Pick<Register, 'events'>,
  runId: string,
): AsyncGenerator<StoredEvent> {
  for (let after = 0; ;) {
    const page = await register.events(runId, { after, limit: limits.pageMax })
    yield* page
    const last = page.at(-1)
    if (!last || page.length < limits.pageMax) return
    after = last.seq
  }
}

/** Does a fact say what came of a call? */
const isEnd = (type: string): boolean => settles(type) === 'call' || type === 'tool.resolved'

/** Does an event say what came of a question to a person? */
const isReply = (type: string): boolean => type === 'input.answered' || type === 'input.expired'

class Tape {
  readonly calls = new Map<string, { end: RecordedCall['end'] }[]>()
  readonly #byEffect = new Map<string, { end: RecordedCall['end'] }>()
  readonly #asked = new Map<string, string>()
  readonly #questions = new Map<string, { end: RecordedCall['end'] }>()

  take(event: StoredEvent): void {
    const { type, seq, payload } = event
    if (type === 'run.transitioned') this.#decide(event)
    if (type === 'approval.requested') this.#ask(event)
    if (type === 'input.requested') this.#question(event)
    const { effectId, callId } = payload
    if (type === 'call.denied' && typeof callId === 'string') this.#refuse(callId, { seq, type })
    if (isReply(type)) this.#reply(event)
    if (!isEnd(type)) return
    // Of an event that was erased, its key still says which call had an end.
    const call = this.#byEffect.get(typeof effectId === 'string' ? effectId : (event.key ?? ''))
    if (call) call.end = { seq, type }
  }

  #decide({ payload }: StoredEvent): void {
    const step = decisionSchemas['run.transitioned'].safeParse(payload)
    for (const effect of step.success ? step.data.effects : []) {
      if (!('argsHash' in effect)) continue
      const call = { end: null }
      this.#byEffect.set(effect.id, call)
      this.#add(recordingKey(effect.tool, effect.argsHash), call)
    }
  }

  #ask({ payload }: StoredEvent): void {
    const asked = decisionSchemas['approval.requested'].safeParse(payload)
    if (!asked.success) return
    const { callId, tool, argsHash } = asked.data
    this.#asked.set(callId, recordingKey(tool, argsHash))
  }

  #question({ payload }: StoredEvent): void {
    const asked = decisionSchemas['input.requested'].safeParse(payload)
    if (!asked.success) return
    const { callId, argsHash } = asked.data
    const call = { end: null }
    this.#questions.set(callId, call)
    this.#add(recordingKey(questionToolName, argsHash), call)
  }

  /** Of an answer that was erased, its key still says which question it was about. */
  #reply({ type, seq, key, payload }: StoredEvent): void {
    const { callId } = payload
    const named = typeof callId === 'string' ? callId : (key ?? '').slice('input:'.length)
    const call = this.#questions.get(named)
    if (call && call.end === null) call.end = { seq, type }
  }

  /** Only what somebody was asked about: what a policy alone denied is for the policies of the rerun to judge. */
  #refuse(callId: string, end: { readonly seq: number; readonly type: string }): void {
    const key = this.#asked.get(callId)
    if (key === undefined) return
    this.#asked.delete(callId)
    this.#add(key, { end })
  }

  #add(key: string, call: { end: RecordedCall['end'] }): void {
    const known = this.calls.get(key)
    if (known) known.push(call)
    else this.calls.set(key, [call])
  }
}
