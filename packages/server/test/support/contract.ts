/**
 * Every answer against the OpenAPI document: its status is declared, its media type is declared, its headers are there, its
 * body fits the schema, and a refusal is a problem of a known code. Servers of tests have this in front of them.
 */
import type { Inspect } from '@signalbox/server'
import { problemKinds } from '@signalbox/server'
import { z } from 'zod'
import { type ApiDocument, type Declared, documentOf } from './api-document.ts'

/** An answer as its client got it. */
export interface Seen {
  readonly method: string
  /** As sent: with the query, percent-encoded. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
  /** Null where it was not read, or not to its end: then what it says is not checked. */
  readonly body: string | null
}

const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
})
const kinds = new Map<string, { readonly status: number; readonly title: string }>(
  Object.entries(problemKinds),
)
const bodiless = new Set([204, 304])
/** What RFC 9110 asks of these. */
const promised = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
  [426, 'upgrade'],
  [503, 'retry-after'],
])

/** What is wrong with an answer; null if nothing is. */
export function violationOf(document: ApiDocument, seen: Seen): string | null {
  const wrong = wrongWith(document, seen)
  return wrong && `${seen.method} ${seen.path.slice(0, 300)} answered ${seen.status}: ${wrong}`
}

function wrongWith(document: ApiDocument, seen: Seen): string | null {
  const { method, path, status, headers } = seen
  const header = promised.get(status)
  if (header !== undefined && !headers.has(header)) return `it has no ${header}`
  const operation = document.operationOf(method, path)
  const declared = operation ? operation.declared(status) : document.problem
  if (!declared) return 'the status is not declared'
  const missing = declared.headers.find((name) => !headers.has(name))
  if (missing !== undefined) return `it has no ${missing}, which is declared`
  const types = [...declared.types.keys()]
  if (types.length === 0 || bodiless.has(status))
    return seen.body ? 'it has a body, and none is declared' : null
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type)) return `its type is "${type}", declared is ${types.join(' or ')}`
  if (seen.body === null || method === 'HEAD') return null
  return wrongBody({ type, status, text: seen.body }, declared)
}

function wrongBody(
  { type, status, text }: { readonly type: string; readonly status: number; readonly text: string },
  declared: Declared,
): string | null {
  if (!/[/+]json$/.test(type)) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return `its body is no JSON: ${text.slice(0, 200)}`
  }
  const errors = declared.types.get(type)?.(value) ?? null
  if (errors !== null) return `its body does not fit: ${errors}; it is ${text.slice(0, 600)}`
  return type === 'application/problem+json' ? wrongProblem(status, value) : null
}

function wrongProblem(status: number, value: unknown): string | null {
  const { code, ...problem } = Problem.parse(value)
  const kind = kinds.get(code)
  if (!kind) return `the code "${code}" is not known`
  if (kind.status !== status || problem.status !== status)
    return `${code} has the status ${kind.status}, the document says ${problem.status}`
  if (kind.title !== problem.title) return `${code} has the title "${kind.title}"`
  if (problem.type === `urn:signalbox:problem:${code}`) return null
  return `the type of ${code} is ${problem.type}`
}

/** What was seen of a server's answers. */
export interface Contract {
  readonly inspect: Inspect
  readonly violations: readonly string[]
  /** Answers that were checked. A green of none says nothing. */
  readonly checked: () => number
  /** @throws if an answer was not as the document says. */
  assertKept(): void
}

/** Checks what passes. Bodies of JSON are read on their way; streams are let through. */
export function watchContract(): Contract {
  const violations: string[] = []
  let checked = 0
  const check = (document: ApiDocument, seen: Seen): void => {
    checked += 1
    const violation = violationOf(document, seen)
    if (violation !== null) violations.push(violation)
  }
  return {
    violations,
    checked: () => checked,
    inspect: ({ request, response, document }) => {
      const { pathname, search } = new URL(request.url)
      const { status, headers } = response
      const about = { method: request.method, path: pathname + search, status, headers }
      const known = documentOf(document)
      const isJson = /[/+]json\b/.test(headers.get('content-type') ?? '')
      if (response.body === null || !isJson) {
        check(known, { ...about, body: null })
        return response
      }
      const read = readThrough((text) => check(known, { ...about, body: text }))
      const packed = headers.get('content-encoding')
      if (packed !== 'gzip' && packed !== 'deflate')
        return new Response(response.body.pipeThrough(read), { status, headers })
      const [sent, looked] = response.body.tee()
      const plain = looked.pipeThrough(new DecompressionStream(packed)).pipeThrough(read)
      plain.pipeTo(new WritableStream()).catch(() => {})
      return new Response(sent, { status, headers })
    },
    assertKept() {
      if (violations.length === 0) return
      const all = [...new Set(violations)].slice(0, 10).join('\n')
      throw new Error(`${violations.length} answers are not as the OpenAPI document says:\n${all}`)
    },
  }
}

/** Lets bytes through, and tells the text of all of them. Whoever stops reading gets no verdict: it is half a body. */
function readThrough(told: (text: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const texts: string[] = []
  return new TransformStream({
    transform(chunk, controller) {
      texts.push(decoder.decode(chunk, { stream: true }))
      controller.enqueue(chunk)
    },
    flush: () => told(texts.join('') + decoder.decode()),
  })
}
