import type { Delta, WakeTopic } from '@signalbox/engine'

/** A signal of one process to the others. */
export type WakeSignal =
  /** I have just begun to listen: tell me that you are there and what you want. */
  | { readonly kind: 'hello' }
  /** I am there. Repeated, for silence means that I am gone. */
  | { readonly kind: 'here' }
  | { readonly kind: 'bye' }
  | { readonly kind: 'wake'; readonly topic: WakeTopic; readonly id: string }
  /** Send me the deltas of this run. Repeated, for it expires. */
  | { readonly kind: 'want'; readonly runId: string }
  | { readonly kind: 'drop'; readonly runId: string }
  | { readonly kind: 'delta'; readonly delta: Delta }

/** One NOTIFY payload. */
export interface NotifyFrame {
  /** The process that sent it: everybody hears himself, too. */
  readonly from: string
  readonly signals: readonly WakeSignal[]
}

/** Records, so that a topic or kind that is missing here does not compile. */
const topics: Readonly<Record<WakeTopic, true>> = {
  run: true,
  facts: true,
  cancel: true,
  model: true,
  peek: true,
}
const deltaKinds: Readonly<Record<Delta['kind'], true>> = {
  text: true,
  reasoning: true,
  progress: true,
}

/** A signal as a compact JSON array. */
export function spellSignal(signal: WakeSignal): string {
  switch (signal.kind) {
    case 'hello':
    case 'here':
    case 'bye':
      return JSON.stringify([signal.kind])
    case 'wake':
      return JSON.stringify(['wake', signal.topic, signal.id])
    case 'want':
    case 'drop':
      return JSON.stringify([signal.kind, signal.runId])
    case 'delta': {
      const { runId, messageId, attempt, offset, kind, text } = signal.delta
      return JSON.stringify(['delta', runId, messageId, attempt, offset, kind, text])
    }
  }
}

/**
 * A payload as a frame, or null. Anybody who may log in to the database may write to the channel: nothing in it is
 * taken on trust, and signals of a newer version are skipped.
 */
export function readFrame(payload: string): NotifyFrame | null {
  try {
    const said: unknown = JSON.parse(payload)
    if (!Array.isArray(said)) return null
    const [from, ...rest]: readonly unknown[] = said
    if (typeof from !== 'string') return null
    return { from, signals: rest.flatMap((item) => readSignal(item) ?? []) }
  } catch {
    return null
  }
}

function readSignal(item: unknown): WakeSignal | null {
  if (!Array.isArray(item)) return null
  const [kind, first, second, ...rest]: readonly unknown[] = item
  switch (kind) {
    case 'hello':
    case 'here':
    case 'bye':
      return { kind }
    case 'want':
    case 'drop':
      return typeof first === 'string' ? { kind, runId: first } : null
    case 'wake':
      return isTopic(first) && typeof second === 'string'
        ? { kind, topic: first, id: second }
        : null
    case 'delta':
      return readDelta(first, second, rest)
    default:
      return null
  }
}

function readDelta(
  runId: unknown,
  messageId: unknown,
  rest: readonly unknown[],
): WakeSignal | null {
  const [attempt, offset, kind, text] = rest
  if (typeof runId !== 'string' || typeof messageId !== 'string') return null
  if (typeof attempt !== 'number' || typeof offset !== 'number') return null
  if (!isKind(kind) || typeof text !== 'string') return null
  return { kind: 'delta', delta: { runId, messageId, attempt, offset, kind, text } }
}

function isTopic(value: unknown): value is WakeTopic {
  return typeof value === 'string' && Object.hasOwn(topics, value)
}

function isKind(value: unknown): value is Delta['kind'] {
  return typeof value === 'string' && Object.hasOwn(deltaKinds, value)
}
