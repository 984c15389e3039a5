/** Stream modes: which frames of a run a client asks for. */
import { z } from '@hono/zod-openapi'
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'

/** LangGraph's modes, and our own: the events of the register as they are. */
export const StreamMode = z.enum([
  'values',
  'updates',
  'messages-tuple',
  'messages',
  'custom',
  'events',
  'debug',
  'tasks',
  'checkpoints',
  'signalbox',
])
export type StreamMode = z.infer<typeof StreamMode>

/** What the clients expect that ask for nothing. */
const byDefault: readonly StreamMode[] = ['values']

/** One mode or several. In a query the parameter is repeated, or, by some clients, a list as JSON. */
const Asked = z.preprocess(
  readList,
  z
    .union([StreamMode, z.array(StreamMode)], {
      error: `takes one or several of ${StreamMode.options.join(', ')}`,
    })
    .nullish(),
)

const written = {
  anyOf: [
    { type: 'string' as const, enum: StreamMode.options },
    { type: 'array' as const, items: { type: 'string' as const, enum: StreamMode.options } },
  ],
}

function listOf(asked: z.output<typeof Asked>): readonly StreamMode[] {
  const modes = typeof asked === 'string' ? [asked] : (asked ?? [])
  return [...new Set(modes)]
}

/** What a create asks for. */
export const StreamModes = Asked.transform((asked): readonly StreamMode[] => {
  const modes = listOf(asked)
  return modes.length === 0 ? byDefault : modes
}).openapi({ ...written, description: 'Default: values.' })

/** What whoever joins a run asks for; null: what the run was created with. */
export const JoinModes = Asked.transform((asked): readonly StreamMode[] | null => {
  const modes = listOf(asked)
  return modes.length === 0 ? null : modes
}).openapi({ ...written, description: 'Default: those that the run was created with.' })

/** The modes that a run was created with, from its first event; what this build does not know counts for nothing. */
export function modesOf(created: StoredEvent | undefined): readonly StreamMode[] {
  const { client } = factSchemas['run.created'].pick({ client: true }).parse(created?.payload ?? {})
  const modes = z.array(StreamMode).min(1).safeParse(client?.streamModes)
  return modes.success ? modes.data : byDefault
}

function readList(asked: unknown): unknown {
  if (Array.isArray(asked)) return asked.flatMap(readList)
  if (typeof asked !== 'string' || !asked.startsWith('[')) return asked
  try {
    return JSON.parse(asked)
  } catch {
    return asked
  }
}

/** Is it what a client gets that asks for nothing? */
export const isDefault = (modes: readonly StreamMode[]): boolean =>
  modes.length === byDefault.length && byDefault.every((mode) => modes.includes(mode))

/** Is only our own stream asked for? Its ids are those of the events. */
export const isOwn = (modes: readonly StreamMode[]): boolean =>
  modes.every((mode) => mode === 'signalbox')

/** The query that asks for the same once more. */
export const modesQuery = (modes: readonly StreamMode[]): string =>
  modes.map((mode) => `stream_mode=${mode}`).join('&')
