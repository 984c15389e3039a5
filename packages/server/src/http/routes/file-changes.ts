/** Writing and deleting files of a thread by hand. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { deleteFile, writeFile } from '../change-file.ts'
import { Problem } from '../problem.ts'
import { ThreadFilePath, WrittenFile } from '../wire/file-view.ts'
import { fileAddress, filePattern } from './files.ts'
import { IdempotencyKey } from './run-creates.ts'

const tags = ['Files']
const request = { params: ThreadFilePath, headers: IdempotencyKey }

/** A client that makes a write depend on a condition relies on it, so the condition is refused and not ignored. @throws Problem */
function refuseConditions({ req }: Context<ApiEnv>): void {
  const names = ['if-match', 'if-none-match', 'if-unmodified-since', 'content-range']
  const field = names.find((name) => req.header(name) !== undefined)
  if (field === undefined) return
  throw new Problem('not_available', {
    detail: `${field}: files are written and deleted whole, whatever was there. Two edits at once are one after the other, and each can be undone.`,
    field,
  })
}

export function fileChangeRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  writeRoute(app, api)
  deleteRoute(app, api)
}

function writeRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const description = 'The file, and the edit that it is.'
  const responses: ReturnType<typeof answers> = {
    ...answers(
      { description: `${description} It was not there before.`, schema: WrittenFile, status: 201 },
      [
        'unknown_thread',
        'idempotency_conflict',
        'thread_busy',
        'thread_full',
        'path_taken',
        'files_full',
        'too_many_uploads',
        'unsupported_encoding',
        'file_too_large',
        'bad_file_name',
        'user_held',
        'not_available',
      ],
    ),
    200: {
      description: `${description} It was there before.`,
      content: { 'application/json': { schema: WrittenFile } },
    },
  }
  const write = createRoute({
    method: 'put',
    path: fileAddress,
    tags,
    summary: 'Writes a file of a thread whole: an edit, which a fork before it does not see',
    request,
    responses,
  })
  // Described beside the route: what is written may have any type, and its bytes are the body.
  app.openAPIRegistry.registerPath({
    ...write,
    request: {
      ...request,
      body: {
        required: true,
        content: {
          'application/octet-stream': {
            schema: z.string().openapi({ format: 'binary' }),
            example: 'Ask Ada.',
          },
        },
      },
    },
  })
  app.openapi({ ...write, path: filePattern, hide: true }, async (c) => {
    const { thread_id: threadId, path } = c.req.valid('param')
    const idempotencyKey = c.req.header('idempotency-key')
    refuseConditions(c)
    const { file, created } = await writeFile(api, c.get('caller'), {
      place: { threadId, path, idempotencyKey },
      brought: c.get('incoming'),
    })
    return reply(c, file, { status: created ? 201 : 200 })
  })
}

function deleteRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const remove = createRoute({
    method: 'delete',
    path: fileAddress,
    tags,
    summary: 'Deletes a file of a thread: an edit, so it is there at every earlier checkpoint',
    request,
    responses: answers({ description: 'It is not there.', status: 204 }, [
      'unknown_thread',
      'unknown_file',
      'idempotency_conflict',
      'thread_busy',
      'thread_full',
      'path_taken',
      'bad_file_name',
      'user_held',
      'not_available',
    ]),
  })
  app.openAPIRegistry.registerPath(remove)
  app.openapi({ ...remove, path: filePattern, hide: true }, async (c) => {
    const { thread_id: threadId, path } = c.req.valid('param')
    const idempotencyKey = c.req.header('idempotency-key')
    refuseConditions(c)
    await deleteFile(api, c.get('caller'), { threadId, path, idempotencyKey })
    return c.body(null, 204)
  })
}
