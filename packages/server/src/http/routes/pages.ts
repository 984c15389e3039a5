/** The pages for people: what this server is, and the reference of its API. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { Api, ApiEnv } from '../api.ts'
import { answers } from '../answers.ts'
import { missingScopes } from '../scopes.ts'
import { Home, homeCommands, homeLinks, homePage } from '../pages/home.ts'
import { pageResponse, taggedResponse } from '../pages/page.ts'
import { referencePage } from '../pages/reference.ts'

const tags = ['Meta']
const page = { 'text/html': { schema: z.string() } }
const unchanged = { description: 'The client has it: its `If-None-Match` names what it would get.' }
const ifNoneMatch = z.object({
  'if-none-match': z
    .string()
    .optional()
    .openapi({ description: 'The `ETag` of an answer that the client has.' }),
})

/** The parts of the API that the pages stand on. */
type Parts = Pick<Api, 'authenticate' | 'health' | 'agents' | 'version'>

/** `document` is asked for when all routes are there. */
export function pageRoutes(app: OpenAPIHono<ApiEnv>, api: Parts, document: () => object): void {
  const home = createRoute({
    method: 'get',
    path: '/',
    tags,
    summary: 'What this server is, where to go on, and what to type: a page, or JSON',
    request: { headers: ifNoneMatch },
    responses: {
      ...answers({ description: 'What it is.', schema: Home }),
      200: {
        description: 'As a page, or as JSON for clients that ask for `application/json`.',
        content: { ...page, 'application/json': { schema: Home } },
      },
      304: unchanged,
    },
  })
  app.openapi(home, async (c) => {
    const said = await homeOf(api, c)
    const vary = { vary: 'accept, authorization, x-api-key' }
    if (wantsJson(c))
      return taggedResponse(c, JSON.stringify(said), {
        ...vary,
        'content-type': 'application/json',
      })
    return pageResponse(c, homePage(said), vary)
  })

  const reference = createRoute({
    method: 'get',
    path: '/docs',
    tags,
    summary: 'The reference of this API, for people: a page without scripts',
    request: { headers: ifNoneMatch },
    responses: {
      ...answers({ description: 'The page.', schema: z.string(), types: ['text/html'] }),
      304: unchanged,
    },
  })
  let text: string | null = null
  app.openapi(reference, (c) => {
    text ??= referencePage(document())
    return pageResponse(c, text)
  })
}

/** Both addresses are open; what is of this installation is shown to whoever may find agents. */
async function homeOf(api: Parts, c: Context): Promise<Home> {
  const [{ ready }, caller, isOpen] = await Promise.all([
    api.health.ready(),
    // A wrong key shows as little as none.
    api.authenticate(c.req.raw.headers).catch(() => null),
    api.authenticate(new Headers()).then(
      (anybody) => anybody !== null,
      () => false,
    ),
  ])
  const { origin } = new URL(c.req.url)
  const mayFind =
    caller !== null && missingScopes({ all: [], any: ['read', 'enqueue'] }, caller.scopes) === null
  const agents = mayFind ? [...api.agents.values()] : null
  const agent = agents?.[0]?.name ?? '<agent>'
  return {
    name: 'Signalbox',
    ready,
    ...(agents === null
      ? {}
      : {
          version: api.version,
          agents: agents.map(({ name, model, tools }) => ({
            name,
            model: `${model.provider}, ${model.model}`,
            tools: tools.map((tool) => tool.name),
          })),
        }),
    links: homeLinks,
    commands: homeCommands(origin, { agent, withKey: !isOpen }),
  }
}

/** A browser asks for a page, and so does who asks for anything. */
const wantsJson = (c: Context): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['text/html', 'application/json'],
    default: 'text/html',
  }) === 'application/json'
