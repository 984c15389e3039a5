/**
 * What an assistant may change of its agent: its instructions, which of its models is asked first, and its limits, downwards. In
 * the fields that the agent declares it says what its runs say where their clients do not.
 *
 * O1 Nothing that guards an agent can be reached: a word that is neither one of these three nor a field is refused, never ignored.
 * O2 Limits are looked at when an assistant is written, and again for each run: an agent that was configured tighter since
 *    then is as tight for its assistants.
 */
import { AgentDefinition, type JsonObject, type ModelConfig } from '@signalbox/core'
import { z } from 'zod'
import { suggestion } from '../config/nearest.ts'
import { type FieldValue, takes, takesWhat } from './field-values.ts'

const own = AgentDefinition.shape.limits.unwrap().shape

const Limits = z
  .strictObject({
    maxTurns: own.maxTurns.unwrap(),
    maxToolCalls: own.maxToolCalls.unwrap(),
    maxTokens: own.maxTokens.unwrap(),
    timeoutMs: own.timeoutMs.unwrap(),
    maxCost: z.number().positive(),
  })
  .partial()
type LimitName = keyof typeof Limits.shape

const Override = z.object({
  instructions: z.string().optional(),
  model: z.string().optional(),
  limits: Limits.optional(),
})
/** What an assistant changes. */
export type Override = z.output<typeof Override>

/** A field that cannot be what it is, and why. */
export interface OverrideMistake {
  readonly field: string
  readonly message: string
}

/** Where the overrides of an assistant stand. */
type Places = { readonly config: JsonObject; readonly context: JsonObject }

/** What an assistant that is about to be written changes of this agent, or the first thing that it cannot change. */
export function checkOverride(agent: AgentDefinition, places: Places): OverrideMistake | null {
  const read = readOverride(places, agent)
  if ('mistake' in read) return read.mistake
  const mistake = misfit(agent, read.override)
  if (!mistake) return null
  const [key = ''] = mistake.field.split('.')
  const place = key in places.context ? 'context' : 'config.configurable'
  return { ...mistake, field: `${place}.${mistake.field}` }
}

/** What an assistant changes, and what it says in the fields of its agent. */
interface Said {
  readonly override: Override
  readonly fields: Readonly<Record<string, FieldValue>>
}

/** What `context` and `config.configurable` of an assistant say, or the first thing that no assistant can. */
export function readOverride(
  { config, context }: Places,
  { fields: declared = {} }: Pick<AgentDefinition, 'fields'>,
): Said | { readonly mistake: OverrideMistake } {
  const { configurable = {}, tags: _tags, ...rest } = config
  const [other] = Object.keys(rest)
  if (other !== undefined) return refused(`config.${other}`, unknownMessage(other))
  const found: Record<string, unknown> = {}
  const fields: Record<string, FieldValue> = {}
  for (const [place, values] of [
    ['context', context],
    ['config.configurable', configurable],
  ] as const) {
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      return refused(place, 'takes an object')
    for (const [key, value] of Object.entries(values)) {
      const field = `${place}.${key}`
      const isOwn = Object.hasOwn(Override.shape, key)
      const wanted = !isOwn && Object.hasOwn(declared, key) ? declared[key] : undefined
      if (!isOwn && !wanted) return refused(field, unknownMessage(key, Object.keys(declared)))
      if (key in found) return refused(field, 'stands in context already')
      found[key] = value
      if (wanted) {
        if (!takes(wanted, value)) return refused(field, takesWhat(wanted))
        fields[key] = value
        continue
      }
      const parsed = Override.safeParse({ [key]: value })
      if (parsed.success) continue
      const [issue] = parsed.error.issues
      const at = [place, ...(issue?.path ?? [key])].join('.')
      return refused(at, issue?.message ?? 'takes another value')
    }
  }
  return { override: Override.parse(found), fields }
}

/** The agent as the override has it; null if it names a model that the agent does not have. */
export function overridden(agent: AgentDefinition, override: Override): AgentDefinition | null {
  const { instructions = agent.instructions, model, limits = {} } = override
  const models = [agent.model, ...agent.fallbackModels]
  const [first, another] = model === undefined ? [agent.model] : named(models, model)
  if (first === undefined || another !== undefined) return null
  return {
    ...agent,
    instructions,
    model: first,
    // The others stay what they are: asked when it cannot answer, in their order.
    fallbackModels: models.filter((each) => each !== first),
    limits: { ...agent.limits, ...lowered(agent, limits) },
  }
}

function lowered(agent: AgentDefinition, limits: NonNullable<Override['limits']>) {
  return Object.fromEntries(
    limitNames(limits).map((name) => [
      name,
      Math.min(agent.limits[name] ?? Infinity, limits[name] ?? Infinity),
    ]),
  )
}

const limitNames = (limits: NonNullable<Override['limits']>): readonly LimitName[] =>
  Limits.keyof().options.filter((name) => limits[name] !== undefined)

/** By name, or by provider and name where several have the name. */
const named = (models: readonly ModelConfig[], name: string): readonly ModelConfig[] =>
  models.filter((each) => each.model === name || `${each.provider}:${each.model}` === name)

function misfit(agent: AgentDefinition, { model, limits = {} }: Override): OverrideMistake | null {
  const models = [agent.model, ...agent.fallbackModels]
  if (model !== undefined && named(models, model).length !== 1) {
    const known = models.map((each) => `${each.provider}:${each.model}`).join(', ')
    const message = `takes one of the models that the agent "${agent.name}" has: ${known}`
    return { field: 'model', message }
  }
  for (const name of limitNames(limits)) {
    const [most, asked] = [agent.limits[name], limits[name]]
    if (most === null || asked === undefined || asked <= most) continue
    const message = `takes at most ${most}, the limit of the agent "${agent.name}"`
    return { field: `limits.${name}`, message }
  }
  return null
}

const refused = (field: string, message: string) => ({ mistake: { field, message } })

const may = Object.keys(Override.shape)

const unknownMessage = (key: string, fields: readonly string[] = []): string =>
  key in AgentDefinition.shape
    ? `stands in the configuration of the agent alone; an assistant changes ${may.join(', ')}`
    : `is not what an assistant changes.${suggestion(key, [...may, ...fields])}`
