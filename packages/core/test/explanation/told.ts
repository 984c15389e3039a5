/** A whole log in short, decisions and notes included, as a register keeps it: what explanations are made of. */
import {
  type AgentDefinition,
  decide,
  type Effect,
  type EventType,
  type Explainable,
  type ExplainedCall,
  explainRun,
  type Fact,
  type JsonObject,
  type RunExplanation,
  transitioned,
  type Verdict,
} from '../../src/index.ts'
import { passports } from '../../../policies/src/pure-policies.ts'
import { doesCall, type Known, type Move, run } from '../support/facts.ts'
import { fresh, machine } from '../support/machine.ts'

/** What is recorded beside the facts, after them. */
export interface Note {
  readonly note: (known: Known) => { readonly type: EventType; readonly payload: object }
}

/** An event whose content is taken away afterwards, by the type of it, with the record of that. */
export interface Erase {
  readonly erase: EventType
  /** Is the erasure recorded? */
  readonly recorded: boolean
}

export type Item = Move | Note | Erase

const json = (payload: object): JsonObject => JSON.parse(JSON.stringify(payload))

/** Facts are decided one by one. */
function logOf(agent: AgentDefinition, items: readonly Item[]): readonly Explainable[] {
  const events: Explainable[] = []
  const effects: Effect[] = []
  const verdicts: Verdict[] = []
  let state = fresh
  let facts = 0
  const write = (type: string, payload: object, more: Partial<Explainable> = {}) =>
    events.push({
      seq: events.length + 1,
      type,
      version: 1,
      at: 1_700_000_000_000 + events.length,
      actor: 'key:default',
      tool: null,
      verdict: null,
      key: null,
      salt: 'ab',
      payload: json(payload),
      ...more,
    })
  for (const item of items) {
    const known = { run, state, effects, verdicts }
    if (typeof item === 'object' && 'erase' in item) {
      const at = events.findLastIndex(({ type }) => type === item.erase)
      const event = events[at]
      if (!event) throw new Error(`there is no ${item.erase} to erase`)
      events[at] = { ...event, payload: {}, salt: '' }
      if (item.recorded) write('payload.erased', { seq: event.seq, reason: 'Asked for.' })
      continue
    }
    if (typeof item === 'object') {
      const { type, payload } = item.note(known)
      write(type, payload)
      continue
    }
    const body = item(known)
    const key = 'effectId' in body.payload ? body.payload.effectId : null
    write(body.type, body.payload, { key })
    const seq = events.length
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a move pairs type and payload
    const fact = { seq, at: events[seq - 1]?.at ?? 0, actor: 'key:default', ...body } as Fact
    const decision = decide({ run, agent, machine, passports }, state, [fact])
    write('run.transitioned', transitioned(decision, { from: facts, through: seq }))
    for (const { type, payload, tool, verdict } of decision.verdicts)
      write(type, payload, { tool, verdict })
    facts = seq
    state = decision.state
    effects.push(...decision.effects)
    verdicts.push(...decision.verdicts)
  }
  return events
}

/** An attempt of the nth call of the run begins. */
export const begins = (n: number, attempt = 1): Note => ({
  note: ({ effects }) => {
    const call = effects.filter((each) => doesCall(each) || each.kind === 'tool.recall')[n]
    return {
      type: 'effect.started',
      payload: { effectId: call?.id ?? '', attempt, leaseMs: 1, owner: `worker-${attempt}` },
    }
  },
})

export const late = (n: number, what: string): Note => ({
  note: ({ effects }) => {
    const call = effects.filter(doesCall)[n]
    return {
      type: 'tool.late',
      payload: {
        effectId: call?.id ?? '',
        attempt: 1,
        callId: call?.callId ?? '',
        error: `${what} arrived when it could no longer count (ended)`,
      },
    }
  },
})

export interface Told {
  readonly explained: RunExplanation
  readonly events: readonly Explainable[]
  /** The nth call. */
  call(n: number): ExplainedCall
  /** Its checks, as `name verdict #seq type`. */
  checks(n: number): readonly string[]
}

/** Explains what came of it. */
export function told(agent: AgentDefinition, ...items: readonly Item[]): Told {
  const events = logOf(agent, items)
  const explained = explainRun({ runId: run, threadId: 'thread' }, events)
  const call = (n: number): ExplainedCall => {
    const found = explained.calls[n]
    if (!found) throw new Error(`there is no call ${n}`)
    return found
  }
  return {
    explained,
    events,
    call,
    checks: (n) =>
      call(n).checks.map(({ check, verdict, proof }) =>
        [check, verdict, `#${proof.seq}`, proof.type].join(' '),
      ),
  }
}
