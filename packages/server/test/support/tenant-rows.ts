/**
 * What each operation answers to another tenant. A new operation gets a line here, or `tenants.test.ts` fails.
 *
 * `gone`: it names something of tenant A, which is not there for B. `apart`: it lists or makes, and B has only what is B's.
 * `common`: it says the same to everybody who has a key.
 */
export interface Row {
  readonly is: 'gone' | 'apart' | 'common'
  readonly body?: (of: Named) => unknown
  /** A stream that does not end by itself: only its status is read. */
  readonly endless?: true
  /** Behind the path, with its question mark. */
  readonly query?: string
  /** Statuses that A itself may get with exactly the scopes it takes. Default: 200. */
  readonly own?: readonly number[]
  /** Asks for the thread and the run of A that no other row needs: it may end them. */
  readonly spare?: boolean
  /** Asks for the run of A that waits for the answer to a question, and for that call. */
  readonly asking?: true
}

/** What A has, by the names of the parameters. */
export interface Named {
  readonly thread_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  readonly approval_id: string
  readonly call_id: string
  readonly effect_id: string
  readonly key_id: string
  readonly assistant_id: string
  readonly namespace: string
  readonly agent: string
  readonly chat_id: string
  readonly cron_id: string
  readonly delivery_id: string
  readonly pause_id: string
  /** Of A2A. */
  readonly task: string
  readonly config: string
  /** Of a file. */
  readonly path: string
  /** Of an image. */
  readonly key: string
  /** Of a saved query. */
  readonly name: string
  /** Of a definition. */
  readonly hash: string
}

const gone: Row = { is: 'gone' }
const goneSpare: Row = { is: 'gone', spare: true }
const apart: Row = { is: 'apart' }
const common: Row = { is: 'common' }
/** What A2A has and we do not. */
const refused: Row = { is: 'common', own: [400] }
const nothing = (): object => ({})
/** One that waits for nobody: the next on its thread would wait for it. */
const run = (): object => ({ assistant_id: 'writer', input: 'Write.' })
const cron = (): object => ({ ...run(), schedule: '0 0 1 1 *' })
const letter = (messageId: string): object => ({
  message: { messageId, role: 'ROLE_USER', parts: [{ text: 'Write.' }] },
})
/** As A2A 0.3 has it over HTTP. */
const olderLetter = (messageId: string): object => ({
  message: { messageId, role: 'ROLE_USER', content: [{ text: 'Write.' }] },
  configuration: { blocking: true },
})
const pause = (): object => ({ target: { agent: 'hasty' }, reason: 'An outage.' })
const approve = (): object => ({ decision: 'approve' })
/** The run may have ended by then: an answer that only its owner gets. */
const endedToo = [200, 202, 409]

const ofRun = (method: string, suffix: string, row: Row): Readonly<Record<string, Row>> => ({
  [`${method} /runs/{run_id}${suffix}`]: row,
  [`${method} /threads/{thread_id}/runs/{run_id}${suffix}`]: row,
})

/** By operation, as in the OpenAPI document. */
export const rows: Readonly<Record<string, Row>> = {
  'GET /definitions/{hash}': gone,
  'GET /usage': { is: 'apart', query: '?by=user,month' },
  'POST /pseudonyms': { is: 'apart', body: () => ({ user_id: 'ann' }) },

  'GET /': common,
  'GET /docs': common,
  'GET /live': common,
  'GET /ok': common,
  'GET /ready': common,
  'GET /info': common,
  // Of the process: not even A has it, only the operator.
  'GET /metrics': { is: 'gone', own: [404] },

  'GET /assistants': apart,
  'GET /assistants/{assistant_id}': gone,
  'GET /assistants/{assistant_id}/graph': gone,
  'GET /assistants/{assistant_id}/schemas': gone,
  'GET /assistants/{assistant_id}/subgraphs': gone,
  'GET /assistants/{assistant_id}/subgraphs/{namespace}': gone,
  'POST /assistants/count': { is: 'apart', body: nothing },
  'POST /assistants/search': { is: 'apart', body: nothing },
  'POST /assistants/{assistant_id}/versions': { is: 'gone', body: nothing },

  'GET /threads': apart,
  'GET /threads/{thread_id}': gone,
  'POST /threads/count': { is: 'apart', body: nothing },
  'POST /threads/search': { is: 'apart', body: nothing },
  'GET /threads/{thread_id}/state': gone,
  'GET /threads/{thread_id}/state/{checkpoint_id}': gone,
  'POST /threads/{thread_id}/state/checkpoint': {
    is: 'gone',
    body: ({ checkpoint_id }) => ({ checkpoint: { checkpoint_id } }),
  },
  // Sent without files, and so refused to whoever has the thread.
  'POST /threads/{thread_id}/uploads': { is: 'gone', own: [415] },
  'GET /threads/{thread_id}/files': gone,
  'GET /threads/{thread_id}/files/{path}': gone,
  // Other runs of the thread may be under way.
  'PUT /threads/{thread_id}/files/{path}': { ...goneSpare, body: nothing, own: [200, 201] },
  'DELETE /threads/{thread_id}/files/{path}': { ...goneSpare, own: [204] },
  'GET /threads/{thread_id}/history': gone,
  'GET /threads/{thread_id}/images/{key}': gone,
  'POST /threads/{thread_id}/history': { is: 'gone', body: nothing },

  'POST /threads/{thread_id}/commands': {
    is: 'gone',
    body: () => ({ id: 1, method: 'state.get', params: {} }),
  },
  // A thread of the same name that is not there yet: who may make it may listen for it.
  'POST /threads/{thread_id}/stream/events': {
    is: 'apart',
    body: () => ({ channels: ['lifecycle'] }),
    endless: true,
  },
  // Asked for without an upgrade.
  'GET /threads/{thread_id}/stream/events': { is: 'gone', own: [426] },
  'POST /threads/{thread_id}/stream': {
    is: 'apart',
    body: () => ({ channels: ['lifecycle'] }),
    endless: true,
  },
  'GET /threads/{thread_id}/stream': { is: 'gone', endless: true },
  'GET /threads/{thread_id}/runs': apart,
  'GET /runs': apart,
  'GET /runs/stats': apart,
  'GET /queues': apart,
  'GET /pauses': apart,
  // B pauses what B has: an agent of the configuration, for B alone.
  'POST /pauses': { is: 'apart', body: pause, own: [200, 201] },
  'DELETE /pauses/{pause_id}': { is: 'gone', own: [204] },
  ...ofRun('GET', '', gone),
  ...ofRun('GET', '/children', gone),
  ...ofRun('GET', '/files', gone),
  ...ofRun('GET', '/join', gone),
  ...ofRun('GET', '/stream', gone),
  ...ofRun('GET', '/events', gone),
  ...ofRun('GET', '/report', gone),
  ...ofRun('GET', '/explanation', gone),

  'GET /inputs': apart,
  'GET /approvals': apart,
  'GET /approvals/{approval_id}': gone,
  'GET /unknown': apart,
  'GET /events': apart,
  'GET /keys': apart,
  'GET /openapi.json': common,
  'GET /events/stats': apart,
  'GET /events/queries': apart,
  'GET /events/queries/{name}': apart,
  'GET /threads/{thread_id}/runs/{run_id}/webhooks': gone,
  // A has none, and is told so.
  'POST /threads/{thread_id}/runs/{run_id}/webhooks/{delivery_id}/replay': {
    is: 'gone',
    own: [404],
  },

  // An item that is not there is null.
  'GET /store/items': { is: 'apart', query: '?namespace=a&key=plan' },
  'POST /store/items/search': { is: 'apart', body: () => ({ namespace_prefix: ['a'] }) },
  'POST /store/namespaces': { is: 'apart', body: nothing },
  'GET /runs/crons/{cron_id}': gone,
  'PATCH /runs/crons/{cron_id}': { is: 'gone', body: () => ({ enabled: false }) },
  'POST /runs/crons/search': { is: 'apart', body: nothing },
  'POST /runs/crons/count': { is: 'apart', body: nothing },
  'PATCH /assistants/{assistant_id}': { is: 'gone', body: nothing },

  // A chat that is not there says what one that is over says.
  'GET /chat/{agent}/{chat_id}/stream': { is: 'apart', own: [200, 204] },
  'GET /.well-known/agent-card.json': common,
  'GET /a2a/{agent}/.well-known/agent-card.json': common,
  'GET /a2a/{agent}/tasks': apart,
  'GET /a2a/{agent}/tasks/{run_id}': gone,
  'POST /a2a/{agent}/tasks/{run_id}': { is: 'gone', own: [404] },
  'POST /a2a/{agent}/tasks/{task}/pushNotificationConfigs': refused,
  'GET /a2a/{agent}/tasks/{task}/pushNotificationConfigs': refused,
  'GET /a2a/{agent}/tasks/{task}/pushNotificationConfigs/{config}': refused,
  'DELETE /a2a/{agent}/tasks/{task}/pushNotificationConfigs/{config}': refused,
  'GET /a2a/{agent}/extendedAgentCard': refused,
  'GET /a2a/{agent}/v1/tasks/{run_id}': gone,
  'POST /a2a/{agent}/v1/tasks/{run_id}': { is: 'gone', own: [404] },
  'POST /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs': refused,
  'GET /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs': refused,
  'GET /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs/{config}': refused,
  'DELETE /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs/{config}': refused,
  'GET /a2a/{agent}/v1/card': refused,

  'POST /approvals/{approval_id}': { is: 'gone', body: approve },
  'POST /runs/{run_id}/approvals/{call_id}': { is: 'gone', body: approve },
  'POST /runs/{run_id}/inputs/{call_id}': {
    is: 'gone',
    body: () => ({ text: 'Of May.' }),
    asking: true,
  },
  // There is no such effect; A is told so, and B that there is no such run.
  'POST /runs/{run_id}/effects/{effect_id}/resolve': {
    is: 'gone',
    body: () => ({ resolution: 'happened' }),
    own: [404],
  },
  ...ofRun('POST', '/rerun', { is: 'gone', body: nothing, own: [200, 409] }),
  ...ofRun('POST', '/retry', { is: 'gone', own: [200, 409] }),
  'POST /runs/retry': { is: 'apart', body: () => ({ filter: { outcome: 'completed' } }) },
  ...ofRun('POST', '/cancel', { is: 'gone', own: endedToo }),
  ...ofRun('POST', '/input', { is: 'gone', body: () => ({ input: 'More.' }), own: [202, 409] }),
  'POST /runs/cancel': {
    is: 'gone',
    body: ({ thread_id, run_id }) => ({ thread_id, run_ids: [run_id] }),
    own: [204],
  },
  'POST /ag-ui/{agent}/runs/{run_id}/cancel': { is: 'gone', own: endedToo },
  // Whoever has no such thread has nothing on it to cancel.
  'POST /ag-ui/{agent}/threads/{thread_id}/cancel': { is: 'apart', own: [204] },
  'DELETE /keys/{key_id}': gone,
  'PATCH /threads/{thread_id}': { ...goneSpare, body: nothing },
  'PATCH /threads/{thread_id}/state': { ...goneSpare, body: nothing },
  'POST /threads/{thread_id}/copy': goneSpare,
  // Of one turn, which stays.
  'POST /threads/{thread_id}/compact': { ...goneSpare, body: nothing, own: [200, 422] },
  'GET /threads/{thread_id}/context': gone,
  'GET /threads/{thread_id}/todos': gone,
  'POST /threads/{thread_id}/state': {
    ...goneSpare,
    body: () => ({ values: { messages: [{ role: 'user', content: 'Write.' }] } }),
  },
  // Deleted once, it is not there.
  ...ofRun('DELETE', '', { ...goneSpare, own: [204, 404] }),
  'DELETE /threads/{thread_id}': { ...goneSpare, own: [204] },
  'POST /threads/prune': {
    is: 'apart',
    spare: true,
    body: ({ thread_id }) => ({ thread_ids: [thread_id] }),
  },

  // With A's id of a thread, B gets a thread of its own.
  'POST /threads': { is: 'apart', body: ({ thread_id }) => ({ thread_id }), own: [409] },
  'POST /threads/{thread_id}/runs': { is: 'apart', body: run },
  'POST /threads/{thread_id}/runs/wait': { is: 'apart', body: run },
  'POST /threads/{thread_id}/runs/stream': { is: 'apart', body: run },
  'POST /runs': { is: 'apart', body: run },
  'POST /runs/wait': { is: 'apart', body: run },
  'POST /runs/stream': { is: 'apart', body: run },
  'POST /runs/batch': { is: 'apart', body: () => [run()] },
  'POST /chat/{agent}': {
    is: 'apart',
    body: () => ({
      id: 'of-b',
      trigger: 'submit-message',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Write.' }] }],
    }),
  },
  'POST /ag-ui/{agent}': {
    is: 'apart',
    body: () => ({
      threadId: 'ag',
      runId: 'ag-1',
      messages: [{ id: 'm1', role: 'user', content: 'Write.' }],
      tools: [],
      context: [],
    }),
  },
  'POST /a2a/{agent}': {
    is: 'apart',
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }),
  },
  'POST /a2a/{agent}/message:send': { is: 'apart', body: () => letter('l1') },
  'POST /a2a/{agent}/message:stream': { is: 'apart', body: () => letter('l2') },
  'POST /a2a/{agent}/v1/message:send': { is: 'apart', body: () => olderLetter('l3') },
  'POST /a2a/{agent}/v1/message:stream': { is: 'apart', body: () => olderLetter('l4') },
  'POST /runs/crons': { is: 'apart', body: cron },
  'POST /threads/{thread_id}/runs/crons': { is: 'apart', body: cron },
  'PUT /store/items': {
    is: 'apart',
    body: () => ({ namespace: ['b'], key: 'plan', value: {} }),
    own: [204],
  },
  'DELETE /store/items': {
    is: 'apart',
    body: () => ({ namespace: ['c'], key: 'plan' }),
    own: [204],
  },
  'POST /chat/{agent}/{chat_id}/stop': { is: 'apart', own: [200, 202] },
  'POST /assistants': { is: 'apart', body: () => ({ graph_id: 'writer' }) },
  'POST /assistants/{assistant_id}/latest': {
    is: 'gone',
    body: () => ({ version: 1 }),
  },
  'DELETE /assistants/{assistant_id}': { is: 'gone', own: [204] },
  'DELETE /runs/crons/{cron_id}': { is: 'gone', own: [204] },
  'POST /keys': { is: 'apart', body: () => ({ name: 'mine', scopes: [] }) },
}
