/** `docs/events.md`, made of core's schemas and of the doc comments that stand before them. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import {
  currentVersion,
  eventClass,
  eventSchemas,
  type EventType,
  eventTypes,
  exampleOf,
  ledgerSchemas,
  reservedTypes,
} from '@signalbox/core'
import type { z } from 'zod'
import { type DocComments, readDocComments } from './doc-comments.ts'
import { eventsIntroduction } from './events-introduction.ts'
import { glossary } from './glossary.ts'
import { table } from './markdown.ts'
import { namedSchemas, partsOf, schemaOf, typeText, unwrap } from './schema-type.ts'

const classes = [
  {
    name: 'fact',
    title: 'Facts',
    about: 'What happened outside the decider. Each is folded by exactly one decision.',
  },
  {
    name: 'decision',
    title: 'Decisions',
    about:
      'What the machine made of the facts so far: one `run.transitioned` per decision, and an event per notable verdict. A check that passes writes nothing.',
  },
  {
    name: 'note',
    title: 'Notes',
    about: 'Recorded and chained, never folded. They may follow the end of a run.',
  },
  {
    name: 'ledger',
    title: 'The ledger',
    about:
      'Notes about what belongs to no run. They stand in a run of their own, one per tenant and month: see the page on the [audit](audit.md#the-ledger).',
  },
] as const

const classOf = (type: EventType): (typeof classes)[number]['name'] =>
  Object.hasOwn(ledgerSchemas, type) ? 'ledger' : eventClass(type)

const link = (name: string): string => `[${name}](#${name.toLowerCase()})`

/** The whole page. Throws for a field that nothing describes, and for an example that does not fit its schema. */
export function eventsPage(root: string): string {
  const files = globSync('packages/core/src/**/*.ts', { cwd: root }).toSorted()
  const docs = readDocComments(files.map((file) => join(root, file)))
  const sections = classes.map(({ name, title, about }) => {
    const own = eventTypes.filter((type) => classOf(type) === name)
    return [`## ${title}`, about, ...own.map((type) => eventSection(type, docs))].join('\n\n')
  })
  const parts = usedParts(eventTypes).map(([name, schema]) => partSection(name, schema, docs))
  return (
    [eventsIntroduction, ...sections, '## Parts', 'What payloads are made of.', ...parts, '']
      .join('\n\n')
      .trimEnd() + '\n'
  )
}

function eventSection(type: EventType, docs: DocComments): string {
  const schema = eventSchemas[type]
  const list = `${classOf(type)}Schemas`
  const notYet = reservedTypes.includes(type)
    ? ' **Reserved: nothing in this version writes it.**'
    : ''
  const about = docs.get(`${list}.${type}`) ?? missing(type)
  const example = JSON.stringify(exampleOf(type), null, 2)
  const fields = fieldTable(schema, `${list}.${type}`, docs)
  return [
    `### ${type}`,
    `Version ${currentVersion(type)}. ${about}${notYet}`,
    ...(fields === null ? ['The payload is empty.'] : [fields]),
    `\`\`\`json event=${type}\n${example}\n\`\`\``,
  ].join('\n\n')
}

function fieldTable(schema: z.core.$ZodType, at: string, docs: DocComments): string | null {
  const { def } = schemaOf(schema)._zod
  if (def.type !== 'object') return null
  const fields = Object.entries(def.shape)
  if (fields.length === 0) return null
  const rows = fields.map(([name, field]) => {
    const optional = schemaOf(field)._zod.def.type === 'optional' ? ' (may be absent)' : ''
    const about =
      docs.get(`${at}.${name}`) ??
      glossary[`${at.replace(/^\w+Schemas\./, '')}.${name}`] ??
      glossary[name] ??
      missing(`${at}.${name}`)
    return [`\`${name}\``, `${typeText(field, link)}${optional}`, about]
  })
  return table(['field', 'type', 'meaning'], rows)
}

function missing(what: string): never {
  throw new Error(`nothing describes ${what}: write a doc comment, or an entry of the glossary`)
}

/** Named schemas that payloads are made of, in the order in which they are met. */
function usedParts(types: readonly EventType[]): readonly (readonly [string, z.core.$ZodType])[] {
  const met = new Map<string, z.core.$ZodType>()
  const visit = (schema: z.core.$ZodType): void => {
    const name = namedSchemas.get(schema)
    if (name !== undefined && met.has(name)) return
    if (name !== undefined) met.set(name, schema)
    partsOf(schema).forEach(visit)
  }
  for (const type of types) visit(eventSchemas[type])
  return [...met]
}

function partSection(name: string, schema: z.core.$ZodType, docs: DocComments): string {
  const about = docs.get(name) ?? ''
  const inner = unwrap(schema)
  const fields = fieldTable(inner, name, docs)
  const { def } = inner._zod
  const values =
    def.type === 'union'
      ? `One of ${def.options.map((option) => typeText(option, link)).join(', ')}.`
      : def.type === 'enum'
        ? `One of ${typeTextOf(def.entries)}.`
        : null
  return [`### ${name}`, ...[about, values, fields].filter(Boolean)].join('\n\n')
}

const typeTextOf = (entries: Readonly<Record<string, unknown>>): string =>
  Object.values(entries)
    .map((value) => `\`${String(value)}\``)
    .join(', ')
