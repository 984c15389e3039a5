/** Stream modes: which frames of a run a client asks for. */
import { z } from '@hono/zod-openapi'

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
export const StreamModes = z
  .preprocess(
    readList,
    z
      .union([StreamMode, z.array(StreamMode)], {
        error: `takes one or several of ${StreamMode.options.join(', ')}`,
      })
      .nullish(),
  )
  .transform((asked): readonly StreamMode[] => {
    const modes = typeof asked === 'string' ? [asked] : (asked ?? [])
    return modes.length === 0 ? byDefault : [...new Set(modes)]
  })
  .openapi({
    anyOf: [
      { type: 'string', enum: StreamMode.options },
      { type: 'array', items: { type: 'string', enum: StreamMode.options } },
    ],
    description: 'Default: values.',
  })

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
