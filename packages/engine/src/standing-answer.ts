/**
 * Whether a person's answer counted: what came before it in the log stands, whether or not that is decided yet.
 */
import type { Register, StoredEvent } from './ports.ts'
import { insist, type Patience } from './record/patience.ts'

export interface StandingDeps extends Patience {
  readonly register: Register
}

/** Is an event of this type about the call? */
export const isAbout = (event: StoredEvent, type: string, callId: string): boolean =>
  event.type === type && event.payload['callId'] === callId

/** The first answer of its type about the call; null: there is none. */
export async function firstAnswer(
  deps: StandingDeps,
  runId: string,
  about: { readonly type: string; readonly callId: string },
): Promise<StoredEvent | null> {
  const events = await insist(deps, 'read events', () => deps.register.events(runId, {}))
  return events.find((event) => isAbout(event, about.type, about.callId)) ?? null
}

/** What became of the answer that is recorded: it counted, or its time was over, or the run was ending. */
export async function answerStanding(
  deps: StandingDeps,
  runId: string,
  about: { readonly type: string; readonly callId: string; readonly timerId: string },
): Promise<'accepted' | 'expired' | 'ended'> {
  const events = await insist(deps, 'read events', () => deps.register.events(runId, {}))
  const at = events.findIndex((event) => isAbout(event, about.type, about.callId))
  const before = events.slice(0, at)
  if (before.some(({ type }) => type === 'cancel.requested')) return 'ended'
  const isTimer = ({ type, payload }: StoredEvent): boolean =>
    type === 'timer.fired' && payload['timerId'] === about.timerId
  return before.some(isTimer) ? 'expired' : 'accepted'
}
