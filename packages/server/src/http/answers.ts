/** How routes declare and give their answers. */
import { type RouteConfig, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { type ProblemCode, problemKinds } from './problem-codes.ts'

/** The document of every refusal. Codes may add members of their own (RFC 9457, section 3.2). */
export const ProblemDocument = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.enum(Object.keys(problemKinds)),
    detail: z.string(),
    field: z.string().optional(),
    /** Of `invalid_request`: everything that is wrong, the first of it first. */
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
    /** Of `run_ended`, `run_ending` and `idempotency_conflict`: the run that it is about. */
    run_id: z.string().optional(),
    /** Of `approval_conflict`: what was decided. */
    decision: z.string().optional(),
    /** Of `user_held`: when the hold ends. */
    until: z.string().optional(),
    /** Of `internal`: under what the log has it. */
    log_id: z.string().optional(),
  })
  .openapi('Problem')

type Responses = RouteConfig['responses']

interface Good {
  readonly description: string
  readonly schema?: z.ZodType
  /** Default `application/json`. Several mean: by the Accept header. */
  readonly types?: readonly string[]
  readonly status?: number
  /** Headers that it always has: what each of them says, by name. */
  readonly headers?: Readonly<Record<string, string>>
}

const bodiless: ReadonlySet<number> = new Set([101, 204])

/** The responses of a route: what it answers, and the problems that are special to it. */
export function answers(good: Good, problems: readonly ProblemCode[] = []): Responses {
  const { schema = z.unknown(), types = ['application/json'], status = 200 } = good
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  const responses: Responses = {
    [status]: {
      description: good.description,
      ...(bodiless.has(status) ? {} : { content }),
      ...(good.headers ? { headers: headersOf(good.headers) } : {}),
    },
    default: {
      description:
        'A problem document. Any operation may answer `unauthenticated` (401), `forbidden_scope` (403), `invalid_request` (422), `register_unavailable` or `shutting_down` (503), and `internal` (500).',
      content: { 'application/problem+json': { schema: ProblemDocument } },
    },
  }
  const byStatus = Map.groupBy(problems, (code) => problemKinds[code].status)
  for (const [code, codes] of byStatus)
    responses[code] = {
      description: codes.map(wordsOf).join(' '),
      content: { 'application/problem+json': { schema: ProblemDocument } },
    }
  return responses
}

const wordsOf = (code: ProblemCode): string => {
  const { title, help } = problemKinds[code]
  return `\`${code}\`: ${title}. ${help}`
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, required: true, schema: { type: 'string' as const } },
    ]),
  )

/** A body of the stated media type. */
export const jsonBody = <Schema extends z.ZodType>(schema: Schema, required = true) => ({
  content: { 'application/json': { schema } },
  required,
})

/** Answers JSON that the schema of the route describes. */
export const reply = (
  c: Context,
  view: unknown,
  options: {
    readonly status?: 200 | 201 | 202
    readonly headers?: Readonly<Record<string, string>>
  } = {},
): Response => {
  const text = JSON.stringify(view)
  return c.newResponse(text, options.status ?? 200, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    ...options.headers,
  })
}
