/** From the id of a user to the pseudonym that the log has for it. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { isUserId, userIdCharsMax } from '../identity.ts'
import { Problem } from '../problem.ts'

const said = `takes one value of 1 to ${userIdCharsMax} characters, without commas and line breaks`

const Body = z
  .strictObject({
    /** As the proxy sends it in the header of `server.identity`. It is neither stored nor logged. */
    user_id: z.string().trim().refine(isUserId, said),
  })
  .openapi('PseudonymRequest')

const Pseudonym = z.object({ pseudonym: z.string() }).openapi('Pseudonym')

export function pseudonymRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const compute = createRoute({
    method: 'post',
    path: '/pseudonyms',
    tags: ['Audit'],
    summary: 'Computes the pseudonym of an end user, to look for it in the log',
    request: { body: jsonBody(Body) },
    responses: answers({ description: 'The pseudonym.', schema: Pseudonym }, ['not_available']),
  })
  app.openapi(compute, async (c) => {
    const { user_id } = c.req.valid('json')
    if (api.pseudonym === null)
      throw new Problem('not_available', {
        detail: 'This server knows no end users: its configuration has no server.identity.',
      })
    const { tenantId: tenant, actor } = c.get('caller')
    const pseudonym = api.pseudonym(tenant, user_id)
    // The answer tells who somebody is: the request stands in the ledger before it is answered.
    await api.ledger.record({ tenant, type: 'user.pseudonymized', payload: { pseudonym }, actor })
    return reply(c, { pseudonym })
  })
}
