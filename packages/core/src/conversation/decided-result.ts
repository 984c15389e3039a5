/** The result of a call that was executed nowhere, since the decision that judged it settled it. */
import { heardOf } from '../event/catalogue.ts'
import type { FoldableEvent } from '../event/upcast.ts'
import type { ToolOutput } from '../message.ts'
import { settledResult } from './result.ts'

/** Null: the event settles no call, or says that it was denied. */
export function decidedResult(
  event: FoldableEvent,
): { readonly callId: string; readonly output: ToolOutput } | null {
  const heard = heardOf(event)
  return heard?.as === 'result' ? { callId: heard.callId, output: settledResult(heard.text) } : null
}
