/** What a create means: the digest by which it is recognised when it is repeated with its key. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '@signalbox/core'
import { canonical } from '@signalbox/engine'
import type { Asker } from './api.ts'
import { meaningOfFiles } from './brought-files.ts'
import type { CreateRequest } from './create-run.ts'
import { baseOf, messageFiles, messagesOf, saidBefore, uploadsIn } from './wire/run-create.ts'

/** Two spellings of the same JSON agree, and fields without effect do not count. */
export function meaningOf(
  { body, threadId, brought = [] }: CreateRequest,
  { user }: Asker,
  fields: JsonObject,
): string {
  const { assistant_id, metadata, if_not_exists } = body
  const order = [body.multitask_strategy, body.after_seconds, body.priority, baseOf(body)]
  const input = messagesOf(body.input)
  // For somebody else it is another request.
  const whose = user === undefined ? {} : { user: user.id }
  const told = typeof body.webhook === 'string' ? { webhook: body.webhook } : {}
  const privately = body.memory === 'off' ? { memory: 'off' } : {}
  const recursion = body.config?.recursion_limit ?? null
  const within = recursion === null ? {} : { recursion }
  const before = saidBefore(body.input)
  const imports = before.some((each) => each?.role === 'assistant') ? { before } : {}
  const uploads = uploadsIn(body.input)
  const inMessages = messageFiles(body.input).flatMap(({ filename: name = '', bytes, at }) =>
    bytes ? [{ name, bytes, at }] : [],
  )
  const given = {
    ...(uploads.length > 0 ? { files: uploads } : {}),
    ...(brought.length > 0 ? { brought: meaningOfFiles(brought) } : {}),
    ...(inMessages.length > 0 ? { inMessages: meaningOfFiles(inMessages) } : {}),
  }
  const said = Object.keys(fields).length === 0 ? {} : { fields }
  const alone = body.interactive === false ? { interactive: false } : {}
  const rest = {
    input,
    ...given,
    threadId,
    ...whose,
    ...told,
    ...privately,
    ...within,
    ...imports,
    ...said,
    ...alone,
  }
  const meaning = { assistant_id, metadata, if_not_exists, order, ...rest }
  return createHash('sha256').update(canonical(meaning)).digest('hex')
}
