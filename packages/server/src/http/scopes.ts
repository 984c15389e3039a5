/**
 * What each operation asks of a caller. The only place that says it.
 *
 * S1 What does not stand here is refused to everybody, whoever asks: a new route is useless until a line says who may.
 * S2 A line is found by the pattern of the route that answers, as the router chose it: no address can be read twice.
 *
 * A new operation: one line, method and path as in `/openapi.json`. `packages/server/test/tenants.test.ts` says which miss.
 */
import { type Scope, scopes } from '../keys/scope.ts'

/** Who may: `open` to everybody; `known`: any key; `operator`: any key of the tenant `default`; else what it needs. */
export type Access = 'open' | 'known' | 'operator' | Needs

/** Each of `all`, and one of `any`. */
export interface Needs {
  readonly all: readonly Scope[]
  readonly any: readonly Scope[]
}

const all = (...names: readonly Scope[]): Needs => ({ all: names, any: [] })
const either = (...names: readonly Scope[]): Needs => ({ all: [], any: names })

const enqueue = all('enqueue')
const read = all('read')
const approve = all('approve')
const audit = all('audit')
const admin = all('admin')
/** What is made is shown in the answer, with what was there before. */
const enqueueAndRead = all('enqueue', 'read')
/** Whoever creates runs must find what to create them of. */
const readOrEnqueue = either('read', 'enqueue')
const readOrApprove = either('read', 'approve')
const readOrAudit = either('read', 'audit')

const accesses: Readonly<Record<string, Access>> = {
  // What they show of this installation they show to whoever may find agents: see `routes/pages.ts`.
  'GET /': 'open',
  'GET /docs': 'open',
  'GET /live': 'open',
  'GET /ok': 'open',
  'GET /ready': 'open',
  'GET /info': 'known',
  'GET /openapi.json': 'known',
  // Of the whole process, so of no single tenant.
  'GET /metrics': 'operator',

  'GET /assistants': readOrEnqueue,
  'GET /assistants/{assistant_id}': readOrEnqueue,
  'GET /assistants/{assistant_id}/graph': readOrEnqueue,
  'GET /assistants/{assistant_id}/schemas': readOrEnqueue,
  'GET /assistants/{assistant_id}/subgraphs': readOrEnqueue,
  'GET /assistants/{assistant_id}/subgraphs/{namespace}': readOrEnqueue,
  'POST /assistants/count': readOrEnqueue,
  'POST /assistants/search': readOrEnqueue,
  'POST /assistants/{assistant_id}/versions': readOrEnqueue,

  'GET /threads': read,
  'POST /threads': enqueue,
  'GET /threads/{thread_id}': read,
  'POST /threads/count': read,
  'POST /threads/search': read,
  'GET /threads/{thread_id}/state': read,
  'GET /threads/{thread_id}/state/{checkpoint_id}': read,
  'POST /threads/{thread_id}/state/checkpoint': read,
  'GET /threads/{thread_id}/history': read,
  'POST /threads/{thread_id}/history': read,
  // Deleting is for the users: the log keeps everything.
  'PATCH /threads/{thread_id}': enqueue,
  'PATCH /threads/{thread_id}/state': enqueue,
  'DELETE /threads/{thread_id}': enqueue,
  'POST /threads/{thread_id}/copy': enqueue,
  'GET /threads/{thread_id}/context': read,
  'GET /threads/{thread_id}/todos': read,
  'POST /threads/{thread_id}/compact': enqueueAndRead,
  'POST /threads/{thread_id}/state': enqueue,
  'POST /threads/prune': enqueue,
  // An upload is shown to nobody before a run names it.
  'POST /threads/{thread_id}/uploads': enqueue,
  'GET /threads/{thread_id}/files': read,
  'GET /threads/{thread_id}/images/{key}': read,
  'GET /threads/{thread_id}/files/{path}': read,
  'PUT /threads/{thread_id}/files/{path}': enqueue,
  'DELETE /threads/{thread_id}/files/{path}': enqueue,

  // With `command.resume` they answer an approval, which asks for `approve` besides: see `answerApproval`.
  'POST /runs': enqueue,
  'POST /runs/wait': enqueueAndRead,
  'POST /runs/stream': enqueueAndRead,
  'POST /runs/batch': enqueue,
  'POST /threads/{thread_id}/runs': enqueue,
  'POST /threads/{thread_id}/runs/wait': enqueueAndRead,
  'POST /threads/{thread_id}/runs/stream': enqueueAndRead,

  // Each command asks for its own: see `wires/agent-protocol/routes.ts`.
  'POST /threads/{thread_id}/commands': either('read', 'enqueue', 'approve'),
  'POST /threads/{thread_id}/stream/events': read,
  // A WebSocket for both: commands ask for their own, subscriptions for `read`.
  'GET /threads/{thread_id}/stream/events': either('read', 'enqueue', 'approve'),
  'POST /threads/{thread_id}/stream': read,
  'GET /threads/{thread_id}/stream': read,

  'GET /threads/{thread_id}/runs': read,
  'GET /runs': read,
  'GET /runs/stats': read,
  'GET /queues': read,
  ...ofRun('GET', '', read),
  ...ofRun('GET', '/children', read),
  ...ofRun('GET', '/files', read),
  ...ofRun('GET', '/join', read),
  ...ofRun('GET', '/stream', read),
  ...ofRun('GET', '/events', readOrAudit),
  ...ofRun('GET', '/report', readOrAudit),
  ...ofRun('GET', '/explanation', readOrAudit),
  ...ofRun('POST', '/cancel', enqueue),
  ...ofRun('POST', '/rerun', enqueue),
  ...ofRun('POST', '/retry', enqueue),
  // Its answer shows which runs there are.
  'POST /runs/retry': enqueueAndRead,
  ...ofRun('POST', '/input', enqueue),
  ...ofRun('DELETE', '', enqueue),
  // With a filter it shows which runs there are, which asks for `read` besides.
  'POST /runs/cancel': enqueue,

  'GET /approvals': readOrApprove,
  'GET /approvals/{approval_id}': readOrApprove,
  'POST /approvals/{approval_id}': approve,
  'POST /runs/{run_id}/approvals/{call_id}': approve,
  // Whoever may say something to a run may answer what it asks.
  'GET /inputs': readOrEnqueue,
  'POST /runs/{run_id}/inputs/{call_id}': enqueue,
  'GET /unknown': readOrApprove,
  'POST /runs/{run_id}/effects/{effect_id}/resolve': approve,

  'GET /events': audit,
  'GET /events/stats': audit,
  'GET /events/queries': audit,
  'GET /events/queries/{name}': audit,
  'GET /definitions/{hash}': audit,
  'GET /usage': readOrAudit,
  // Tells who somebody is: each answer stands in the ledger.
  'POST /pseudonyms': audit,

  'GET /threads/{thread_id}/runs/{run_id}/webhooks': readOrAudit,
  'POST /threads/{thread_id}/runs/{run_id}/webhooks/{delivery_id}/replay': admin,

  // An assistant is what an agent is told: who makes one changes what runs do.
  'POST /assistants': admin,
  'PATCH /assistants/{assistant_id}': admin,
  'DELETE /assistants/{assistant_id}': admin,
  'POST /assistants/{assistant_id}/latest': admin,

  'GET /store/items': read,
  'PUT /store/items': enqueue,
  'DELETE /store/items': enqueue,
  'POST /store/items/search': read,
  'POST /store/namespaces': read,

  'POST /runs/crons': enqueue,
  'POST /threads/{thread_id}/runs/crons': enqueue,
  'GET /runs/crons/{cron_id}': read,
  'PATCH /runs/crons/{cron_id}': enqueue,
  'DELETE /runs/crons/{cron_id}': enqueue,
  'POST /runs/crons/search': read,
  'POST /runs/crons/count': read,

  // Answers to approvals travel with messages here, and ask for `approve` besides: see `answerApproval`.
  'POST /chat/{agent}': enqueueAndRead,
  'GET /chat/{agent}/{chat_id}/stream': read,
  'POST /chat/{agent}/{chat_id}/stop': enqueue,

  'POST /ag-ui/{agent}': enqueueAndRead,
  'POST /ag-ui/{agent}/runs/{run_id}/cancel': enqueue,
  'POST /ag-ui/{agent}/threads/{thread_id}/cancel': enqueue,

  // Where A2A looks for the card of a host.
  'GET /.well-known/agent-card.json': 'known',
  'GET /a2a/{agent}/.well-known/agent-card.json': 'known',
  'POST /a2a/{agent}': enqueueAndRead,
  'POST /a2a/{agent}/message:send': enqueueAndRead,
  'POST /a2a/{agent}/message:stream': enqueueAndRead,
  'GET /a2a/{agent}/tasks': read,
  'GET /a2a/{agent}/tasks/{run_id}': read,
  'POST /a2a/{agent}/tasks/{run_id}': enqueueAndRead,
  'POST /a2a/{agent}/tasks/{task}/pushNotificationConfigs': 'known',
  'GET /a2a/{agent}/tasks/{task}/pushNotificationConfigs': 'known',
  'GET /a2a/{agent}/tasks/{task}/pushNotificationConfigs/{config}': 'known',
  'DELETE /a2a/{agent}/tasks/{task}/pushNotificationConfigs/{config}': 'known',
  'GET /a2a/{agent}/extendedAgentCard': 'known',
  'POST /a2a/{agent}/v1/message:send': enqueueAndRead,
  'POST /a2a/{agent}/v1/message:stream': enqueueAndRead,
  'GET /a2a/{agent}/v1/tasks/{run_id}': read,
  'POST /a2a/{agent}/v1/tasks/{run_id}': enqueueAndRead,
  'POST /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs': 'known',
  'GET /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs': 'known',
  'GET /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs/{config}': 'known',
  'DELETE /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs/{config}': 'known',
  'GET /a2a/{agent}/v1/card': 'known',

  'GET /memory': all('memory:read'),
  'GET /memory/export': all('memory:read'),
  // What is changed is shown in the answer.
  'PUT /memory': all('memory:read', 'memory:write'),
  'DELETE /memory': all('memory:write'),
  'POST /memory/pause': all('memory:write'),
  'DELETE /memory/{subject}': all('memory:write'),

  // Whoever finds a run paused must find out why.
  'GET /pauses': either('read', 'audit', 'admin'),
  'POST /pauses': admin,
  'DELETE /pauses/{pause_id}': admin,

  'GET /keys': admin,
  'POST /keys': admin,
  'DELETE /keys/{key_id}': admin,
}

/** A run is reached by its thread, and on its own. */
function ofRun(method: string, suffix: string, access: Access): Readonly<Record<string, Access>> {
  return {
    [`${method} /runs/{run_id}${suffix}`]: access,
    [`${method} /threads/{thread_id}/runs/{run_id}${suffix}`]: access,
  }
}

/** Every operation that is named here, as `GET /threads/{thread_id}`. */
export const operations: readonly string[] = Object.keys(accesses)

const byRoute: ReadonlyMap<string, Access> = new Map(
  Object.entries(accesses).map(([operation, access]) => [
    operation.replaceAll(/\{([^}]+)\}/g, ':$1'),
    access,
  ]),
)

/** How the router is told that a parameter is a path: it may have slashes, and whatever else a name may have. */
export const anyPath = '{[^]+}'

/** What the route asks; null if nothing is said of it. Its path as the router has it: `/threads/:thread_id`. */
export const accessOf = (route: {
  readonly method: string
  readonly path: string
}): Access | null => byRoute.get(`${route.method} ${route.path.replace(anyPath, '')}`) ?? null

/** The scopes that are missing, for a human to read; null if none is. */
export function missingScopes(needs: Needs, has: readonly Scope[]): string | null {
  const lacks = needs.all.filter((scope) => !has.includes(scope))
  if (lacks.length > 0) return lacks.join(' and ')
  if (needs.any.length === 0 || needs.any.some((scope) => has.includes(scope))) return null
  return needs.any.join(' or ')
}

/** The scopes of whoever may do everything. */
export const everyScope: readonly Scope[] = scopes
