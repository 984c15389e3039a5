/**
 * A world around one run: it answers effects in any order, repeats, drops and misdirects facts, and keeps the log as an
 * engine would: facts with their sequence numbers, then `run.transitioned`, then the verdicts, notes in between.
 */
import {
  callsOf,
  type Decision,
  decide,
  type Effect,
  type Fact,
  type FoldableEvent,
  isFinal,
  outlivesRun,
  type JsonObject,
  type ModelCallEffect,
  readFact,
  type RunState,
  type Subject,
  type ToolCallPart,
  transitioned,
  type Verdict,
  type Webhook,
} from '../../src/index.ts'
import {
  childAnswer,
  inputAnswer,
  modelAnswer,
  policiesAnswer,
  refusal,
  saidHere,
  toolAnswer,
} from './answers.ts'
import { compactionAnswer, weighed } from './room.ts'
import { createdAt } from './children.ts'
import { argsHashOf, doesCall, type FactBody, injects, nothingKnown } from './facts.ts'
import { fresh } from './machine.ts'

/** One thing that may happen. Numbers pick among what is possible then. */
export type Chance =
  | {
      readonly what:
        | 'admit'
        | 'answer'
        | 'human'
        | 'inject'
        | 'repeat'
        | 'misdirect'
        | 'cancel'
        | 'timeout'
        | 'fault'
      readonly pick: number
      readonly how: number
      readonly waitMs: number
      readonly decide: boolean
    }
  | { readonly what: 'stray'; readonly fact: FactBody }

export interface Decided {
  readonly before: RunState
  readonly facts: readonly Fact[]
  readonly decision: Decision
  /** How much of the log there was right after it. */
  readonly logged: number
}

interface Asked {
  readonly callId: string
  readonly tool: string
  readonly argsHash: string
}

export class World {
  readonly subject: Subject
  readonly log: FoldableEvent[] = []
  readonly facts: Fact[] = []
  readonly decisions: Decided[] = []
  state: RunState = fresh
  /** Effects that have no outcome in the register yet. */
  #open: Effect[] = []
  #unknown: Effect[] = []
  /** Effects whose run exists: only its end settles them. */
  readonly #children = new Set<string>()
  #asked: Asked[] = []
  /** Calls that are questions nobody has answered yet. */
  #questions: string[] = []
  #undecided: Fact[] = []
  #decided = 0
  #now = 1_700_000_000_000

  constructor(subject: Subject, depth = 0, webhooks: readonly Webhook[] = []) {
    this.subject = subject
    this.#record(createdAt(depth, webhooks)(nothingKnown(subject.run)))
  }

  get ended(): boolean {
    return isFinal(this.state)
  }

  /** Lets it happen, if it can. */
  take(chance: Chance): void {
    if (this.ended) return
    if (chance.what === 'stray') return this.#record(chance.fact)
    this.#now += chance.waitMs
    if (chance.what === 'misdirect') this.#misdirect(chance.pick, chance.how)
    else {
      const fact = this.#next(chance)
      if (fact) this.#record(fact)
    }
    if (chance.decide) this.decide(chance.pick)
  }

  /** Answers whatever is open until the run has ended or waits for a human. Answers whether it came to that. */
  settle(seed: number): boolean {
    for (let n = seed; n < seed + 400; n++) {
      this.decide(0)
      if (this.ended) return true
      if (this.state.name === 'queued') this.#record({ type: 'run.admitted', payload: {} })
      else if (this.#open.length === 0) return this.decisions.at(-1)?.decision.status === 'waiting'
      else this.take({ what: 'answer', pick: n, how: n * 7, waitMs: 1, decide: false })
    }
    return false
  }

  /** Decides over what is undecided, or, as when a fact arrives meanwhile, over all but the last of it. */
  decide(hold: number): void {
    if (this.#undecided.length === 0) return
    const all = this.#undecided
    const some = hold % 3 === 0 || all.length === 1 ? all : all.slice(0, -1)
    const first = decide(this.subject, this.state, some)
    const moved = isFinal(first.state) && some.length < all.length
    const facts = moved ? all : some
    const decision = moved ? decide(this.subject, this.state, all) : first
    const through = facts.at(-1)?.seq ?? this.#decided
    const { type, payload } = {
      type: 'run.transitioned',
      payload: transitioned(decision, { from: this.#decided, through }),
    }
    this.#write(type, payload)
    for (const verdict of decision.verdicts) this.#write(verdict.type, verdict.payload)
    const before = this.state
    this.decisions.push({ before, facts, decision, logged: this.log.length })
    this.#undecided = all.slice(facts.length)
    this.#decided = through
    this.#apply(decision)
  }

  #apply(decision: Decision): void {
    this.state = decision.state
    const again = this.#unknown.filter((effect) => decision.retries.includes(effect.id))
    this.#unknown = this.#unknown.filter((effect) => !again.includes(effect))
    // Of what was told to others no fact says what became of it.
    const work = decision.effects.filter(({ kind }) => !outlivesRun(kind))
    this.#open.push(...work, ...again)
    this.#asked.push(...decision.verdicts.flatMap(askedOf))
    this.#questions.push(...decision.verdicts.flatMap(questionOf))
  }

  #next(chance: Exclude<Chance, { what: 'stray' }>): FactBody | null {
    const { what, pick, how } = chance
    switch (what) {
      case 'admit':
        return { type: 'run.admitted', payload: {} }
      case 'answer':
        return this.#answer(pick, how)
      case 'human':
        return this.#human(pick, how)
      case 'inject':
        return injects(`said ${this.log.length}`)(nothingKnown(this.subject.run))
      case 'repeat': {
        // No register takes the creation twice, nor writes anything before it.
        const repeatable = this.facts.filter(({ type }) => type !== 'run.created')
        return repeatable[pick % repeatable.length] ?? null
      }
      case 'cancel':
        return { type: 'cancel.requested', payload: { action: how % 2 ? 'interrupt' : 'rollback' } }
      case 'timeout':
        return { type: 'timer.fired', payload: { timerId: this.#timer(pick, how) } }
      case 'fault':
        return { type: 'run.faulted', payload: { code: 'undecidable', message: 'x' } }
      case 'misdirect':
        return null
    }
  }

  #answer(pick: number, how: number): FactBody | null {
    const effect = this.#open[pick % Math.max(1, this.#open.length)]
    if (!effect) return null
    const exists = this.#children.has(effect.id)
    const refused = exists ? null : refusal(effect, how)
    if (refused) return refused
    switch (effect.kind) {
      case 'model.call':
        return this.#modelAnswer(effect, how)
      case 'context.compact':
        return compactionAnswer(effect, how)
      case 'policy.evaluate':
        return policiesAnswer(effect, this.#calls(effect.source), how)
      case 'tool.call':
        return toolAnswer(effect, how)
      case 'run.start':
        return childAnswer(effect, exists, how)
      case 'tool.recall':
      case 'webhook.deliver':
      case 'title.make':
      case 'memory.learn':
        return null
    }
  }

  #modelAnswer(effect: ModelCallEffect, how: number): FactBody {
    const { run, agent } = this.subject
    const isCurious = agent.clarification !== undefined
    const answer = modelAnswer(effect, { run, isCurious, isPlanning: agent.todo === true }, how)
    return agent.context ? weighed(answer, run, how) : answer
  }

  /** The calls of the answers to a model call, or to all. */
  #calls(effectId: string | null = null): readonly ToolCallPart[] {
    return this.facts.flatMap((fact) =>
      fact.type === 'model.completed' &&
      (effectId ?? fact.payload.effectId) === fact.payload.effectId
        ? callsOf(fact.payload.turn)
        : [],
    )
  }

  #timer(pick: number, how: number): string {
    const asked = this.#asked[pick % Math.max(1, this.#asked.length)]
    if (asked && how % 2) return `approval:${asked.callId}`
    const question = this.#questions[pick % Math.max(1, this.#questions.length)]
    if (question !== undefined && how % 4) return `input:${question}`
    return how % 8 ? 'timeout' : 'other'
  }

  /** An answer about a neighbour: the register would fence it, the decider must not mind it. */
  #misdirect(pick: number, how: number): void {
    const fact = this.#answer(pick, how)
    if (!fact || !('effectId' in fact.payload) || fact.type.startsWith('model.')) return
    const { payload } = fact
    const wrong =
      how % 2 || !('callId' in payload) || payload.callId === undefined
        ? { ...payload, effectId: `${this.subject.run}.${pick}` }
        : { ...payload, callId: payload.callId.replace(/\d+$/, String(pick % 5)) }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ids of the same shape
    this.#record({ ...fact, payload: wrong } as FactBody)
  }

  #human(pick: number, how: number): FactBody | null {
    const asked = this.#asked[pick % Math.max(1, this.#asked.length)]
    const lost = this.#unknown[pick % Math.max(1, this.#unknown.length)]
    if (lost?.kind === 'tool.call' && (how % 2 || !asked)) {
      const { id: effectId, callId } = lost
      const resolution = (['happened', 'not_happened', 'retry'] as const)[how % 3] ?? 'retry'
      return { type: 'tool.resolved', payload: { effectId, callId, resolution } }
    }
    const question = this.#questions[pick % Math.max(1, this.#questions.length)]
    if (question !== undefined && (how % 2 || !asked)) return inputAnswer(question, how)
    if (!asked) return null
    const { callId, tool, argsHash } = asked
    const edited = { args: { arg: 'edited' }, argsHash: argsHashOf('edited') }
    const about = { callId, tool, argsHash, ...(how % 4 === 3 ? { edited } : {}) }
    const decision = how % 3 ? (how % 4 === 3 ? 'edit' : 'approve') : 'reject'
    const scope = (['once', 'run', 'always'] as const)[how % 5]
    const call = this.#calls().find(({ id }) => id === callId)
    const said = call && decision === 'approve' ? saidHere(call) : {}
    return {
      type: 'approval.answered',
      payload: { ...about, ...said, decision, ...(scope ? { scope } : {}) },
    }
  }

  #record({ type, payload }: FactBody): void {
    this.#settle(type, payload)
    if (type === 'approval.answered')
      this.#asked = this.#asked.filter((each) => each.callId !== payload.callId)
    if (type === 'input.answered')
      this.#questions = this.#questions.filter((each) => each !== payload.callId)
    if (this.log.length % 3 === 0)
      this.#write('effect.started', { attempt: 1, effectId: 'e', leaseMs: 1, owner: 'w' })
    const fact = readFact(this.#write(type, payload))
    if (!fact) throw new Error(`${type} is no fact`)
    this.facts.push(fact)
    this.#undecided.push(fact)
  }

  /** The register takes one outcome per effect; what is about nothing that is open settles nothing. */
  #settle(type: string, about: About): void {
    // A word about an unknown call, said again while the call is made again, is no outcome of that.
    if (type === 'tool.resolved') return
    const effect = this.#open.find((each) => isAbout(each, about) && fits(each, type))
    if (!effect || (this.#children.has(effect.id) && type !== 'child.ended')) return
    if (type === 'child.started') {
      this.#children.add(effect.id)
      return
    }
    this.#open = this.#open.filter((each) => each !== effect)
    if (type === 'tool.unknown') this.#unknown.push(effect)
  }

  #write(type: string, payload: object): FoldableEvent {
    // Through JSON, as the register keeps it.
    const stored: JsonObject = JSON.parse(JSON.stringify(payload))
    const event = {
      seq: this.log.length + 1,
      type,
      version: 1,
      at: this.#now,
      actor: 't',
      payload: stored,
    }
    this.log.push(event)
    return event
  }
}

const askedOf = (verdict: Verdict): readonly Asked[] =>
  verdict.type === 'approval.requested' ? [verdict.payload] : []

const questionOf = (verdict: Verdict): readonly string[] =>
  verdict.type === 'input.requested' ? [verdict.payload.callId] : []

type About = Readonly<Record<string, unknown>>

/** A fact about work of another kind, repeated from a time when nothing had its id, is no outcome of this. */
function fits(effect: Effect, type: string): boolean {
  if (type.startsWith('policy.')) return effect.kind === 'policy.evaluate'
  if (type.startsWith('model.')) return effect.kind === 'model.call'
  if (type.startsWith('context.')) return effect.kind === 'context.compact'
  return type === 'budget.refused' ? effect.kind !== 'policy.evaluate' : doesCall(effect)
}

const isAbout = (effect: Effect, about: About): boolean =>
  effect.id === about['effectId'] && (!doesCall(effect) || effect.callId === about['callId'])
