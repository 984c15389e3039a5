/** From the body of a request to a pause that stands, or the problem that says why it does not. */
import { limits } from '@signalbox/core'
import type { Caller, NamedTarget } from '@signalbox/engine'
import type { ListedPause } from '@signalbox/postgres'
import type { z } from '@hono/zod-openapi'
import { suggestion } from '../config/nearest.ts'
import type { Api } from './api.ts'
import { Problem } from './problem.ts'
import { type PauseCreate, targetOf } from './wire/pause-view.ts'

export const unknownPause = (pauseId: string): Problem =>
  new Problem('unknown_pause', {
    detail: `There is no pause ${pauseId} that stands. GET /pauses lists them.`,
    field: 'pause_id',
  })

/** Sets it. @throws Problem */
export async function setPause(
  api: Api,
  { tenantId, actor }: Caller,
  wanted: z.infer<typeof PauseCreate>,
): Promise<{ readonly isNew: boolean; readonly pause: ListedPause }> {
  const target = targetOf(wanted.target)
  const { reason } = wanted
  const until = wanted.until ? Date.parse(wanted.until) : null
  if (until !== null && until <= api.now())
    throw new Problem('invalid_request', {
      detail: 'until: takes a time that is still to come',
      field: 'until',
    })
  await insistIsKnown(api, tenantId, target)
  const answer = await api.commands.pause({ tenantId, actor, target, reason, until })
  if (answer.code === 'full')
    throw new Problem('quota_reached', {
      detail: `${limits.pausesMax} pauses stand, and there may be no other. Lift some: GET /pauses lists them.`,
    })
  if (answer.code === 'busy' || !answer.confirmed) throw unconfirmed()
  const { pauseId } = answer
  const pause = (await api.read.pauses(tenantId)).find((each) => each.pauseId === pauseId)
  // Lifted in between.
  if (!pause) throw unknownPause(pauseId)
  api.log.info('a pause was set', { tenant: tenantId, pause: pauseId, target, actor })
  return { isNew: answer.code === 'created', pause }
}

const unconfirmed = (): Problem =>
  new Problem('pause_unconfirmed', {
    detail:
      'The pause stands, but a write that began before it has not ended, and may still start something. Send the same request again.',
    headers: { 'retry-after': '2' },
  })

/** A word that names nothing would pause nothing, and nobody would notice. @throws Problem */
async function insistIsKnown(api: Api, tenantId: string, target: NamedTarget): Promise<void> {
  const { kind, name } = target
  const ours = namesOf(api, kind)
  if (ours.includes(name)) return
  const used = (await api.read.pausable(tenantId)).filter((each) => each.kind === kind)
  const known = [...new Set([...ours, ...used.map((each) => each.name)])].toSorted()
  if (known.includes(name)) return
  throw new Problem('unknown_target', {
    detail: `There is no ${kind} "${name}".${suggestion(name, known)}`,
    field: `target.${kind}`,
  })
}

/** The names that the configuration of this process knows. */
function namesOf({ agents }: Pick<Api, 'agents'>, kind: NamedTarget['kind']): readonly string[] {
  if (kind === 'agent') return [...agents.keys()]
  const tools = [...agents.values()].flatMap((agent) => agent.tools)
  return tools.map(({ name, queue }) => (kind === 'tool' ? name : queue))
}
