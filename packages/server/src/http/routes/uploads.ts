/** Uploads: content that a run may name. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { StoredUpload } from '@signalbox/postgres'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { uploadFiles } from '../upload-files.ts'
import { Upload } from '../wire/file-view.ts'
import { ThreadPath } from '../wire/ids.ts'

/** Do the routes read the bodies of such requests themselves, since these are files? */
export const bringsFiles = ({
  method,
  path,
}: {
  readonly method: string
  readonly path: string
}): boolean =>
  (method === 'POST' && /^\/threads\/[^/]+\/uploads$/.test(path)) ||
  (method === 'PUT' && /^\/threads\/[^/]+\/files\/./s.test(path))

export function uploadRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const upload = createRoute({
    method: 'post',
    path: '/threads/{thread_id}/uploads',
    tags: ['Files'],
    summary: 'Uploads files, for runs of the thread to name',
    request: { params: ThreadPath },
    responses: answers(
      {
        description: 'The uploads, in the order of the parts.',
        schema: z.array(Upload),
        status: 201,
      },
      [
        'unknown_thread',
        'not_recorded',
        'too_many_uploads',
        'malformed_multipart',
        'unsupported_media_type',
        'unsupported_encoding',
        'file_too_large',
        'bad_file_name',
      ],
    ),
  })
  // Described beside the route: a validator of bodies would read them whole.
  app.openAPIRegistry.registerPath({
    ...upload,
    request: {
      ...upload.request,
      body: {
        required: true,
        content: {
          'multipart/form-data': {
            example: { files: ['item,sold\nbell,12\n'] },
            schema: z.object({
              /** 1 to 10 parts, each with a file name. What their fields are called is not asked. */
              files: z.array(z.string().openapi({ format: 'binary' })),
            }),
          },
        },
      },
    },
  })
  app.openapi({ ...upload, hide: true }, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const { headers, pieces } = c.get('incoming')
    const uploads = await uploadFiles(api, c.get('caller'), { threadId, headers, pieces })
    return reply(c, uploads.map(view), { status: 201 })
  })
}

const view = ({ id, name, mime, bytes, sha256 }: StoredUpload): Upload => ({
  upload_id: id,
  name,
  mime,
  bytes,
  sha256,
})
