/** How routes declare and give their answers. */
import { type RouteConfig, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { type ProblemCode, problemKinds } from './problem-codes.ts'

/** The document of every refusal. */
const ProblemDocument = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.enum(Object.keys(problemKinds)),
    detail: z.string(),
    field: z.string().optional(),
  })
  .openapi('Problem')

type Responses = RouteConfig['responses']

interface Good {
  readonly description: string
  readonly schema?: z.ZodType
  /** Default `application/json`. Several mean: by the Accept header. */
  readonly types?: readonly string[]
  readonly status?: number
}

/** The responses of a route: what it answers, and the problems that are special to it. */
export function answers(good: Good, problems: readonly ProblemCode[] = []): Responses {
  const { schema = z.unknown(), types = ['application/json'], status = 200 } = good
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  const responses: Responses = {
    [status]: { description: good.description, ...(status === 204 ? {} : { content }) },
    default: {
      description: 'A problem document.',
      content: { 'application/problem+json': { schema: ProblemDocument } },
    },
  }
  const byStatus = Map.groupBy(problems, (code) => problemKinds[code].status)
  for (const [code, codes] of byStatus)
    responses[code] = {
      description: codes.map((each) => `\`${each}\`: ${problemKinds[each].title}.`).join(' '),
      content: { 'application/problem+json': { schema: ProblemDocument } },
    }
  return responses
}

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
    readonly status?: 200 | 202
    readonly headers?: Readonly<Record<string, string>>
  } = {},
): Response =>
  c.newResponse(JSON.stringify(view), options.status ?? 200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...options.headers,
  })
