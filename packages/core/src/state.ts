/** The state of a run between decisions, as the machine needs it and as the register caches it (DESIGN §3.11). */
import { z } from 'zod'
import type { JsonObject } from './json.ts'
import {
  nameCounters,
  packCalls,
  packCounts,
  packRates,
  packSkills,
  packTold,
  unpackCalls,
  unpackCounts,
  unpackRates,
  unpackSkills,
  unpackTold,
  unreadable,
  wordsOf,
} from './machine/compact.ts'
import { packRoom, unpackRoom } from './machine/compact-room.ts'
import { emptyContext, type RunContext } from './machine/context.ts'
import type { Machine } from './machine/versions.ts'
import { NewerError } from './newer.ts'
import { Outcome, StateName } from './outcome.ts'
import { LoopState } from './verdict/loop/state.ts'

/** A state of the machine with its context. */
export interface RunState {
  readonly name: StateName
  readonly context: RunContext
}

/** Before the first fact. */
export const initialState = ({ context }: Machine): RunState => ({ name: 'queued', context })

const finals: readonly StateName[] = ['completed', 'failed', 'cancelled']

/** Has the run ended? */
export const isFinal = (state: RunState): boolean => finals.includes(state.name)

/** The XState snapshot of a state. */
export const restore = ({ chart }: Machine, state: RunState) =>
  chart.resolveState({ value: state.name, context: state.context })

/** The state of an XState snapshot. The machine is flat, so its value is a state's name. */
export const toState = (snapshot: {
  readonly value: unknown
  readonly context: RunContext
}): RunState => ({ name: StateName.parse(snapshot.value), context: snapshot.context })

/** Parts that grow are one text each (`machine/compact.ts`): the cached state has a limit (`limits.stateBytesMax`). */
const PersistedContext = z.object({
  run: z.string(),
  counts: z.string(),
  /** Absent unless a model call is open. */
  modelOpen: z.boolean().default(false),
  open: z.string(),
  told: z.string(),
  loop: LoopState,
  rates: z.string(),
  grants: z.string(),
  refused: z.string(),
  /** Absent where the agent does not ask for it, and before the first count. */
  room: z.string().optional(),
  /** Absent where none is loaded. */
  skills: z.string().default(''),
  /** Absent where nobody is told of the run. */
  webhooks: z
    .string()
    .regex(/^[0-9a-z ]*$/)
    .default(''),
  /** Absent but in a rerun. */
  rerun: z.boolean().default(false),
  since: z.number().nullable(),
  ending: Outcome.nullable(),
})

/** The form in which states are cached. Older ones are lifted when they are read. */
const form = 2

const Persisted = z.object({ v: z.literal(form), name: StateName, context: PersistedContext })

/** `lifts[n]` lifts a cached state from form n to n + 1. */
const lifts: Readonly<Record<number, (state: JsonObject) => JsonObject>> = { 1: nameCounters }

/** The compact form that is cached with the run. */
export function persist({ name, context }: RunState): JsonObject {
  const { run, modelOpen, loop, since, ending } = context
  const webhooks = context.webhooks.map((bits) => bits.toString(36)).join(' ')
  const skills = packSkills(context.skills)
  const texts = {
    counts: packCounts(context),
    ...(modelOpen ? { modelOpen } : {}),
    open: packCalls(context),
    told: packTold(context.told),
    rates: packRates(context.rates),
    grants: context.grants.join(' '),
    refused: context.refused.join(' '),
    ...(context.room ? { room: packRoom(context.room, run) } : {}),
    ...(skills === '' ? {} : { skills }),
    ...(webhooks === '' ? {} : { webhooks }),
    ...(context.rerun ? { rerun: true } : {}),
  }
  return { v: form, name, context: { run, ...texts, loop: { ...loop }, since, ending } }
}

/**
 * Reads the cached form back. Throws a `NewerError` for a newer form, and another error for what is not a state of the
 * machine: the cache is deletable, the caller folds the log instead.
 */
export function revive(machine: Machine, json: JsonObject): RunState {
  const { name, context } = Persisted.parse(lifted(json))
  const { counts, open, told, rates, grants, refused, room, skills, webhooks, ...plain } = context
  const counted = { ...machine.context, ...unpackCounts(counts, machine.context) }
  return {
    name,
    context: {
      ...counted,
      ...plain,
      open: unpackCalls(open, counted.effects),
      told: unpackTold(told),
      rates: unpackRates(rates),
      grants: wordsOf(grants),
      refused: wordsOf(refused),
      room: room === undefined ? null : unpackRoom(room, context.run),
      skills: unpackSkills(skills),
      webhooks: wordsOf(webhooks).map((bits) => Number.parseInt(bits, 36)),
    },
  }
}

/** The use of limits that a cached state says, of whichever version of the machine; null for what this build cannot read. */
export function spentIn(json: JsonObject): {
  readonly turns: number
  readonly calls: number
  readonly tokens: number
  readonly cost: number
} | null {
  try {
    const { counts } = z.object({ counts: z.string() }).parse(lifted(json)['context'])
    const { turn, childTurns, calls, tokens, cost } = {
      ...emptyContext,
      ...unpackCounts(counts, emptyContext),
    }
    return { turns: turn + childTurns, calls, tokens, cost }
  } catch {
    return null
  }
}

function lifted(json: JsonObject): JsonObject {
  const { v } = json
  if (typeof v === 'number' && v > form) throw new NewerError(`a cached state of form ${v}`)
  let state = json
  for (let at = Number(v); at < form; at++) state = lifts[at]?.(state) ?? unreadable(`form ${at}`)
  return state
}
