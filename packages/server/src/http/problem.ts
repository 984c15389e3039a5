/** RFC 9457 problem documents: the only form in which the API says no. */
import { type ProblemCode, problemKinds } from './problem-codes.ts'

/** What a problem document says besides its kind. */
export interface ProblemFacts {
  /** What is wrong with this request, and what would be right. Never internals, never secrets. */
  readonly detail: string
  /** Path of the field in the body, or name of the parameter or header. */
  readonly field?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the document. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** A request that is answered with a problem. Thrown by handlers, caught once, at the edge of the app. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly facts: ProblemFacts

  constructor(code: ProblemCode, facts: ProblemFacts) {
    super(`${code}: ${facts.detail}`)
    this.code = code
    this.facts = facts
  }
}

/** The document of a problem. */
export function problemDocument(code: ProblemCode, facts: ProblemFacts) {
  const { status, title } = problemKinds[code]
  return {
    type: `urn:signalbox:problem:${code}`,
    title,
    status,
    code,
    detail: facts.detail,
    ...(facts.field === undefined ? {} : { field: facts.field }),
    ...facts.more,
  }
}

/** The response for a problem. */
export function problemResponse(code: ProblemCode, facts: ProblemFacts): Response {
  const document = problemDocument(code, facts)
  return Response.json(document, {
    status: document.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...facts.headers,
    },
  })
}
