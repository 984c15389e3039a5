/** JSON schemas as words and lists, for people who read them. */
import { z } from 'zod'
import { type Html, html } from './html.ts'

/** A schema of the document. */
export const Schema = z.record(z.string(), z.unknown())
export type Schema = z.infer<typeof Schema>

const Schemas = z.array(Schema)
const Properties = z.record(z.string(), Schema)
const Names = z.array(z.string())
const components = '#/components/schemas/'
const valuesMax = 12
/** Lists within lists: deeper ones are in the example, and in the document. */
const depthMax = 4

const parsed = <T>(schema: z.ZodType<T>, value: unknown): T | null => {
  const found = schema.safeParse(value)
  return found.success ? found.data : null
}

/** What a value of the schema is, in a few words. */
export function schemaWords(schema: Schema | null | undefined): Html {
  if (!schema) return html`anything`
  const { $ref, type } = schema
  if (typeof $ref === 'string' && $ref.startsWith(components))
    return link($ref.slice(components.length))
  const { const: only, enum: values } = schema
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`
  if (Array.isArray(values)) return oneOf(values)
  const ways = parsed(Schemas, schema['anyOf'] ?? schema['oneOf'])
  if (ways) return joined(ways.map(schemaWords), ' or ')
  const all = parsed(Schemas, schema['allOf'])
  if (all) return joined(all.map(schemaWords), ' with ')
  if (type === 'array') return html`list of ${schemaWords(parsed(Schema, schema['items']))}`
  const types = Array.isArray(type)
    ? type.map(String)
    : [typeof type === 'string' ? type : 'anything']
  return html`${types.join(' or ')}${bounds(schema)}`
}

const link = (name: string): Html => html`<a href="#schema-${name}">${name}</a>`

function oneOf(values: readonly unknown[]): Html {
  const shown = values
    .slice(0, valuesMax)
    .map((value) => html`<code>${JSON.stringify(value)}</code>`)
  const more = values.length > valuesMax ? html`, and ${values.length - valuesMax} more` : html``
  return html`${joined(shown, ', ')}${more}`
}

const joined = (parts: readonly Html[], by: string): Html => ({
  html: parts.map((part) => part.html).join(by),
})

/** What a text or a number is held within. */
function bounds(schema: Schema): string {
  const number = (key: string): number | null => {
    const value = schema[key]
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null
  }
  const [least, most] = [number('minimum'), number('maximum')]
  const [shortest, longest] = [number('minLength'), number('maxLength')]
  const said = [
    typeof schema['format'] === 'string' ? schema['format'] : null,
    least === null ? null : `from ${least}`,
    most === null ? null : `to ${most}`,
    shortest === null || shortest === 0 ? null : `at least ${shortest} characters`,
    longest === null ? null : `at most ${longest} characters`,
  ].filter((each) => each !== null)
  return said.length === 0 ? '' : ` (${said.join(', ')})`
}

/** The fields of a schema, those of its inner ones below them. */
export function schemaLines(schema: Schema | null | undefined, depth = 0): readonly Html[] {
  if (!schema || depth >= depthMax) return []
  const inner = parsed(Schema, schema['items'])
  if (inner) return schemaLines(inner, depth)
  const parts = parsed(Schemas, schema['allOf'] ?? schema['anyOf'] ?? schema['oneOf'])
  const properties = parsed(Properties, schema['properties'])
  const needed = parsed(Names, schema['required']) ?? []
  const own = Object.entries(properties ?? {}).map(([name, field]) => {
    const below = schemaLines(field, depth + 1)
    const about = typeof field['description'] === 'string' ? field['description'] : ''
    const optional = needed.includes(name) ? '' : ' ?'
    return html`<li>
      <code>${name}</code>${optional} ${schemaWords(field)} <span class="soft">${about}</span>${
        below.length === 0
          ? ''
          : html`<ul>
              ${below}
            </ul>`
      }
    </li> `
  })
  return [...own, ...(parts ?? []).flatMap((part) => schemaLines(part, depth + 1))]
}
