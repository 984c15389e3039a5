/** The state of a run between decisions, as the machine needs it and as the register caches it (DESIGN §3.11). */
import { z } from 'zod'
import type { JsonObject } from './json.ts'
import { emptyContext, type OpenCall, type RunContext } from './machine/context.ts'
import { runMachine } from './machine/run-machine.ts'
import { Outcome, StateName } from './outcome.ts'

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

/** `warned` as positions in `window`, `open` as one text: the cached state has a limit (`limits.stateBytesMax`). */
const PersistedContext = z.object({
  run: z.string(),
  turn: z.number(),
  retry: z.number(),
  effects: z.number(),
  source: z.number(),
  modelOpen: z.boolean(),
  open: z.string(),
  calls: z.number(),
  tokens: z.number(),
  window: z.array(z.string()),
  warned: z.array(z.number()),
  activeMs: z.number(),
  since: z.number().nullable(),
  ending: Outcome.nullable(),
})

const Persisted = z.object({ v: z.literal(1), name: StateName, context: PersistedContext })

const short = { running: 'r', unknown: 'u', asked: 'a' } as const
const long = new Map<string, OpenCall['status']>([
  ['r', 'running'],
  ['u', 'unknown'],
  ['a', 'asked'],
])

/** The compact form that is cached with the run. */
export function persist(state: RunState): JsonObject {
  const { context } = state
  const open = Object.entries(context.open)
    .map(([index, call]) => `${index}${short[call.status]}${call.effect}`)
    .join(' ')
  const warned = context.warned.map((set) => context.window.indexOf(set))
  return { v: 1, name: state.name, context: { ...context, open, warned } }
}

/** Reads the cached form back. Throws for what is not a state: the cache is deletable, the caller folds the log instead. */
export function revive(json: JsonObject): RunState {
  const { name, context } = Persisted.parse(json)
  const open = Object.fromEntries(context.open.split(' ').filter(Boolean).map(openCall))
  const warned = context.warned.map((at) => context.window[at] ?? unreadable(`warned ${at}`))
  return { name, context: { ...context, open, warned } }
}

function openCall(text: string): readonly [string, OpenCall] {
  const [, index = '', letter = '', effect = ''] = /^(\d+)([rua])(\d+)$/.exec(text) ?? []
  return [index, { effect: Number(effect), status: long.get(letter) ?? unreadable(text) }]
}

function unreadable(what: string): never {
  throw new Error(`the cached state is unreadable: ${what}`)
}
