import { createHash } from 'node:crypto'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type ToolContext, type Workspace } from '../src/index.ts'

const input = z.object({
  city: z.string(),
  days: z.number().int().default(3),
  unit: z.enum(['c', 'f']).optional(),
})

describe('defineTool', () => {
  it('gives run the types of the schema after its defaults', () => {
    const tool = defineTool({
      name: 'weather',
      description: 'Weather.',
      input,
      run(value, context) {
        expectTypeOf(value).toEqualTypeOf<{
          city: string
          days: number
          unit?: 'c' | 'f' | undefined
        }>()
        expectTypeOf(context).toEqualTypeOf<ToolContext>()
        expectTypeOf(context.workspace).toEqualTypeOf<Workspace>()
        // @ts-expect-error -- not a property of the schema
        return value.town
      },
    })
    expect(tool.spec.name).toBe('weather')
  })

  it('writes the JSON Schema of what the model gives, where defaults are optional', () => {
    const spec = defineTool({ name: 'weather', description: 'W', input, run: () => '' }).toSpec()
    expect(spec.inputSchema).toMatchObject({
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, days: { type: 'integer', default: 3 } },
    })
    expect(spec.inputSchema).not.toHaveProperty('$schema')
  })

  it('counts as once, for 60 s, on the queue "tools", unless told otherwise', () => {
    const base = { name: 't', description: 'T', input: z.object({}), run: () => '' }
    expect(defineTool(base).toSpec()).toMatchObject({
      effect: 'once',
      timeoutMs: 60_000,
      queue: 'tools',
    })
    const other = { effect: 'read', timeoutMs: 5, queue: 'slow' } as const
    expect(defineTool({ ...base, ...other }).toSpec()).toMatchObject(other)
  })

  it('versions name, schema and effect, by sha256 over canonical JSON, and nothing else', () => {
    const base = { name: 't', description: 'T', input: z.object({}), run: () => '' }
    const version = defineTool(base).toSpec().version
    const canonical = '["t",{"properties":{},"type":"object"},"once"]'
    expect(version).toBe(createHash('sha256').update(canonical).digest('hex').slice(0, 16))
    expect(defineTool({ ...base, description: 'Other' }).toSpec().version).toBe(version)
    const changed = [
      defineTool({ ...base, name: 'u' }),
      defineTool({ ...base, effect: 'read' }),
      defineTool({ ...base, input: z.object({ a: z.string() }) }),
    ].map((tool) => tool.toSpec().version)
    expect(new Set([version, ...changed]).size).toBe(4)
  })

  it.each([
    ['a name with spaces', { name: 'no good' }],
    ['a name that is too long', { name: 'n'.repeat(65) }],
    ['a queue with capitals', { queue: 'Tools' }],
    ['a timeout of nothing', { timeoutMs: 0 }],
    ['a schema that JSON cannot say', { input: z.object({ at: z.date() }) }],
  ])('refuses %s', (_, wrong) => {
    const base = { name: 't', description: 'T', input: z.object({}), run: () => '' }
    expect(() => defineTool({ ...base, ...wrong })).toThrow(Error)
  })
})
