/** Calls that wait for a human: list them, look at one, decide. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import {
  answerApproval,
  ApprovalAccepted,
  ApprovalDecision,
  approvalProblems,
  unknownApproval,
} from '../answer-approval.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { nextLink } from '../next-link.ts'
import { Approval, approvalView, ListedApproval, listedApproval } from '../wire/approval-view.ts'
import { Id, Limit } from '../wire/ids.ts'

const tags = ['Humans']
const pageDefault = 100
const ApprovalPath = z.object({ approval_id: Id })

export function approvalRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  listRoute(app, api)
  getRoute(app, api)
  answerRoutes(app, api)
}

const Query = z.object({
  run_id: Id.optional(),
  /** Those of this run, and of all runs below it. */
  tree: Id.optional(),
  limit: Limit,
  after: z
    .string()
    .regex(
      /^\d{15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_\d{1,9}$/,
      'takes the position of an approval',
    )
    .optional(),
})

function listRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const route = createRoute({
    method: 'get',
    path: '/approvals',
    tags,
    summary: 'Lists calls that wait for an approval, oldest first',
    request: { query: Query },
    responses: answers({ description: 'A page of calls.', schema: z.array(ListedApproval) }),
  })
  app.openapi(route, async (c) => {
    const { run_id, tree, after, limit = pageDefault } = c.req.valid('query')
    const { tenantId } = c.get('caller')
    const run = run_id === undefined ? null : await api.read.run(tenantId, run_id)
    const top = tree === undefined ? null : await api.read.run(tenantId, tree)
    if ((run_id !== undefined && !run) || (tree !== undefined && !top)) return reply(c, [])
    const found = await api.read.approvals(tenantId, {
      limit,
      ...(run ? { runId: run.runId } : {}),
      ...(top ? { treeOf: top.runId } : {}),
      ...(after === undefined ? {} : { after }),
    })
    const next = found.length === limit ? found.at(-1)?.position : undefined
    const headers = next === undefined ? {} : { link: nextLink(c.req.url, next) }
    return reply(c, found.map(listedApproval), { headers })
  })
}

function getRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const route = createRoute({
    method: 'get',
    path: '/approvals/{approval_id}',
    tags,
    summary: 'Gets an approval: what is asked, what was decided, by whom, when',
    request: { params: ApprovalPath },
    responses: answers({ description: 'The approval.', schema: Approval }, ['unknown_approval']),
  })
  app.openapi(route, async (c) => {
    const { approval_id: id } = c.req.valid('param')
    const approval = await api.read.approval(c.get('caller').tenantId, id)
    if (!approval) throw unknownApproval({ id, field: 'approval_id' })
    return reply(c, approvalView(approval))
  })
}

function answerRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const body = jsonBody(ApprovalDecision)
  const good = { description: 'The decision stands.', schema: ApprovalAccepted }
  const byId = createRoute({
    method: 'post',
    path: '/approvals/{approval_id}',
    tags,
    summary: 'Decides about a call: the first decision stands',
    request: { params: ApprovalPath, body },
    responses: answers(good, approvalProblems),
  })
  app.openapi(byId, async (c) => {
    const { approval_id: id } = c.req.valid('param')
    const caller = c.get('caller')
    const named = { id, field: 'approval_id' }
    const call = await api.read.approval(caller.tenantId, id)
    if (!call) throw unknownApproval(named)
    const said = c.req.valid('json')
    return reply(c, await answerApproval(api, caller, { call, named, said }))
  })

  const byCall = createRoute({
    method: 'post',
    path: '/runs/{run_id}/approvals/{call_id}',
    tags,
    summary: 'Decides about a call of a run: the first decision stands',
    request: { params: z.object({ run_id: Id, call_id: Id }), body },
    responses: answers(good, ['unknown_run', ...approvalProblems]),
  })
  app.openapi(byCall, async (c) => {
    const { run_id, call_id: callId } = c.req.valid('param')
    const caller = c.get('caller')
    const { runId } = await findRun(api, caller, { run_id })
    const about = {
      call: { runId, callId },
      named: { id: callId, field: 'call_id' },
      said: c.req.valid('json'),
    }
    return reply(c, await answerApproval(api, caller, about))
  })
}
