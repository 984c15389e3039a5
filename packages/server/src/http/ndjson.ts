/** Newline-delimited JSON: for those who take events by the million. */
import type { Context } from 'hono'
import { textStream } from '../stream/sse.ts'
import type { Api } from './api.ts'

const mediaType = 'application/x-ndjson'
const stallMs = 60_000

/** Does the caller want NDJSON rather than one JSON document? */
export const wantsNdjson = (c: Context): boolean =>
  (c.req.header('accept') ?? '')
    .split(',')
    .some((range) => range.split(';')[0]?.trim().toLowerCase() === mediaType)

/** Streams pages as lines. The next page is read when the client has taken the one before. */
export function ndjsonResponse(
  { log }: Pick<Api, 'log'>,
  pages: AsyncGenerator<readonly unknown[], void, undefined>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(textStream(lines(pages), { stallMs, onGone: () => {}, log }), {
    headers: { 'content-type': mediaType, 'cache-control': 'no-store', ...headers },
  })
}

async function* lines(
  pages: AsyncGenerator<readonly unknown[], void, undefined>,
): AsyncGenerator<string, void, undefined> {
  for await (const page of pages)
    if (page.length > 0) yield page.map((each) => `${JSON.stringify(each)}\n`).join('')
}
