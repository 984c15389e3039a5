/** The prompt, the tools and the policies behind a definition hash. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { checkStored } from '@signalbox/engine'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { isStorableText } from '../json-guard.ts'
import { Problem } from '../problem.ts'
import { iso } from '../wire/iso.ts'
import { withoutSecrets } from '../wire/without-secrets.ts'

const Definition = z
  .object({
    hash: z.string(),
    agent: z.string(),
    /** When a run of the tenant was about to use it for the first time. */
    first_used_at: z.string(),
    /** The definition as it is stored. Unless `redacted`, `hash` is the sha256 of it as JSON by RFC 8785. */
    definition: z.record(z.string(), z.unknown()),
    /** Was anything left out that looks like a secret? A definition should hold names of variables only. */
    redacted: z.boolean(),
  })
  .openapi('Definition')

export function definitionRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const show = createRoute({
    method: 'get',
    path: '/definitions/{hash}',
    tags: ['Audit'],
    summary:
      'Shows a definition that runs of the tenant have used: prompt, tools, policies, limits',
    request: { params: z.object({ hash: z.string().max(limits.idCharsMax) }) },
    responses: answers({ description: 'The definition.', schema: Definition }, [
      'unknown_definition',
      'definition_changed',
    ]),
  })
  app.openapi(show, async (c) => {
    const { hash } = c.req.valid('param')
    // What cannot be stored was never used.
    const used = isStorableText(hash)
      ? await api.read.usedDefinition(c.get('caller').tenantId, hash.toLowerCase())
      : null
    if (!used)
      throw new Problem('unknown_definition', {
        detail:
          'No run of this tenant has used a definition with this hash. It takes all 64 digits of `definition_hash`.',
        field: 'hash',
      })
    // Edited, it is no evidence of what a run was told.
    checkStored(hash.toLowerCase(), used.body)
    const { value: definition, redacted } = withoutSecrets(used.body)
    const agent = typeof used.body['name'] === 'string' ? used.body['name'] : ''
    return reply(c, {
      hash: hash.toLowerCase(),
      agent,
      first_used_at: iso(used.firstUsedAt),
      definition,
      redacted,
    })
  })
}
