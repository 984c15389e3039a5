/** The state of a run between decisions, as the machine needs it and as the register caches it (DESIGN §3.11). */
import { z } from 'zod'
import type { JsonObject } from './json.ts'
import {
  packCalls,
  packCounts,
  packRates,
  packTold,
  unpackCalls,
  unpackCounts,
  unpackRates,
  unpackTold,
  wordsOf,
} from './machine/compact.ts'
import { emptyContext, type RunContext } from './machine/context.ts'
import { runMachine } from './machine/run-machine.ts'
import { Outcome, StateName } from './outcome.ts'
import { LoopState } from './verdict/loop/state.ts'

/** A state of the machine with its context. */
export interface RunState {
  readonly name: StateName
  readonly context: RunContext
}

/** Before the first fact. */
export const initialState: RunState = { name: 'queued', context: emptyContext }

const finals: readonly StateName[] = ['completed', 'failed', 'cancelled']

/** Has the run ended? */
export const isFinal = (state: RunState): boolean => finals.includes(state.name)

/** The XState snapshot of a state. */
export const restore = (state: RunState) =>
  runMachine.resolveState({ value: state.name, context: state.context })

/** The state of an XState snapshot. The machine is flat, so its value is a state's name. */
export const toState = (snapshot: {
  readonly value: unknown
  readonly context: RunContext
}): RunState => ({ name: StateName.parse(snapshot.value), context: snapshot.context })

/** What grows is one text each (`machine/compact.ts`): the cached state has a limit (`limits.stateBytesMax`). */
const PersistedContext = z.object({
  run: z.string(),
  counts: z.string(),
  open: z.string(),
  told: z.string(),
  loop: LoopState,
  rates: z.string(),
  grants: z.string(),
  refused: z.string(),
  /** Absent where nobody is told of the run. */
  webhooks: z
    .string()
    .regex(/^[0-9a-z ]*$/)
    .default(''),
  /** Absent but in a rerun. */
  rerun: z.boolean().default(false),
  /** Absent where nothing waits to be shown to the model. */
  injected: z.number().int().min(0).default(0),
  since: z.number().nullable(),
  ending: Outcome.nullable(),
})

const Persisted = z.object({ v: z.literal(1), name: StateName, context: PersistedContext })

/** The compact form that is cached with the run. */
export function persist({ name, context }: RunState): JsonObject {
  const { run, loop, injected, since, ending } = context
  const webhooks = context.webhooks.map((bits) => bits.toString(36)).join(' ')
  const texts = {
    counts: packCounts(context),
    open: packCalls(context),
    told: packTold(context.told),
    rates: packRates(context.rates),
    grants: context.grants.join(' '),
    refused: context.refused.join(' '),
    ...(webhooks === '' ? {} : { webhooks }),
    ...(context.rerun ? { rerun: true } : {}),
    ...(injected === 0 ? {} : { injected }),
  }
  return { v: 1, name, context: { run, ...texts, loop: { ...loop }, since, ending } }
}

/** Reads the cached form back. Throws for what is not a state: the cache is deletable, the caller folds the log instead. */
export function revive(json: JsonObject): RunState {
  const { name, context } = Persisted.parse(json)
  const { counts, open, told, rates, grants, refused, webhooks, ...plain } = context
  const numbers = unpackCounts(counts)
  return {
    name,
    context: {
      ...plain,
      ...numbers,
      open: unpackCalls(open, numbers.effects),
      told: unpackTold(told),
      rates: unpackRates(rates),
      grants: wordsOf(grants),
      refused: wordsOf(refused),
      webhooks: wordsOf(webhooks).map((bits) => Number.parseInt(bits, 36)),
    },
  }
}
