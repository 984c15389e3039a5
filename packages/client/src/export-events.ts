/**
 * The feed as one long answer of lines. After a break it goes on behind the last event that was read whole, so that none is
 * skipped and none comes twice.
 */
import { unexpected } from './error.ts'
import type { EventFilter } from './events.ts'
import type { Event } from './generated.ts'
import { clientLimits } from './options.ts'
import { startWatch, textsOf, tooLarge } from './read-body.ts'
import { reconnecting } from './reconnecting.ts'
import type { Abortable } from './runs.ts'
import type { Transport } from './transport.ts'

/** Reads all events of a filter that are there now. @throws SignalboxError */
export async function* exportEvents(
  transport: Transport,
  { signal, ...filter }: EventFilter & Abortable = {},
): AsyncGenerator<Event, void, undefined> {
  let { after } = filter
  const { url, rule } = transport
  const connect = () => connection(transport, { ...filter, after }, signal)
  for await (const event of reconnecting({ url, rule, signal, connect })) {
    after = event.position ?? after
    yield event
  }
}

async function* connection(
  transport: Transport,
  { after, ...filter }: Omit<EventFilter, 'after'> & { readonly after: string | undefined },
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, boolean> {
  const watch = startWatch(transport.url, { silenceMs: clientLimits.silenceMs, signal })
  try {
    const call = {
      method: 'GET',
      path: '/events',
      query: { ...filter, after, format: 'ndjson' },
      repeatable: true,
    }
    const response = await transport.open(call, watch)
    const lines = linesOf(textsOf(response, watch), transport.answerBytesMax)
    for (let next = await lines.next(); ; next = await lines.next()) {
      // What follows the last line break is a line that was cut.
      if (next.done) return next.value === ''
      yield eventOf(next.value, () => unexpected(transport.url, response.status))
    }
  } finally {
    watch.stop()
  }
}

/** Whole lines. Answers what is left over at the end. */
async function* linesOf(
  texts: AsyncIterable<string>,
  bytesMax: number,
): AsyncGenerator<string, string> {
  let rest = ''
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > bytesMax) throw tooLarge(bytesMax)
    yield* lines
  }
  return rest
}

function eventOf(line: string, otherwise: () => Error): Event {
  try {
    return JSON.parse(line)
  } catch {
    throw otherwise()
  }
}
