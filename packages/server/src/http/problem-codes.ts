/**
 * Every problem that the API answers with: its stable `code`, status, and title. The reference for users is generated
 * from this table, so a code stands here once and is never renamed.
 */

import { bodyProblemKinds } from './body-problem-codes.ts'
import { doorProblemKinds } from './door-problem-codes.ts'
import { fileProblemKinds } from './file-problem-codes.ts'
import { inputProblemKinds } from './input-problem-codes.ts'
import { memoryProblemKinds } from './memory-problem-codes.ts'
import { pauseProblemKinds } from './pause-problem-codes.ts'
import { registerProblemKinds } from './register-problem-codes.ts'
import { repeatProblemKinds } from './repeat-problem-codes.ts'
import { socketProblemKinds } from './socket-problem-codes.ts'

interface ProblemKind {
  readonly status: number
  /** The same for every occurrence; `detail` says what is wrong with this request, and what would be right. */
  readonly title: string
  /** For the reference: when it happens, and what the caller should do. */
  readonly help: string
}

/** The kinds of problems by code. */
export const problemKinds = {
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    help: 'Send a JSON document in UTF-8.',
  },
  malformed_encoding: {
    status: 400,
    title: 'The body is not what Content-Encoding says',
    help: 'Compress the body as the header says, or leave the header out.',
  },
  json_too_deep: {
    status: 400,
    title: 'The JSON is nested too deeply',
    help: 'Nest values at most 64 levels deep.',
  },
  ambiguous_json: {
    status: 400,
    title: 'The JSON can be read in two ways',
    help: 'A key stands twice in an object, or a number is beyond 2^53 - 1 or any double: two readers would see two values. Write large numbers as texts.',
  },
  forbidden_key: {
    status: 400,
    title: 'The JSON has a key that is not allowed',
    help: 'The keys __proto__, constructor and prototype are refused anywhere in a body.',
  },
  forbidden_text: {
    status: 400,
    title: 'The JSON has a text that cannot be stored',
    help: 'Texts may not hold U+0000, nor half of a surrogate pair.',
  },
  malformed_url: {
    status: 400,
    title: 'The address cannot be read',
    help: 'Percent-encode the path and the query as UTF-8.',
  },
  malformed_request: {
    status: 400,
    title: 'The request is not HTTP',
    help: 'Send HTTP/1.1 with one valid Host header, and an address that is a path.',
  },
  invalid_header: {
    status: 400,
    title: 'A header has a value that cannot be used',
    help: '`field` names the header. Idempotency-Key: 1 to 200 of A-Z a-z 0-9 . _ : -, not beginning with `child:`, `cron:`, `learn:` or `retry:`. Last-Event-ID: the id of an event of this stream. Headers of `server.identity`: one value of 1 to 190 characters, without commas.',
  },
  unauthenticated: {
    status: 401,
    title: 'Credentials are missing or wrong',
    help: 'Send `Authorization: Bearer <key>` or `x-api-key: <key>`.',
  },
  forbidden_scope: {
    status: 403,
    title: 'The key lacks a scope',
    help: '`scope` names what is missing. Use a key that has it, or have one made: see the page on authentication.',
  },
  approval_forbidden: {
    status: 403,
    title: 'Somebody else must decide about this call',
    help: 'The agent lets only certain roles approve, or not whoever the run works for. `detail` says which.',
  },
  ...doorProblemKinds,
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    help: 'See /openapi.json for what there is.',
  },
  unknown_agent: {
    status: 404,
    title: 'There is no such agent',
    help: '`assistant_id` takes the name of a configured agent; GET /assistants lists them.',
  },
  unknown_thread: {
    status: 404,
    title: 'There is no such thread',
    help: 'Create it with POST /threads, or create the run with `if_not_exists: "create"`.',
  },
  unknown_run: {
    status: 404,
    title: 'There is no such run',
    help: 'Use the run id of the answer to the create, or the idempotency key it was created with.',
  },
  unknown_checkpoint: {
    status: 404,
    title: 'The thread has no such checkpoint',
    help: 'GET /threads/{thread_id}/history lists the checkpoints of a thread.',
  },
  unknown_key: {
    status: 404,
    title: 'There is no such key',
    help: 'GET /keys lists the keys of the tenant.',
  },
  unknown_cron: {
    status: 404,
    title: 'There is no such cron',
    help: 'POST /runs/crons/search lists the crons.',
  },
  unknown_effect: {
    status: 404,
    title: 'There is no such effect whose outcome is unknown',
    help: 'GET /unknown lists the effects that wait for a resolution.',
  },
  unknown_approval: {
    status: 404,
    title: 'No such approval is asked for',
    help: 'GET /approvals lists the calls that wait for an approval.',
  },
  unknown_definition: {
    status: 404,
    title: 'No run of this tenant has used such a definition',
    help: 'GET /events/queries/definitions lists the definitions that runs of the tenant have used.',
  },
  unknown_query: {
    status: 404,
    title: 'There is no such saved query',
    help: 'GET /events/queries lists the saved queries.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not take this method',
    help: 'The Allow header names the methods it takes.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    help: 'Headers must be there within 20 seconds, the body within 60.',
  },
  thread_exists: {
    status: 409,
    title: 'The thread is there already',
    help: 'Use `if_exists: "do_nothing"` to get the thread that is there.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'The idempotency key belongs to another request',
    help: 'A key stands for one request body. Use a new key for a new request; `run_id` names the run that has it.',
  },
  assistant_exists: {
    status: 409,
    title: 'The assistant is there already',
    help: 'Use `if_exists: "do_nothing"` to get the assistant that is there.',
  },
  assistant_configured: {
    status: 409,
    title: 'The assistant is an agent of the configuration',
    help: 'An agent is changed where it is configured. POST /assistants makes an assistant of it that can be changed.',
  },
  assistant_outdated: {
    status: 409,
    title: 'The assistant does not fit its agent any more',
    help: 'Its agent, or the model it names, is not configured any more. PATCH the assistant, or set another version.',
  },
  quota_reached: {
    status: 409,
    title: 'There are as many of these as there may be',
    help: '`detail` says of what, and how many. Delete what is not needed any more.',
  },
  run_ended: {
    status: 409,
    title: 'The run has ended',
    help: 'An ended run cannot be cancelled, answered or spoken to. GET the run for its outcome.',
  },
  ...memoryProblemKinds,
  ...repeatProblemKinds,
  ...pauseProblemKinds,
  interrupts_open: {
    status: 409,
    title: 'The thread waits for answers',
    help: 'An AG-UI thread with open interrupts takes nothing but a `resume` that answers all of them; `interrupts` lists them.',
  },
  ...inputProblemKinds,
  ...socketProblemKinds,
  nothing_waits: {
    status: 409,
    title: 'No run of the thread waits for an answer',
    help: 'GET /threads/{thread_id}/state says what a thread waits for. Somebody may have answered before.',
  },
  run_waits: {
    status: 409,
    title: 'A run of the chat waits for a human',
    help: 'Answer what it asks, or stop the chat, then send the message again. `run_id` names the run.',
  },
  unknown_input: {
    status: 404,
    title: 'The call asks no question',
    help: 'GET /inputs lists the questions that wait for an answer.',
  },
  input_conflict: {
    status: 409,
    title: 'Somebody gave another answer',
    help: 'The first answer to a question stands. Say more to the run with POST /runs/{run_id}/input.',
  },
  input_expired: {
    status: 410,
    title: 'The time to answer the question is over',
    help: 'The run went on without an answer. Say it to the run with POST /runs/{run_id}/input, or in a new run.',
  },
  invalid_answer: {
    status: 422,
    title: 'It is no answer to that question',
    help: '`field` names the part that is wrong, `detail` says what it takes: one of the options, or the values of the fields.',
  },
  approval_conflict: {
    status: 409,
    title: 'Somebody decided the other way',
    help: 'The first decision about a call stands; `decision` says which it is.',
  },
  resolution_conflict: {
    status: 409,
    title: 'Somebody said otherwise before',
    help: 'The first resolution of an unknown call stands.',
  },
  approval_expired: {
    status: 410,
    title: 'The time to decide about the call is over',
    help: 'A request that nobody answers in time is a rejection. The model may ask again.',
  },
  ...bodyProblemKinds,
  ...fileProblemKinds,
  invalid_request: {
    status: 422,
    title: 'A value of the request is not what its field takes',
    help: '`field` names it, `detail` says what it takes, `errors` lists all of them.',
  },
  invalid_arguments: {
    status: 422,
    title: 'The edited arguments are not what the tool takes',
    help: '`field` names the argument, `detail` says what the schema of the tool asks for.',
  },
  webhook_refused: {
    status: 422,
    title: 'The webhook has an address that is not reached from here',
    help: 'Use an address of the public internet that begins with https://, or let the operator open the host with `webhooks.allow`.',
  },
  unknown_webhook: {
    status: 404,
    title: 'There is no such delivery',
    help: 'The webhooks of a run stand under `/threads/{thread_id}/runs/{run_id}/webhooks`.',
  },
  webhook_under_way: {
    status: 409,
    title: 'The delivery is not over',
    help: 'Only what was delivered, or given up, can be delivered once more. Its attempts say when the next one comes.',
  },
  not_available: {
    status: 422,
    title: 'This version cannot do that',
    help: '`field` names what was asked for, `detail` what there is instead.',
  },
  thread_busy: {
    status: 422,
    title: 'A run of the thread is under way',
    help: 'Wait for it, or use another multitask_strategy.',
  },
  question_too_broad: {
    status: 422,
    title: 'The question takes the database too long',
    help: 'Narrow it: by time, type, thread, run, tool or verdict. The database works 5 seconds on a question of the audit.',
  },
  thread_full: {
    status: 429,
    title: 'Too many runs wait on the thread',
    help: 'At most 1000 runs wait on one thread. Try again when some have ended.',
  },
  user_held: {
    status: 429,
    title: 'The end user starts no run for a while',
    help: "Too many of the end user's runs were stopped for safety. Try again after `Retry-After` seconds; `until` says when.",
  },
  too_many_keys: {
    status: 429,
    title: 'The tenant has too many keys',
    help: 'At most 1000 keys of a tenant are live. Revoke those that nobody uses.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many event streams are open',
    help: 'Close streams that nobody reads, or try again later.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    help: 'The address and the headers of a request may have 32 KiB together.',
  },
  internal: {
    status: 500,
    title: 'Something broke inside',
    help: 'The server has logged what, under `log_id`. The request may or may not have had its effect; repeat it with the same Idempotency-Key.',
  },
  ...registerProblemKinds,
  shutting_down: {
    status: 503,
    title: 'This process is stopping',
    help: 'Try again after `Retry-After` seconds; another process answers then.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>

/** A stable code: what programs decide by. */
export type ProblemCode = keyof typeof problemKinds
