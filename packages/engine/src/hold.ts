/** The hold on an end user: too many of his runs were stopped for safety, so he starts none for a while. */
import type { CreateAnswer, CreateRun } from './engine.ts'
import type { Clock, Register } from './ports.ts'

/** The refusal, or null. One read, and only where the agent has a hold and the request names an end user. */
export async function holdOf(
  deps: { readonly register: Register; readonly clock: Clock },
  { tenantId, endUser, definition }: Pick<CreateRun, 'tenantId' | 'endUser' | 'definition'>,
): Promise<Extract<CreateAnswer, { code: 'held' }> | null> {
  const { hold } = definition.safety
  if (!hold || endUser === undefined) return null
  const now = deps.clock.now()
  const times = await deps.register.safetyStops(
    { tenantId, endUser },
    now - hold.withinMs - hold.holdMs,
    limitOf(hold.stops),
  )
  // Newest first: a hold begins with each stop that has enough others not long before it.
  for (const [n, at] of times.entries()) {
    const first = times[n + hold.stops - 1]
    const until = at + hold.holdMs
    if (first !== undefined && at - first <= hold.withinMs && until > now)
      return { code: 'held', until, stops: hold.stops }
  }
  return null
}

/** Enough to find the newest hold, however many stops there were. */
const limitOf = (stops: number): number => 10 * stops
