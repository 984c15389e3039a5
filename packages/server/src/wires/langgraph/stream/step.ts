/** A step of a run, as the wire shows it: a decision with the verdicts that belong to it, and the facts it folded. */
import { decisionSchemas, Effect, type Outcome, settles, type StateName } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import { StepResets } from '../../../stream/step-resets.ts'
import { checkpointId } from '../checkpoint.ts'
import type { Node } from './frame.ts'

/** Work that the machine asked for, as a task of a node. */
export interface NodeTask {
  readonly id: string
  readonly node: Node
  /** The call it does, for tools; the message it writes, for the model. */
  readonly about:
    | { readonly callId: string; readonly tool: string }
    | { readonly messageId: string }
  /** Live attempts of a model call are numbered from here on; 0 for tools. */
  readonly attempts: number
}

/** A message of the model that was completed, and the live attempt that wrote it. */
export interface Written {
  readonly messageId: string
  readonly attempt: number
  /** Is what is stored another text than what was shown? */
  readonly isCut: boolean
}

export interface StreamStep {
  /** The number of the decision among those of the thread, from -1, as LangGraph counts. */
  readonly number: number
  /** The step before it in the thread; null for the first. */
  readonly parentId: string | null
  /** Is it the first of its run? */
  readonly isInput: boolean
  /** Its `run.transitioned`. */
  readonly seq: number
  readonly at: number
  readonly state: StateName
  readonly outcome: Outcome | null
  readonly begun: readonly NodeTask[]
  readonly done: readonly NodeTask[]
  readonly open: readonly NodeTask[]
  readonly written: readonly Written[]
  /** Model calls that came to nothing. */
  readonly aborted: readonly string[]
  readonly withdrawn: readonly string[]
}

const Settled = z.object({ effectId: z.string(), attempt: z.number().default(0) })
const Turn = z.object({
  turn: z.object({
    message: z.object({ id: z.string(), parts: z.array(z.object({ type: z.string() })) }),
  }),
})

type Decided = Pick<StreamStep, 'seq' | 'at' | 'state' | 'outcome' | 'begun'>

/** Collects the steps of one run. A fact belongs to the decision that folded it, whatever was written in between. */
export class Steps {
  readonly #tasks = new Map<string, NodeTask>()
  readonly #resets = new StepResets()
  readonly #runId: string
  #number = -2
  #parentId: string | null = null
  #isInput = true
  #done: NodeTask[] = []
  #written: Written[] = []
  #aborted: string[] = []
  #withdrawn: string[] = []
  #decided: Decided | null = null

  constructor(runId: string) {
    this.#runId = runId
  }

  /** Continues the count of the thread: its steps before this run. */
  follow(steps: number, parentId: string | null): void {
    this.#number += steps
    // A run that had to wait for its turn has decided that already.
    this.#parentId ??= parentId
  }

  /** The step that text belongs to while it is written. */
  get next(): number {
    return this.#number + 1
  }

  /** The tool of a call that runs. */
  toolOf(callId: string): string | null {
    for (const { about } of this.#tasks.values())
      if ('callId' in about && about.callId === callId) return about.tool
    return null
  }

  /** Sees an event of the run. `facts` are those that it folds, if it is a decision. */
  see(event: StoredEvent, facts: readonly StoredEvent[]): void {
    const reset = this.#resets.see(event)
    if (reset) this.#withdrawn.push(reset.messageId)
    if (event.type !== 'run.transitioned') return
    for (const fact of facts) this.#settle(fact)
    this.#decide(event)
  }

  /** The step whose decision was seen; null if there is none since the last time. */
  take(): StreamStep | null {
    const decided = this.#decided
    if (!decided) return null
    const step: StreamStep = {
      ...decided,
      number: (this.#number += 1),
      parentId: this.#parentId,
      isInput: this.#isInput,
      done: this.#done,
      open: [...this.#tasks.values()],
      written: this.#written,
      aborted: this.#aborted,
      withdrawn: this.#withdrawn,
    }
    this.#parentId = checkpointId(this.#runId, decided.seq)
    this.#isInput = false
    this.#decided = null
    this.#done = []
    this.#written = []
    this.#aborted = []
    this.#withdrawn = []
    return step
  }

  #decide({ seq, at, payload }: StoredEvent): void {
    const { path, outcome, effects } = decisionSchemas['run.transitioned'].parse(payload)
    const begun = effects.flatMap(taskOf)
    for (const task of begun) this.#tasks.set(task.id, task)
    if (outcome !== null) {
      for (const { about } of this.#tasks.values())
        if ('messageId' in about) this.#aborted.push(about.messageId)
      this.#tasks.clear()
    }
    this.#decided = { seq, at, state: path.at(-1) ?? 'queued', outcome, begun }
  }

  #settle({ type, payload }: StoredEvent): void {
    if (settles(type) === null) return
    const { effectId, attempt } = Settled.parse(payload)
    const task = this.#tasks.get(effectId)
    if (!task) return
    this.#tasks.delete(effectId)
    this.#done.push(task)
    if (!('messageId' in task.about)) return
    const turn = Turn.safeParse(payload)
    if (type !== 'model.completed' || !turn.success) {
      this.#aborted.push(task.about.messageId)
      return
    }
    const { id, parts } = turn.data.turn.message
    const isCut = parts.some((part) => part.type === 'blob')
    this.#written.push({ messageId: id, attempt: task.attempts + attempt, isCut })
  }
}

function taskOf(effect: unknown): readonly NodeTask[] {
  const { data } = Effect.safeParse(effect)
  if (data?.kind === 'model.call') {
    const { id, messageId, retry } = data
    return [{ id, node: 'model', about: { messageId }, attempts: retry * 1000 }]
  }
  if (!data || !('callId' in data)) return []
  const { id, callId, tool } = data
  return [{ id, node: 'tools', about: { callId, tool }, attempts: 0 }]
}
