/** An event of Agent Protocol v2 before it is written. */

/** What a client subscribes to. */
export const channels = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
] as const
export type Channel = (typeof channels)[number]

/** A path in the tree of runs: empty for the run itself, a segment for each call that started a run. */
export type Namespace = readonly string[]

/** Its data are made only if somebody asked for it: they may be large. */
export interface TapeEvent {
  /** The same on every connection, whenever it was opened: clients leave out what they have by it. */
  readonly id: string
  readonly method: Channel | 'input.requested' | 'input.answered'
  readonly channel: Channel
  readonly namespace: Namespace
  readonly node?: string
  readonly data: () => Readonly<Record<string, unknown>>
}

/** An event with its slot. */
export interface Placed {
  readonly slot: number
  readonly event: TapeEvent
}

/** The namespace of the run that a call has started. */
export const childNamespace = (callId: string): string => `tools:${callId}`
