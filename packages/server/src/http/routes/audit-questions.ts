/** Saved queries: the questions auditors ask, each with the columns that answer it. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { columnsOf, type QuestionName, questionNames, questions } from '@signalbox/postgres'
import { suggestion } from '../../config/nearest.ts'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { inBounds } from '../audit/in-bounds.ts'
import { eventFilters, filterOf, SearchText } from '../audit/query.ts'
import { nextLink } from '../next-link.ts'
import { Problem } from '../problem.ts'
import { Limit } from '../wire/ids.ts'

const tags = ['Audit']
const pageDefault = 100

const Described = z
  .object({
    name: z.enum(questionNames),
    asks: z.string(),
    /** Parameters that must be given. */
    needs: z.array(z.string()),
    columns: z.array(z.object({ name: z.string(), says: z.string() })),
  })
  .openapi('SavedQuery')

const Answer = z.object({
  name: z.enum(questionNames),
  /** One value per column; null where there is none. */
  rows: z.array(z.record(z.string(), z.unknown())),
  /** Where to go on, as `after`; null at the end of what is there now. */
  next: z.string().nullable(),
})

const described = (name: QuestionName): z.input<typeof Described> => ({
  name,
  asks: questions[name].asks,
  needs: [...(questions[name].needs ?? [])],
  columns: columnsOf(name).map((column) => ({ name: column.name, says: column.says })),
})

const list = createRoute({
  method: 'get',
  path: '/events/queries',
  tags,
  summary: 'Lists the saved queries, with their columns',
  responses: answers({ description: 'Saved queries.', schema: z.array(Described) }),
})

const ask = createRoute({
  method: 'get',
  path: '/events/queries/{name}',
  tags,
  summary: 'Asks a saved query',
  request: {
    params: z.object({ name: z.string().max(limits.idCharsMax) }),
    query: z.object({ ...eventFilters, path: SearchText, limit: Limit }),
  },
  responses: answers({ description: 'Rows.', schema: Answer }, [
    'unknown_query',
    'question_too_broad',
  ]),
})

type Given = Readonly<Partial<Record<'since' | 'until' | 'path', unknown>>>

export function auditQuestionRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  app.openapi(list, (c) => reply(c, questionNames.map(described)))
  app.openapi(ask, async (c) => {
    const name = known(c.req.valid('param').name)
    const { path, limit = pageDefault, ...query } = c.req.valid('query')
    check(name, { ...query, path })
    const caller = c.get('caller')
    const { tenantId } = caller
    const filter = await filterOf(api, tenantId, query)
    await api.logReads.searched(caller, `/events/queries/${name}`)
    if (filter === null) return reply(c, { name, rows: [], next: null })
    const about = { ...filter, limit, ...(path === undefined ? {} : { path }) }
    const { rows, next } = await inBounds(() => api.read.auditAnswers(tenantId, name, about))
    const headers = next === null ? {} : { link: nextLink(c.req.url, next) }
    return reply(c, { name, rows, next }, { headers })
  })
}

function known(name: string): QuestionName {
  const found = questionNames.find((each) => each === name)
  if (found !== undefined) return found
  throw new Problem('unknown_query', {
    detail: `There is no saved query "${name}".${suggestion(name, questionNames)}`,
    field: 'name',
  })
}

function check(name: QuestionName, given: Given): void {
  const { needs = [] } = questions[name]
  const missing = needs.find((need) => given[need] === undefined)
  if (missing !== undefined)
    throw new Problem('invalid_request', {
      detail: `${missing}: ${name} needs ${needs.join(' and ')}`,
      field: missing,
    })
  if (given.path !== undefined && !needs.includes('path'))
    throw new Problem('invalid_request', {
      detail: `path: ${name} takes none; file_changes does`,
      field: 'path',
    })
}
