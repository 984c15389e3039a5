/** Chats, as the AI SDK's clients drive them: send, resume, stop. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { approvalProblems } from '../answer-approval.ts'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findAgent } from '../find.ts'
import { Term } from '../wire/ids.ts'
import { answerCalls } from '../../wires/ai-sdk/answer-calls.ts'
import { answerAgain } from '../../wires/ai-sdk/answer-again.ts'
import { ChatPost, wishOf } from '../../wires/ai-sdk/chat-body.ts'
import type { Chat } from '../../wires/ai-sdk/chat-names.ts'
import { messageStream } from '../../wires/ai-sdk/message-stream.ts'
import { activeRun, runOfMessage, stopChat } from '../../wires/ai-sdk/open-runs.ts'
import { sendMessage } from '../../wires/ai-sdk/send-message.ts'
import { currentChat } from '../../wires/ai-sdk/versions.ts'
import { createProblems } from './run-creates.ts'

const tags = ['Chats']
const AgentPath = z.object({ agent: Term })
const ChatPath = AgentPath.extend({ chat_id: Term })
const told = {
  description: 'The message, as parts of a UI message stream.',
  schema: z.string(),
  types: ['text/event-stream'],
}

export function chatRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  sendRoute(app, api)
  resumeRoute(app, api)
  stopRoute(app, api)
}

function chatOf(
  api: Api,
  c: Context<ApiEnv>,
  { agent, chat_id: chatId }: z.infer<typeof ChatPath>,
): Promise<Chat> {
  const { tenantId } = c.get('caller')
  return currentChat(api, { tenantId, agent: findAgent(api, agent, 'agent').name, chatId })
}

function sendRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const send = createRoute({
    method: 'post',
    path: '/chat/{agent}',
    tags,
    summary: 'Sends a message, or answers to approvals, and streams what is said to it',
    request: { params: AgentPath, body: jsonBody(ChatPost) },
    responses: answers(told, [
      ...new Set([...createProblems, ...approvalProblems]),
      'run_waits',
      'bad_file_name',
      'too_many_uploads',
      'too_many_streams',
    ]),
  })
  app.openapi(send, async (c) => {
    const caller = c.get('caller')
    const body = c.req.valid('json')
    const chat = await chatOf(api, c, { ...c.req.valid('param'), chat_id: body.id })
    const wish = wishOf(body)
    if (wish.kind === 'message')
      return messageStream(api, await sendMessage(api, caller, { chat, ...wish }))
    if (wish.kind === 'again')
      return messageStream(api, await answerAgain(api, caller, { chat, ...wish }))
    return messageStream(api, await answerCalls(api, caller, { chat, ...wish }), wish.steps)
  })
}

function resumeRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const resume = createRoute({
    method: 'get',
    path: '/chat/{agent}/{chat_id}/stream',
    tags,
    summary: 'Streams the message that is being written, from its beginning',
    request: {
      params: ChatPath,
      query: z.object({
        message_id: Term.optional().openapi({
          description: 'This message, or the one that answers it, even if it is complete.',
        }),
      }),
    },
    responses: {
      ...answers(told, ['unknown_agent', 'too_many_streams']),
      204: { description: 'Nothing is going on in the chat.' },
    },
  })
  app.openapi(resume, async (c) => {
    const chat = await chatOf(api, c, c.req.valid('param'))
    const { message_id: id } = c.req.valid('query')
    const named = id === undefined ? null : await runOfMessage(api, chat, id)
    const head = named ?? (await activeRun(api, chat))
    return head ? messageStream(api, head) : c.body(null, 204, { 'cache-control': 'no-store' })
  })
}

const Stopped = z
  .object({
    /** The runs that were going on, or waited to; empty if there were none. */
    stopped: z.array(z.string()),
  })
  .openapi('ChatStopped')

function stopRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const stop = createRoute({
    method: 'post',
    path: '/chat/{agent}/{chat_id}/stop',
    tags,
    summary: 'Stops a chat: from the answer on, no new effect of what was going on starts',
    request: { params: ChatPath },
    responses: answers({ description: 'The stop is durable.', schema: Stopped, status: 202 }, [
      'unknown_agent',
    ]),
  })
  app.openapi(stop, async (c) => {
    const chat = await chatOf(api, c, c.req.valid('param'))
    const stopped = await stopChat(api, c.get('caller'), chat)
    return reply(c, { stopped }, { status: 202 })
  })
}
