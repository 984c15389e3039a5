/** Assistants that are made at run time, out of configured agents. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import {
  changeAssistant,
  chooseVersion,
  createAssistant,
  deleteAssistant,
} from '../keep-assistant.ts'
import type { ProblemCode } from '../problem-codes.ts'
import { Assistant, agentView, assistantView } from '../wire/agent-view.ts'
import { notYet } from '../wire/not-yet.ts'
import {
  AssistantCreate,
  AssistantLatest,
  AssistantPatch,
} from '../../wires/langgraph/assistant-changes.ts'

const tags = ['Assistants']
const params = z.object({ assistant_id: z.string().max(200) })
const path = '/assistants/{assistant_id}'
const problems: readonly ProblemCode[] = ['unknown_agent', 'assistant_configured']

export function assistantChangeRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const create = createRoute({
    method: 'post',
    path: '/assistants',
    tags,
    summary: 'Makes an assistant of an agent',
    request: { body: jsonBody(AssistantCreate) },
    responses: answers({ description: 'The assistant.', schema: Assistant }, [
      'unknown_agent',
      'assistant_exists',
      'quota_reached',
    ]),
  })
  app.openapi(create, async (c) => {
    const kept = await createAssistant(api, c.get('caller'), c.req.valid('json'))
    return reply(c, 'stored' in kept ? assistantView(api, kept.stored) : agentView(kept.configured))
  })

  const change = createRoute({
    method: 'patch',
    path,
    tags,
    summary: 'Makes a version of an assistant, with what is sent',
    request: { params, body: jsonBody(AssistantPatch) },
    responses: answers({ description: 'The assistant.', schema: Assistant }, [
      ...problems,
      'quota_reached',
    ]),
  })
  app.openapi(change, async (c) => {
    const asked = { name: c.req.valid('param').assistant_id, sent: c.req.valid('json') }
    return reply(c, assistantView(api, await changeAssistant(api, c.get('caller'), asked)))
  })

  const latest = createRoute({
    method: 'post',
    path: `${path}/latest`,
    tags,
    summary: 'Lets runs use another version of an assistant',
    request: { params, body: jsonBody(AssistantLatest) },
    responses: answers({ description: 'The assistant.', schema: Assistant }, problems),
  })
  app.openapi(latest, async (c) => {
    const asked = { name: c.req.valid('param').assistant_id, ...c.req.valid('json') }
    return reply(c, assistantView(api, await chooseVersion(api, c.get('caller'), asked)))
  })

  const remove = createRoute({
    method: 'delete',
    path,
    tags,
    summary: 'Deletes an assistant with its versions. Runs of it stay',
    request: {
      params,
      query: z.object({ delete_threads: notYet('Threads are kept.', ['false', '0', '']) }),
    },
    responses: answers({ description: 'It is not there any more.', status: 204 }, [
      ...problems,
      'not_available',
    ]),
  })
  app.openapi(remove, async (c) => {
    await deleteAssistant(api, c.get('caller'), c.req.valid('param').assistant_id)
    return c.body(null, 204)
  })
}
