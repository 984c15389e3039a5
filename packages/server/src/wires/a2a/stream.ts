/**
 * A followed run as the updates of a task: the task first, as it is when somebody comes, then what changes.
 *
 * U1 The artifacts that a client has put together are those of the task, wherever it came: text is appended, and text that
 *    was withdrawn is replaced.
 * U2 The last update says where the task stands when the stream ends: over, or waiting for somebody.
 */
import { BrokenOff } from '../../stream/broken-off.ts'
import type { LiveText, RunHead, StoredEvent } from '@signalbox/engine'
import { decisionSchemas } from '@signalbox/core'
import { type FollowSources, followRun } from '../../stream/follow-run.ts'
import { iso } from '../../http/wire/iso.ts'
import { sameLengths } from '../langgraph/stream/position.ts'
import { isVerdict, Projection } from '../langgraph/stream/projection.ts'
import type { TaskState } from './states.ts'
import { type Artifact, artifactOf, isSaid, type Task, type TaskStatus } from './task.ts'

/** One update. */
export type StreamResponse =
  | { readonly task: Task }
  | {
      readonly statusUpdate: {
        readonly taskId: string
        readonly contextId: string
        readonly status: TaskStatus
      }
    }
  | {
      readonly artifactUpdate: {
        readonly taskId: string
        readonly contextId: string
        readonly artifact: Artifact
        readonly append: boolean
        readonly lastChunk: boolean
      }
    }

export interface TaskSources extends FollowSources {
  readonly statusOf: (head: RunHead) => Promise<TaskStatus>
}

/** The updates after `task`, which is the run as `head` says it. Null: nothing happens. Rejects where the stream breaks off. */
export async function* taskUpdates(
  sources: TaskSources,
  { head, task, gone }: { readonly head: RunHead; readonly task: Task; readonly gone: AbortSignal },
): AsyncGenerator<StreamResponse | null, void, undefined> {
  yield { task }
  const { tenantId, runId } = head
  const updates = new Updates(head, task)
  const following = { tenantId, runId, after: 0, untilWaiting: true, gone }
  for await (const frame of followRun(sources, following)) {
    if (frame.kind !== 'event' || !isVerdict(frame.event)) yield* updates.flush()
    switch (frame.kind) {
      case 'event':
        updates.see(frame.event)
        break
      case 'text':
        yield* updates.say(frame.piece)
        break
      case 'heartbeat':
        yield null
        break
      case 'end':
      case 'waiting':
        return yield* updates.status(await sources.statusOf(frame.head))
      case 'progress':
        break
      case 'stopping':
        throw new BrokenOff('the process is stopping')
      case 'overrun':
        throw new BrokenOff('the client is too slow')
    }
  }
}

class Updates {
  readonly #head: RunHead
  readonly #projection: Projection
  /** What the client has, by artifact. */
  readonly #had: Map<string, string>
  #shown: { readonly messageId: string; readonly attempt: number; readonly text: string } | null =
    null
  #state: TaskState
  #decided: { readonly at: number; readonly isQueued: boolean } | null = null
  #seq = 0

  constructor(head: RunHead, { status, artifacts = [] }: Task) {
    this.#head = head
    this.#projection = new Projection(head)
    this.#state = status.state
    const texts = artifacts.map(
      ({ artifactId, parts }) => [artifactId, parts.map(({ text = '' }) => text).join('')] as const,
    )
    this.#had = new Map(texts)
  }

  see(event: StoredEvent): void {
    // What was said before on the thread is no part of the task.
    if (this.#projection.needsHistory(event)) this.#projection.begin([])
    this.#projection.see(event)
    this.#seq = event.seq
    if (event.type !== 'run.transitioned' || event.salt === '') return
    const { path } = decisionSchemas['run.transitioned'].parse(event.payload)
    this.#decided = { at: event.at, isQueued: path.at(-1) === 'queued' }
  }

  /** What the last decision did, once its verdicts were seen. */
  *flush(): Generator<StreamResponse, void, undefined> {
    const decided = this.#decided
    if (!decided) return
    this.#decided = null
    const shown = this.#shown && { ...this.#shown, lengths: sameLengths(this.#shown.text.length) }
    const { settled } = this.#projection.flush(shown)
    if (this.#seq < this.#head.seq) return
    const messages = this.#projection.state.messages.filter(isSaid)
    const said = new Map(messages.map((message) => [message.id, artifactOf(message)]))
    for (const artifact of said.values()) yield* this.#bring(artifact)
    if (shown && settled) {
      if (!said.has(shown.messageId)) yield* this.#bring(nothing(shown.messageId))
      this.#shown = null
    }
    const isOpen = this.#projection.state.head.outcome === null
    if (isOpen && !decided.isQueued && this.#state === 'TASK_STATE_SUBMITTED')
      yield* this.status({ state: 'TASK_STATE_WORKING', timestamp: iso(decided.at) })
  }

  *say({ messageId, attempt, offset, text }: LiveText): Generator<StreamResponse, void, undefined> {
    const shown = this.#shown
    if (shown && shown.messageId === messageId && attempt < shown.attempt) return
    const goesOn = shown?.messageId === messageId && shown.attempt === attempt
    const before = goesOn ? shown.text : ''
    if (offset > before.length) return
    const whole = before.slice(0, offset) + text
    this.#shown = { messageId, attempt, text: whole }
    if (this.#seq < this.#head.seq || whole === '') return
    yield* this.#update({ artifactId: messageId, parts: [{ text: whole }] }, false)
  }

  *status(status: TaskStatus): Generator<StreamResponse, void, undefined> {
    const { runId: taskId, threadId: contextId } = this.#head
    this.#state = status.state
    yield { statusUpdate: { taskId, contextId, status } }
  }

  /** Brings the client to what the artifact says now, if that is news. */
  *#bring(artifact: Artifact): Generator<StreamResponse, void, undefined> {
    if (this.#had.get(artifact.artifactId) !== textOf(artifact)) yield* this.#update(artifact, true)
  }

  *#update(artifact: Artifact, lastChunk: boolean): Generator<StreamResponse, void, undefined> {
    const { artifactId } = artifact
    const [had, text] = [this.#had.get(artifactId), textOf(artifact)]
    this.#had.set(artifactId, text)
    const append = had !== undefined && had !== '' && text.startsWith(had)
    const parts = append ? [{ text: text.slice(had.length) }] : artifact.parts
    const { runId: taskId, threadId: contextId } = this.#head
    const update = { taskId, contextId, artifact: { artifactId, parts }, append, lastChunk }
    yield { artifactUpdate: update }
  }
}

const textOf = ({ parts }: Artifact): string => parts.map(({ text = '' }) => text).join('')

const nothing = (artifactId: string): Artifact => ({ artifactId, parts: [{ text: '' }] })
