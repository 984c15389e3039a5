/**
 * What assistants change of agents. Would catch: a limit that is raised, a guard that is loosened or left out, a model that
 * the configuration does not name.
 */
import { AgentDefinition, JsonObjectSchema } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkOverride, overridden, readOverride } from '../src/assistants/override.ts'

const model = (name: string) => ({ provider: 'scripted', model: name })
const agent = (limits: object = {}) =>
  AgentDefinition.parse({
    name: 'clerk',
    model: model('one'),
    fallbackModels: [model('two'), { ...model('two'), provider: 'openai' }, model('three')],
    instructions: 'You note.',
    tools: [],
    guardrails: { deniedTools: ['bash'], approvalTools: ['pay'] },
    safety: { hold: { stops: 1, withinMs: 1, holdMs: 1 } },
    limits,
  })

const modelsOf = (one: AgentDefinition) => [one.model, ...one.fallbackModels]

const limitNames = ['maxTurns', 'maxToolCalls', 'maxTokens', 'timeoutMs', 'maxCost'] as const
const limit = fc.integer({ min: 1, max: 20 })
const limitsOf = fc.record(Object.fromEntries(limitNames.map((name) => [name, limit])), {
  requiredKeys: [],
})

describe('an override', () => {
  it('never raises a limit, and reaches nothing else', () => {
    fc.assert(
      fc.property(
        limitsOf,
        limitsOf,
        fc.option(fc.constantFrom('one', 'three', 'openai:two', 'gone', 'two'), { nil: undefined }),
        fc.option(fc.string(), { nil: undefined }),
        fc.boolean(),
        (own, limits, named, instructions, inConfig) => {
          const base = agent(own)
          const values = JsonObjectSchema.parse({
            limits,
            ...(named === undefined ? {} : { model: named }),
            ...(instructions === undefined ? {} : { instructions }),
          })
          const places = inConfig
            ? { config: { configurable: values }, context: {} }
            : { config: {}, context: values }
          const read = readOverride(places, base)
          if ('mistake' in read) throw new Error(read.mistake.message)
          const made = overridden(base, read.override)
          const isAmbiguous = named === 'gone' || named === 'two'
          expect(made === null).toBe(isAmbiguous)
          const isRaised = limitNames.some(
            (name) => (limits[name] ?? 0) > (base.limits[name] ?? Infinity),
          )
          expect(checkOverride(base, places) !== null).toBe(isAmbiguous || isRaised)
          if (!made) return
          for (const name of limitNames) {
            const most = base.limits[name] ?? Infinity
            expect(made.limits[name] ?? Infinity).toBe(Math.min(most, limits[name] ?? most))
          }
          expect(new Set(modelsOf(made))).toEqual(new Set(modelsOf(base)))
          const { limits: _l, model: _m, fallbackModels: _f, ...rest } = made
          const { limits: _bl, model: _bm, fallbackModels: _bf, ...baseRest } = base
          expect(rest).toEqual({ ...baseRest, instructions: instructions ?? base.instructions })
          expect(made.limits.warnAt).toBe(base.limits.warnAt)
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each(
    Object.keys(AgentDefinition.shape).filter(
      (key) => !['instructions', 'model', 'limits'].includes(key),
    ),
  )('cannot change %s, wherever it stands', (key) => {
    for (const places of [
      { config: {}, context: { [key]: {} } },
      { config: { configurable: { [key]: {} } }, context: {} },
    ])
      expect(checkOverride(agent(), places)?.message).toContain('configuration of the agent alone')
    expect(checkOverride(agent(), { config: { [key]: 1 }, context: {} })?.field).toBe(
      `config.${key}`,
    )
  })

  it.each([
    [{ limits: { maxTurns: 1.5 } }, 'context.limits.maxTurns'],
    [{ limits: { maxCost: 0 } }, 'context.limits.maxCost'],
    [{ limits: { maxCost: null } }, 'context.limits.maxCost'],
    [{ limits: { warnAt: 1 } }, 'context.limits'],
    [{ limits: [] }, 'context.limits'],
    [{ instructions: 5 }, 'context.instructions'],
    [{ toString: 'x' }, 'context.toString'],
  ])('that is %j is refused', (context, field) => {
    expect(checkOverride(agent(), { config: {}, context })?.field).toBe(field)
  })
})
