/** Answers, compressed for clients that ask for it. */
import type { MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'

/** What is shorter arrives with the first packets of a connection as it is. */
const bytesMin = 16 * 1024

const pack = compress({ threshold: bytesMin })

/**
 * Compresses answers that are there as a whole, which their length says. What comes piece by piece (events, a line break that
 * keeps a connection, an export) would stand still in the compressor.
 */
export const compressed: MiddlewareHandler = async (c, next) => {
  await next()
  if (c.res.headers.has('content-length')) await pack(c, () => Promise.resolve())
}
