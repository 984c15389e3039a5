/** Mistakes in the definition of a tool, each in one sentence that names the tool, the field, and what would be right. */
import { issueWords, ToolSpec } from '@signalbox/core'
import { z } from 'zod'

/** What a schema in the arguments is called, and what a model can send instead. */
const instead: Readonly<Record<string, readonly [string, string]>> = {
  date: ['z.date()', 'take z.iso.datetime(), a text, and make the date in run'],
  bigint: ['z.bigint()', 'take z.string(), and make the number in run'],
  map: ['z.map()', 'take z.record()'],
  set: ['z.set()', 'take z.array()'],
  transform: ['a transform', 'take what the model is to send, and change it in run'],
  custom: ['z.custom()', 'take a schema that says its form'],
  symbol: ['z.symbol()', 'take z.string()'],
  function: ['z.function()', 'take z.string()'],
  undefined: ['z.undefined()', 'take .optional()'],
  void: ['z.void()', 'leave the field out'],
  nan: ['z.nan()', 'take z.number()'],
}

/** The words for fields whose form is a pattern. */
const forms: Readonly<Record<string, string>> = {
  name: 'takes 1 to 64 of a-z A-Z 0-9 _ -',
  queue: 'takes 1 to 32 of a-z 0-9 -, and begins with a letter',
}

/** A mistake of whoever defines a tool. Thrown at the definition, so that its stack leads there. */
export function toolMistake(
  tool: unknown,
  field: string,
  why: string | { readonly message: string; readonly cause: unknown },
): TypeError {
  const { message, cause } = typeof why === 'string' ? { message: why, cause: undefined } : why
  const name = typeof tool === 'string' ? JSON.stringify(tool) : 'without a name'
  return new TypeError(`Tool ${name}: ${field}: ${message}`, { cause })
}

/** JavaScript has no types that would say it. @throws TypeError */
export function checkDefinition(definition: unknown): void {
  if (typeof definition !== 'object' || definition === null)
    throw new TypeError('defineTool takes { name, description, input, run }')
  const field = (name: string): unknown => Reflect.get(definition, name)
  const name = field('name')
  if (typeof field('run') !== 'function')
    throw toolMistake(name, 'run', 'takes a function (input, context) => …')
  if (kindOf(field('input')) !== 'object')
    throw toolMistake(name, 'input', 'takes z.object({ … }), whose keys are the arguments')
}

/** The arguments as JSON Schema. @throws TypeError that names the field */
export function inputSchemaOf(tool: string, input: z.ZodObject): Record<string, unknown> {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
    return schema
  } catch (cause) {
    const { field, kind } = firstUnrepresentable(input)
    const [what, advice] = instead[kind] ?? [`a schema of the kind ${kind}`, 'take another one']
    const message = `${what} has no form in JSON, and models send JSON: ${advice}`
    throw toolMistake(tool, field, { message, cause })
  }
}

/** The spec as agents pin it. @throws TypeError that names the field */
export function checkedSpec(spec: z.input<typeof ToolSpec>): ToolSpec {
  const parsed = ToolSpec.safeParse(spec, { error: issueWords })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = String(issue?.path[0] ?? '')
  const why = issue?.code === 'invalid_format' ? forms[field] : issue?.message
  throw toolMistake(spec.name, field, why ?? 'cannot be used')
}

function kindOf(schema: unknown): string {
  const inner: unknown = typeof schema === 'object' && schema ? Reflect.get(schema, '_zod') : null
  const def: unknown = typeof inner === 'object' && inner ? Reflect.get(inner, 'def') : null
  return typeof def === 'object' && def ? String(Reflect.get(def, 'type')) : ''
}

function firstUnrepresentable(input: z.ZodObject): { field: string; kind: string } {
  const found: { field: string; kind: string }[] = []
  try {
    z.toJSONSchema(input, {
      io: 'input',
      unrepresentable: ({ path, zodSchema }) => {
        found.push({ field: fieldAt(path), kind: zodSchema._zod.def.type })
        return 'any'
      },
    })
  } catch {
    // A schema that zod does not know at all.
  }
  return found[0] ?? { field: 'input', kind: 'unknown' }
}

/** A path in JSON Schema, as a path in the arguments. */
function fieldAt(path: readonly (string | number)[]): string {
  let text = 'input'
  for (let n = 0; n < path.length; n += 1) {
    const step = path[n]
    if (step === 'properties') text += `.${String(path[(n += 1)])}`
    else if (step === 'items') text += '[]'
    else if (step === 'additionalProperties') text += '.<name>'
  }
  return text
}
