/** An OpenAPI document as a checker needs it: which operation a request is, and what that may answer. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { z } from 'zod'
import { withClosedAnswers } from './closed-schemas.ts'

/** What a schema says against a value; null if nothing. */
type Check = (value: unknown) => string | null

/** A response that is declared. */
export interface Declared {
  /** By media type. */
  readonly types: ReadonlyMap<string, Check>
  /** Names of headers that it must have. */
  readonly headers: readonly string[]
}

export interface Operation {
  readonly method: string
  readonly path: string
  /** Of a status; undefined if it is not declared. */
  declared(status: number): Declared | undefined
}

export interface ApiDocument {
  readonly operations: readonly Operation[]
  /** The operation that answers a request, by method and percent-encoded path. */
  operationOf(method: string, path: string): Operation | undefined
  /** What an address without an operation answers. */
  readonly problem: Declared
}

const ResponseObject = z.object({
  content: z.record(z.string(), z.object({ schema: z.unknown() })).default({}),
  headers: z.record(z.string(), z.object({ required: z.boolean().default(false) })).default({}),
})
const Document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), ResponseObject) })),
  ),
})

const read = new WeakMap<object, ApiDocument>()
const byText = new Map<string, ApiDocument>()

/** Reads a document. Equal ones are read once: compiling schemas takes longer than most tests. */
export function documentOf(document: object): ApiDocument {
  const known = read.get(document)
  if (known) return known
  const text = JSON.stringify(document)
  const made = byText.get(text) ?? readDocument(JSON.parse(text))
  byText.set(text, made)
  read.set(document, made)
  return made
}

const root = 'openapi'

function readDocument(json: object): ApiDocument {
  const { paths } = Document.parse(json)
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    allErrors: true,
    // Each worker compiles some hundred schemas for a few answers of each: what the compiler saves is what counts, a fifth is left.
    // That the document itself is valid is another test's.
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  })
  ajv.addSchema(withClosedAnswers(json), root)
  const places = Object.entries(paths).map(([path, item]) => ({
    literals: path.split('/').filter((part) => !part.startsWith('{')).length,
    pattern: patternOf(path),
    operations: Object.entries(item).map(([method, { responses }]) =>
      operation(ajv, { method, path }, responses),
    ),
  }))
  // An address that is spelled out comes before one with a parameter in its place.
  places.sort((a, b) => b.literals - a.literals)
  const problem = { $ref: `${root}#/components/closed/Problem` }
  return {
    operations: places.flatMap((place) => place.operations),
    operationOf(method, path) {
      const here = decoded(path)
      const wanted = method === 'HEAD' ? 'GET' : method
      return places
        .filter(({ pattern }) => pattern.test(here))
        .flatMap((place) => place.operations)
        .find((each) => each.method === wanted)
    },
    problem: {
      types: new Map([['application/problem+json', lazily(ajv, problem)]]),
      headers: [],
    },
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)

/** The router reads addresses as the URL Standard does, `..` resolved, and decoded; slashes stay as they are. */
function decoded(path: string): string {
  const bare = path.split('?')[0] ?? ''
  try {
    return decodeURI(bare.startsWith('/') ? new URL(`http://server${bare}`).pathname : bare)
  } catch {
    return bare
  }
}

function operation(
  ajv: Ajv2020,
  { method, path }: { readonly method: string; readonly path: string },
  responses: Readonly<Record<string, z.output<typeof ResponseObject>>>,
): Operation {
  const at = `${root}#/paths/${pointer(path)}/${method}/responses`
  const declared = new Map(
    Object.entries(responses).map(([status, { content, headers }]) => [
      status,
      {
        types: new Map(
          Object.keys(content).map((type) => [
            type,
            lazily(ajv, { $ref: `${at}/${status}/content/${pointer(type)}/schema` }),
          ]),
        ),
        headers: Object.keys(headers).filter((name) => headers[name]?.required),
      },
    ]),
  )
  return {
    method: method.toUpperCase(),
    path,
    declared: (status) => declared.get(String(status)) ?? declared.get('default'),
  }
}

/** A part of a JSON pointer within a URI. */
const pointer = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Compiles a schema when the first value comes. */
function lazily(ajv: Ajv2020, schema: object): Check {
  let compiled: ReturnType<typeof ajv.compile> | undefined
  return (value) => {
    compiled ??= ajv.compile(schema)
    return compiled(value) ? null : (compiled.errors ?? []).map(textOf).join(', ')
  }
}

function textOf({ instancePath, message, params }: ErrorObject): string {
  const { unevaluatedProperty: extra } = params
  return `body${instancePath} ${message}${typeof extra === 'string' ? ` "${extra}"` : ''}`
}
