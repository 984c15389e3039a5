/** Which events of a tape a connection gets. */
import { z } from '@hono/zod-openapi'
import { positionMax } from './tape/position.ts'
import { type Channel, channels, type Namespace, type TapeEvent } from './tape/tape-event.ts'

const namespacesMax = 100
const segmentsMax = 16
const channelsMax = 50
const charsMax = 300

/** One channel, or the custom events of one name. */
const ChannelName = z
  .string()
  .max(charsMax)
  .refine(
    (name) => name.startsWith('custom:') || channels.some((channel) => channel === name),
    `takes one of ${channels.join(', ')}, or custom:<name>`,
  )

const Path = z.array(z.string().max(charsMax)).max(segmentsMax)

export const EventStreamRequest = z
  .object({
    channels: z.array(ChannelName).min(1, 'takes at least one channel').max(channelsMax),
    /** Only events at or below one of these paths. */
    namespaces: z.array(Path).max(namespacesMax).nullish(),
    /** And so deep below it at most. */
    depth: z.number().int().min(0).max(1000).nullish(),
    /** The `seq` of the last event that the client has. */
    since: z.number().int().min(0).max(positionMax).nullish(),
  })
  .openapi('EventStreamRequest')
export type EventStreamRequest = z.output<typeof EventStreamRequest>

/** Does a connection want this event? */
export function isWanted(event: TapeEvent, asked: EventStreamRequest): boolean {
  return isSubscribed(event, asked.channels) && isInside(event.namespace, asked)
}

function isSubscribed(event: TapeEvent, names: readonly string[]): boolean {
  const channel: Channel = event.channel
  if (names.includes(channel)) return true
  if (channel !== 'custom' || !names.some((name) => name.startsWith('custom:'))) return false
  return names.includes(`custom:${String(event.data()['name'])}`)
}

function isInside(namespace: Namespace, { namespaces, depth }: EventStreamRequest): boolean {
  const roots = namespaces && namespaces.length > 0 ? namespaces : [[]]
  return roots.some(
    (root) =>
      root.every((segment, n) => isSegment(namespace[n], segment)) &&
      namespace.length - root.length <= (depth ?? Number.POSITIVE_INFINITY),
  )
}

/** A segment without a suffix means every one of its name, as the client reads it too. */
const isSegment = (segment: string | undefined, asked: string): boolean =>
  segment === asked || (!asked.includes(':') && segment?.split(':')[0] === asked)
