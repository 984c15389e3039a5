/** Reading an image that stands in a conversation: of a message, or of a result. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { imageHeadOf, ImageType, limits } from '@signalbox/core'
import { threadEvents } from '../../wires/langgraph/state.ts'
import type { Api, ApiEnv, Identified } from '../api.ts'
import { answers } from '../answers.ts'
import { unknownThread } from '../find.ts'
import { Problem } from '../problem.ts'
import { fileResponse, unchanged } from '../read-file.ts'
import { Id } from '../wire/ids.ts'

const ImageOfThread = z.object({
  thread_id: Id,
  /** As the part of a message or of a result names it. */
  key: z.string().min(1).max(limits.idCharsMax),
})

export function imageRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const read = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/images/{key}',
    tags: ['Files'],
    summary: 'Reads an image of a conversation, by the key that its part has',
    request: {
      params: ImageOfThread,
      headers: z.object({ 'if-none-match': z.string().optional() }),
    },
    responses: {
      ...answers(
        {
          description: 'The image, as an attachment.',
          types: ImageType.options,
          schema: z.string(),
        },
        ['unknown_thread', 'unknown_image', 'content_erased'],
      ),
      304: { description: 'It is what `If-None-Match` names.' },
    },
  })
  app.openapi(read, async (c) => {
    const { thread_id: threadId, key } = c.req.valid('param')
    const { tenantId } = c.get('caller')
    if (!(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
    const ifNoneMatch = c.req.header('if-none-match')
    const bytes = await api.read.heardBlob(tenantId, threadId, key)
    const head = bytes ? imageHeadOf(bytes) : 'not_an_image'
    if (!bytes) throw await noImage(api, c.get('caller'), { threadId, key })
    if (typeof head === 'string') throw unknownImage(threadId)
    const { mime } = head
    const path = `image.${mime.slice('image/'.length)}`
    const whole = { range: undefined, ifRange: undefined, ifNoneMatch }
    return unchanged(key, whole) ?? fileResponse({ path, bytes, type: mime, tag: key }, whole)
  })
}

/** A conversation that names it had it once. */
async function noImage(
  { read }: Pick<Api, 'read'>,
  { tenantId }: Identified,
  { threadId, key }: { readonly threadId: string; readonly key: string },
): Promise<Problem> {
  const events = await threadEvents(read, { tenantId, threadId })
  const named = JSON.stringify(key)
  const isNamed = events.some(({ payload }) => JSON.stringify(payload).includes(`"key":${named}`))
  return isNamed
    ? new Problem('content_erased', {
        detail: 'The content of the image was erased.',
        field: 'key',
      })
    : unknownImage(threadId)
}

const unknownImage = (threadId: string): Problem =>
  new Problem('unknown_image', {
    detail: `The thread ${threadId} has no image of this key.`,
    field: 'key',
  })
