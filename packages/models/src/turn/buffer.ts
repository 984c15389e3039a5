/**
 * Everything a stream says, held until it has closed. Text goes to the sink as it comes; calls and their arguments go
 * nowhere before the verdict (I23).
 */
import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { JsonObject, ModelTurn, Trip } from '@signalbox/core'
import type { StreamGuard } from '@signalbox/engine'
import type { ModelSink } from '@signalbox/engine'
import { isJsonObject, storableMeta } from '../json.ts'
import { tokenCount } from '../observer/usage.ts'
import { shortText } from '../text.ts'
import { TextFlow, type TextSlot, textSlot } from './text-flow.ts'

type Part<T extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { type: T }
>

/** A call as it grows. `done` when the package handed it out as a whole: that alone says nothing about the turn. */
export interface CallSlot {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  args: string
  done: boolean
  providerExecuted: boolean
  result: unknown
  meta: JsonObject | undefined
}

export class TurnBuffer {
  readonly #sink: ModelSink
  readonly #flow: TextFlow
  readonly #slots: (TextSlot | CallSlot)[] = []
  /** The newest text of each kind and id, and the open calls of each id: found at once, however many there are. */
  readonly #texts = new Map<string, TextSlot>()
  readonly #openCalls = new Map<string, CallSlot[]>()
  readonly #errors: unknown[] = []
  #finish: ModelTurn['finish'] = null
  #usage: ModelTurn['usage'] = {}
  #responseId: string | undefined

  constructor(sink: ModelSink, guard: StreamGuard | null) {
    this.#sink = sink
    this.#flow = new TextFlow(sink, guard)
  }

  /** One part of the stream. After a trip of the guard nothing more is to be pushed. */
  push(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#text('text', part)
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#text('reasoning', part)
      case 'tool-input-start':
        this.#startCall(part)
        return
      case 'tool-input-delta':
      case 'tool-input-end':
        return this.#growCall(part)
      case 'tool-call':
        return this.#endCall(part)
      case 'tool-result':
        return this.#result(part)
      case 'response-metadata':
        this.#responseId ??= part.id
        return
      case 'finish':
        this.#finish = finishOf(part)
        this.#usage = usageOf(part.usage)
        return
      case 'error':
        this.#errors.push(part.error)
        return
      default:
        // Sources, files and provider-specific parts are not kept: nothing in the product reads them yet.
        return
    }
  }

  /** Ends every text that is still open, or cuts it off. To be called once, when the stream is over. */
  close(how: 'end' | 'cut'): void {
    for (const slot of this.#slots) {
      if (this.#flow.trip !== null) return
      if (slot.type !== 'call') this.#flow.close(slot, how)
    }
  }

  /** Resolves when nothing more need be pushed. */
  get stopped(): Promise<void> {
    return this.#flow.stopped
  }

  /** Judges the text that has come, as it is to be before the turn is built. Throws what that failed with. */
  settle(): void {
    this.#flow.settle()
  }

  /** Nobody wants the turn. */
  abandon(): void {
    this.#flow.abandon()
  }

  /** The guard's trip on text, null if there was none. */
  get trip(): Trip | null {
    return this.#flow.trip
  }

  get slots(): readonly Readonly<TextSlot | CallSlot>[] {
    return this.#slots
  }
  /** Client calls in the order in which they began. */
  get calls(): readonly Readonly<CallSlot>[] {
    return this.#slots.filter((slot) => slot.type === 'call').filter((c) => !c.providerExecuted)
  }
  get errors(): readonly unknown[] {
    return this.#errors
  }
  get finish(): ModelTurn['finish'] {
    return this.#finish
  }
  get usage(): ModelTurn['usage'] {
    return this.#usage
  }
  get responseId(): string | undefined {
    return this.#responseId === undefined ? undefined : shortText(this.#responseId)
  }

  #text(
    type: TextSlot['type'],
    part:
      | Part<'text-start' | 'text-delta' | 'text-end'>
      | Part<'reasoning-start' | 'reasoning-delta' | 'reasoning-end'>,
  ): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const slot = this.#addText(type, part.id)
        slot.meta = merge(undefined, part.providerMetadata)
        return
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const last = this.#lastText(type, part.id)
        const slot = last && !last.ended && !last.closed ? last : this.#addText(type, part.id)
        slot.meta = merge(slot.meta, part.providerMetadata)
        return this.#flow.write(slot, part.delta)
      }
      case 'text-end':
      case 'reasoning-end': {
        const slot = this.#lastText(type, part.id) ?? this.#addText(type, part.id)
        slot.meta = merge(slot.meta, part.providerMetadata)
        return this.#flow.end(slot)
      }
    }
  }

  #lastText(type: TextSlot['type'], id: string): TextSlot | undefined {
    return this.#texts.get(`${type} ${id}`)
  }

  #addText(type: TextSlot['type'], id: string): TextSlot {
    const slot = textSlot(type, id)
    this.#slots.push(slot)
    this.#texts.set(`${type} ${id}`, slot)
    return slot
  }

  #startCall(part: Part<'tool-input-start'>): CallSlot {
    const slot: CallSlot = {
      type: 'call',
      id: part.id,
      name: shortText(part.toolName),
      args: '',
      done: false,
      providerExecuted: part.providerExecuted === true,
      result: undefined,
      meta: merge(undefined, part.providerMetadata),
    }
    this.#slots.push(slot)
    const open = this.#openCalls.get(part.id)
    if (open) open.push(slot)
    else this.#openCalls.set(part.id, [slot])
    return slot
  }

  #openCall(id: string): CallSlot | undefined {
    return this.#openCalls.get(id)?.at(-1)
  }

  #growCall(part: Part<'tool-input-delta' | 'tool-input-end'>): void {
    const slot = this.#openCall(part.id)
    if (!slot) return
    slot.meta = merge(slot.meta, part.providerMetadata)
    if (part.type !== 'tool-input-delta') return
    slot.args += part.delta
    this.#sink.arguments?.(part.delta.length)
  }

  #endCall(part: Part<'tool-call'>): void {
    const slot =
      this.#openCall(part.toolCallId) ??
      this.#startCall({ type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName })
    // Of most providers they came piece by piece.
    const more = part.input.length - slot.args.length
    slot.args = part.input
    if (more > 0) this.#sink.arguments?.(more)
    slot.done = true
    this.#openCalls.get(slot.id)?.pop()
    slot.providerExecuted ||= part.providerExecuted === true
    slot.meta = merge(slot.meta, part.providerMetadata)
  }

  #result(part: Part<'tool-result'>): void {
    const slot = this.#slots
      .filter((it) => it.type === 'call')
      .findLast((it) => it.id === part.toolCallId && it.providerExecuted)
    if (slot && part.preliminary !== true) slot.result = part.result
  }
}

function merge(meta: JsonObject | undefined, more: unknown): JsonObject | undefined {
  const added = storableMeta(more)
  if (!meta || !added) return added ?? meta
  const merged: Record<string, JsonObject[string]> = { ...meta }
  // One level down: a signature that comes with the last delta must not erase the id that came with the first.
  for (const [key, value] of Object.entries(added)) {
    const before = merged[key]
    merged[key] = isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value
  }
  return merged
}

function finishOf(part: Part<'finish'>): NonNullable<ModelTurn['finish']> {
  const { unified, raw } = part.finishReason
  return { unified, ...(raw === undefined ? {} : { raw: shortText(raw) }) }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelTurn['usage'] {
  const counts = {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cachedInputTokens: inputTokens.cacheRead,
    // The packages say 0 of a request that wrote none, and so does nothing at all.
    cacheWriteTokens: inputTokens.cacheWrite || undefined,
    reasoningTokens: outputTokens.reasoning,
  }
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => {
      const tokens = tokenCount(count)
      return tokens === undefined ? [] : [[name, tokens]]
    }),
  )
}
