/**
 * A run in a test: its calls, its verdicts, its log, and the deeds of people.
 *
 * T1 What a run says of itself is of the moment at which it last came to rest.
 * T2 Each deed waits until the run has come to rest again, within the time of the box.
 */
import { randomUUID } from 'node:crypto'
import type { JsonObject, Outcome, ToolOutput } from '@signalbox/core'
import type { AnswerApproval, Commands, Person, StoredEvent } from '@signalbox/engine'
import { TestBoxError } from './box-error.ts'
import type { KnownRuns } from './known-runs.ts'
import { lookUntil, standingOfRun } from './rest.ts'
import { type RunSnapshot, snapshotOf, type SnapshotSource } from './run-snapshot.ts'
import type { RunStory } from './run-story.ts'
import { timelineOf } from './timeline.ts'

/** The parts of a box that its runs use. */
export interface RunWorld extends SnapshotSource {
  readonly commands: Commands
  readonly runs: KnownRuns
  readonly withinMs: number
  /** Milliseconds between two looks. */
  readonly everyMs: number
  /** The last warnings of the box: they are shown with a run that did not come to rest. */
  readonly complaints: () => readonly string[]
}

/** A person's decision about a call. */
export interface DecideOptions {
  /** Stands in the log; the model reads it. */
  readonly note?: string
  /** The person that decides. Needed where the agent lets only certain roles approve. */
  readonly by?: Person
}

/** A person's approval of a call. */
export interface ApproveOptions extends DecideOptions {
  /** Other arguments, to be executed instead. */
  readonly args?: JsonObject
  /** The reach of the approval: this call, the same call in this run, or in every run of the agent. */
  readonly scope?: 'once' | 'run' | 'always'
}

/** The tenant and the actor of everything that a test does. */
export const tester = { tenantId: 'default', actor: 'test' } as const

/** A run of a test box. */
export class TestRun {
  readonly id: string
  readonly #world: RunWorld
  #snapshot: RunSnapshot | null = null

  /** Made by a box. */
  constructor(world: RunWorld, id: string) {
    this.#world = world
    this.id = id
  }

  /** Its outcome; null: it waits for a person, or is still under way. */
  get outcome(): Outcome | null {
    return this.#seen.outcome
  }

  /** The name of its agent. */
  get agent(): string {
    return this.#seen.definition.name
  }

  /** The conversation that it belongs to: name it to go on with it. */
  get threadId(): string {
    return this.#seen.events[0]?.threadId ?? ''
  }

  /** The last words of the model. */
  get answer(): string {
    return this.#seen.story.answer
  }

  /** The calls that the model asked for, in order. */
  get calls(): RunStory['calls'] {
    return this.#seen.story.calls
  }

  /** The calls that were refused. */
  get denials(): RunStory['denials'] {
    return this.#seen.story.denials
  }

  /** The calls that a person had to decide about. */
  get approvals(): RunStory['approvals'] {
    return this.#seen.story.approvals
  }

  /** The redactions of stream guardrails. */
  get redactions(): RunStory['redactions'] {
    return this.#seen.story.redactions
  }

  /** Its whole log. */
  get events(): readonly StoredEvent[] {
    return this.#seen.events
  }

  /** Names of the tools of its agent. */
  get tools(): readonly string[] {
    return this.#seen.definition.tools.map(({ name }) => name)
  }

  /** Ids of the policies of its agent; `lists` are the agent's own lists of tools. */
  get policies(): readonly string[] {
    return ['lists', ...this.#seen.definition.guardrails.policies.map(({ id }) => id)]
  }

  /** The reason for which its log does not give the same decisions again; null: it does. */
  get replayProblem(): string | null {
    return this.#seen.replayProblem
  }

  /** Its timeline in words. */
  timeline(): string {
    const { outcome, definition, events } = this.#seen
    const how = outcome === null ? 'has not ended' : `ended: ${outcome}`
    return `The run of the agent "${definition.name}" ${how}.\n${timelineOf(events)}`
  }

  /** Waits until it has ended, or waits for a person. @throws TestBoxError */
  async settled(): Promise<this> {
    const { register, runs, withinMs } = this.#world
    let words = ''
    const rest = await lookUntil(async () => {
      const standing = await standingOfRun(register, this.id)
      words = standing.words
      return standing.how === 'busy' ? null : standing
    }, this.#world)
    await this.#refresh()
    const mistake = runs.mistakeOf(this.id)
    if (mistake) throw this.#failure(mistake.code, mistake.message)
    if (rest) return this
    throw this.#failure(
      'not_at_rest',
      `The run did not come to rest within ${withinMs} ms: it ${words}.`,
    )
  }

  /** Waits until a call of the tool is executing, or has been. @throws TestBoxError */
  async executing(tool: string): Promise<this> {
    const { register, withinMs } = this.#world
    const isBegin = ({ type, tool: of }: StoredEvent) => type === 'effect.started' && of === tool
    const look = async () => (await register.events(this.id, {})).find(isBegin) ?? null
    const began = await lookUntil(look, this.#world)
    await this.#refresh()
    if (began) return this
    throw this.#failure('not_at_rest', `No call of ${tool} began within ${withinMs} ms.`)
  }

  /** A person approves the calls that wait: all of them, or those of one tool. @throws TestBoxError */
  async approve(tool?: string, options: ApproveOptions = {}): Promise<this> {
    const { note, by, args, scope } = options
    return this.#decide(tool, {
      decision: args === undefined ? 'approve' : 'edit',
      ...(note === undefined ? {} : { note }),
      ...(by === undefined ? {} : { by }),
      ...(args === undefined ? {} : { args }),
      ...(scope === undefined ? {} : { scope }),
    })
  }

  /** A person rejects the calls that wait: all of them, or those of one tool. @throws TestBoxError */
  async reject(tool?: string, { note, by }: DecideOptions = {}): Promise<this> {
    return this.#decide(tool, {
      decision: 'reject',
      ...(note === undefined ? {} : { note }),
      ...(by === undefined ? {} : { by }),
    })
  }

  /** An operator resolves the calls of a tool whose outcome is unknown. @throws TestBoxError */
  async resolve(
    tool: string,
    resolution: 'happened' | 'not_happened' | 'retry',
    output?: string,
  ): Promise<this> {
    const { register, commands } = this.#world
    const open = await register.openEffects(this.id)
    const found = open.filter(
      ({ status, spec }) => status === 'unknown' && 'tool' in spec && spec.tool === tool,
    )
    if (found.length === 0)
      throw this.#failure('nothing_waits', `No call of ${tool} has an unknown outcome.`)
    const said: ToolOutput | undefined =
      output === undefined
        ? undefined
        : { content: [{ type: 'text', text: output }], isError: false }
    for (const { effectId } of found) {
      const request = { ...tester, runId: this.id, effectId, resolution }
      const code = await commands.resolveUnknown(said ? { ...request, output: said } : request)
      if (code !== 'accepted' && code !== 'already')
        throw this.#failure('refused', `The outcome of ${tool} was not taken: ${code}.`)
    }
    return this.settled()
  }

  /** The user says something more to the run while it goes on. @throws TestBoxError */
  async say(text: string): Promise<this> {
    const { code } = await this.#world.commands.injectInput({
      ...tester,
      runId: this.id,
      key: randomUUID(),
      messages: [{ id: `u_${randomUUID()}`, role: 'user', parts: [{ type: 'text', text }] }],
    })
    if (code !== 'accepted') throw this.#failure('refused', `The run did not hear it: ${code}.`)
    return this.settled()
  }

  /** Somebody asks for its end. @throws TestBoxError */
  async cancel(reason?: string): Promise<this> {
    const request = { ...tester, runId: this.id, action: 'interrupt' } as const
    await this.#world.commands.cancel(reason === undefined ? request : { ...request, reason })
    return this.settled()
  }

  /** The runs that it has started. */
  async children(): Promise<readonly TestRun[]> {
    const found = await this.#world.register.children(this.id)
    return Promise.all(
      found.map(async ({ runId }) => {
        const run = new TestRun(this.#world, runId)
        await run.#refresh()
        return run
      }),
    )
  }

  async #decide(
    tool: string | undefined,
    answer: Omit<AnswerApproval, 'runId' | 'callId' | 'tenantId' | 'actor'>,
  ): Promise<this> {
    await this.#refresh()
    const { pending } = this.#seen
    const found = pending.filter((each) => tool === undefined || each.tool === tool)
    const what = tool === undefined ? 'Nothing of the run' : `No call of ${tool}`
    const others = pending.map((each) => each.tool).join(', ')
    if (found.length === 0)
      throw this.#failure(
        'nothing_waits',
        `${what} waits for an approval.${others === '' ? '' : ` What waits: ${others}.`}`,
      )
    for (const { runId, callId, tool: name } of found) {
      const given = await this.#world.commands.answerApproval({
        ...tester,
        ...answer,
        runId,
        callId,
      })
      if (given.code !== 'accepted')
        throw this.#failure(
          'refused',
          `The answer about ${name} was not taken: ${given.code}${'detail' in given ? `, ${given.detail}` : ''}.`,
        )
    }
    return this.settled()
  }

  get #seen(): RunSnapshot {
    if (this.#snapshot) return this.#snapshot
    throw new TestBoxError('not_at_rest', 'Nothing is known of the run yet: await run.settled()')
  }

  async #refresh(): Promise<void> {
    this.#snapshot = await snapshotOf(this.#world, this.id)
  }

  #failure(code: TestBoxError['code'], message: string): TestBoxError {
    const complaints = this.#world.complaints().map((line) => `  ${line}`)
    const logged = complaints.length === 0 ? '' : `\nLogged meanwhile:\n${complaints.join('\n')}`
    return new TestBoxError(code, `${message}\n\n${this.timeline()}${logged}`)
  }
}
