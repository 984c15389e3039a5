/** `packages/client/src/generated.ts`: the types of the API, made of its OpenAPI document and of core's event schemas. */
import { eventSchemas } from '@signalbox/core'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { z } from 'zod'
import type { Api } from '../../packages/server/src/http/api.ts'
import { createApp, describe } from '../../packages/server/src/http/app.ts'

/** Where the file stands, from the root of the repository. */
export const clientTypesPath = 'packages/client/src/generated.ts'

const banner = `/**
 * Written by \`node scripts/docs/main.ts\`, from the OpenAPI document and the schemas of events. A test compares it.
 */
`

/** What the compiler says of every definition. */
const referenced =
  / \*\n \* This interface was referenced by `Generated`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g

/** Of the root, which is only a place for definitions. */
const rootInterface = /export interface Generated \{[^}]*\}\n/

/** What the file must hold. */
export async function clientTypes(): Promise<string> {
  const { components, operations } = readDocument()
  const events = Object.entries(eventSchemas).map(([type, schema]) => [type, payloadOf(schema)])
  const root = {
    type: 'object',
    definitions: {
      ...components,
      Operations: {
        ...closed(operations),
        description: 'Every operation of the API: what a request of it has, and what it answers.',
      },
      EventPayloads: {
        ...closed(Object.fromEntries(events)),
        description: 'Payloads of events, by the type of the event, in their current version.',
      },
    },
  }
  const text = await compile(plain(root), 'Generated', {
    bannerComment: banner,
    // Lists with a bound would become one tuple for each length.
    ignoreMinAndMaxItems: true,
    additionalProperties: false,
    unreachableDefinitions: true,
    enableConstEnums: false,
    style: { semi: false, singleQuote: true, printWidth: 100, trailingComma: 'all' },
  })
  return text.replaceAll(referenced, '').replace(rootInterface, '')
}

/** An object that has these properties, all of them. */
const closed = (properties: Readonly<Record<string, unknown>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const places = ['path', 'query', 'header'] as const

const Parameter = z.object({
  in: z.enum(places),
  name: z.string(),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: z.record(z.string(), z.unknown()),
})
const Content = z.record(z.string(), z.object({ schema: z.unknown() }))
const Operation = z.object({
  summary: z.string(),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content, required: z.boolean().default(false) }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.default({}) })),
})
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
})

function readDocument() {
  const { paths, components } = Document.parse(openApi())
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      operationSchema(operation),
    ]),
  )
  const named = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    { description: `\`${name}\` of the OpenAPI document.`, ...schema },
  ])
  return {
    components: Object.fromEntries(named),
    operations: Object.fromEntries(operations),
  }
}

/** The document without a server: the routes stand in it before anything is asked of what they stand on. */
function openApi(): object {
  const api: Api = {
    ...JSON.parse('{}'),
    version: '0',
    settings: { bodyBytesMax: 0, waitMsMax: 0, heartbeatMs: 0, pollMs: 0 },
  }
  return describe(createApp(api), api.version)
}

interface Part {
  readonly name: (typeof places)[number] | 'body'
  readonly needed: boolean
  readonly schema: object
}

function operationSchema(operation: z.output<typeof Operation>) {
  const { summary, parameters, requestBody, responses } = operation
  const parts: Part[] = places.flatMap((place) => {
    const here = parameters.filter((parameter) => parameter.in === place)
    if (here.length === 0) return []
    const required = here.filter((each) => each.required).map(({ name }) => name)
    const properties = Object.fromEntries(here.map(({ name, schema }) => [name, schema]))
    return [
      {
        name: place,
        needed: required.length > 0,
        schema: { type: 'object', properties, required },
      },
    ]
  })
  const body = requestBody?.content['application/json']
  if (requestBody && body)
    parts.push({ name: 'body', needed: requestBody.required, schema: Object(body.schema) })
  const properties = Object.fromEntries(parts.map(({ name, schema }) => [name, schema]))
  return {
    type: 'object',
    description: summary,
    properties: { ...properties, answer: answerOf(responses) },
    required: [...parts.filter(({ needed }) => needed).map(({ name }) => name), 'answer'],
  }
}

/** What it answers if all is well, as JSON; null if that is not JSON, or nothing. */
function answerOf(responses: z.output<typeof Operation>['responses']): unknown {
  const good = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return good?.[1].content['application/json']?.schema ?? { type: 'null' }
}

const payloadOf = (schema: z.core.$ZodType): object =>
  z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' })

/** The schemas in the words of the compiler, which reads an older draft and keeps definitions in another place. */
function plain(schema: object): JSONSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    // A title would become a type of its own, in each place anew. What refers to itself is JSON of any shape.
    if (key === '$schema' || key === '$defs') return undefined
    if (key === 'title' && typeof value === 'string') return undefined
    if (isInner(value)) return { tsType: 'unknown' }
    return isAnyObject(value) ? { ...value, additionalProperties: {} } : value
  })
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/definitions/'))
}

const Inner = z.object({ $ref: z.string().startsWith('#/$defs/') })
const isInner = (value: unknown): boolean => Inner.safeParse(value).success

/** An object of which nothing is said: closed it would be an empty one. */
const AnyObject = z.looseObject({
  type: z.union([z.literal('object'), z.array(z.string()).refine((all) => all.includes('object'))]),
  properties: z.never().optional(),
  additionalProperties: z.never().optional(),
})
const isAnyObject = (value: unknown): value is object => AnyObject.safeParse(value).success
