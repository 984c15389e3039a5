import { z } from '@hono/zod-openapi'
import type { RunHead, StoredEvent } from '@signalbox/engine'

const Stopped = z.object({ code: z.string(), text: z.string() })

/** Why a rerun ended before its model had answered: a stable code, and the sentence. Null for every other run. */
export function rerunStop(
  events: readonly StoredEvent[],
  { runId }: Pick<RunHead, 'runId'>,
): { readonly error: string; readonly message: string } | null {
  const stop = events.find((event) => event.runId === runId && event.type === 'rerun.stopped')
  const said = Stopped.safeParse(stop?.payload)
  return said.success ? { error: said.data.code, message: said.data.text } : null
}
