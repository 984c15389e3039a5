/**
 * What the observer has seen of one stream. Every field only grows, in a way that does not depend on the order of the
 * chunks: safety evidence is sticky and beats a good ending that came before or after it (Azure filters after
 * `tool_calls`), and one unknown reason among good ones stays unknown.
 */
import {
  type ModelConfig,
  type ModelErrorClass,
  limits,
  type SafetyEvidence,
} from '@signalbox/core'
import { classifyFailedReason } from '../errors/classify.ts'
import type { ProviderError } from '../provider-error.ts'
import { shortText } from '../text.ts'
import { BegunCalls } from './begun-calls.ts'
import { fieldsIn } from './chunk-fields.ts'
import { type Detector, isSafetyReason, label, type Signal } from '../detectors/detectors.ts'
import { isGoodReason, isLengthReason, tellsOfCut, type Wire } from './wires.ts'

export interface ObserverSetup {
  readonly wire: Wire
  readonly provider: ModelConfig['provider']
  readonly detectors: readonly Detector[]
}

/** A field without the path that leads to it: readers and detectors name the same one from different roots. */
const nameless = (field: string, value: string): string =>
  `\u0000${field.slice(field.lastIndexOf('.') + 1)}\u0000${value}`

/** Values of fields that detectors are shown of one stream: counters and ids change with each chunk. */
const shownMax = 10_000

export class Sightings {
  /** The client tool calls that have begun. */
  readonly calls = new BegunCalls()
  readonly #setup: ObserverSetup
  readonly #evidence = new Map<string, SafetyEvidence>()
  readonly #errors = new Map<string, ProviderError>()
  readonly #open = new Set<string>()
  /** What has ended, and the id of the answer whose chunk said so, where chunks name it. */
  readonly #ended = new Map<string, string | undefined>()
  /** Choices or candidates. */
  readonly #answers = new Set<string>()
  #answerId: string | undefined
  #isSecond = false
  /** Fields and values that detectors have been shown. */
  readonly #shown = new Set<string>()
  #good = 0
  #length = 0
  #unknown = 0
  #failed: ModelErrorClass | undefined
  /** A filter acted, whether or not a detector of the configuration knows it. */
  #blocked = false
  #refused = false
  #malformed = false
  #unfinished = false

  constructor(setup: ObserverSetup) {
    this.#setup = setup
  }

  /** A reason why the stream ended. Null and the empty text are what servers send while it goes on. */
  reason(field: string, value: unknown): boolean {
    if (value === null || value === undefined || value === '') return false
    if (typeof value !== 'string') {
      this.#unknown += 1
      return true
    }
    this.hint(field, value)
    if (isGoodReason(this.#setup.wire, value)) this.#good += 1
    else if (isLengthReason(value)) this.#length += 1
    else if (classifyFailedReason(value)) this.#failed ??= classifyFailedReason(value)
    else this.#unknown += 1
    return true
  }

  /**
   * The reason of the vendor behind a gateway, which translates it: the answer is no better than the vendor says. Words that
   * tell of no cut count for nothing, since every vendor has its own for a good ending.
   */
  vendorReason(field: string, value: unknown): void {
    this.hint(field, value)
    if (typeof value !== 'string') return
    const failed = classifyFailedReason(value)
    if (isLengthReason(value)) this.#length += 1
    else if (failed) this.#failed ??= failed
    else if (tellsOfCut(value)) this.#unknown += 1
  }

  /** A word that may be a filter's, in a field that does not end the stream. */
  hint(field: string, value: unknown): void {
    if (typeof value !== 'string') return
    if (isSafetyReason(value)) this.#blocked = true
    this.#note({ kind: 'reason', field, value })
  }

  /** A field that says by its presence that something was filtered. */
  flag(field: string, value: string): void {
    this.#blocked = true
    this.#note({ kind: 'flag', field, value })
  }

  /** Every field of a chunk, for the detectors that ask for them. */
  fieldsOf(chunk: unknown): void {
    if (!this.#setup.detectors.some(({ readsFields }) => readsFields)) return
    for (const { field, value } of fieldsIn(chunk)) {
      const key = `${field}\u0000${value}`
      // What a reader of ours knows was shown already, by its own name.
      const known = this.#shown.has(key) || this.#shown.has(nameless(field, value))
      if (known || this.#shown.size >= shownMax) continue
      this.#shown.add(key)
      this.#note({ kind: 'field', field, value })
    }
  }

  /** An error in the stream, or the error that took its place. The same one, told twice, counts once. */
  error(error: ProviderError): void {
    const key = JSON.stringify([error.code, error.type, error.message])
    if (this.#errors.size < limits.evidenceMax) this.#errors.set(key, error)
    this.#note({ kind: 'error', error })
  }

  /** The model's own refusal. */
  refusal(): void {
    this.#refused = true
  }

  /** A chunk that is not an object. */
  malformed(): void {
    this.#malformed = true
  }

  /** An answer has begun. One that has ended before is another one. */
  begin(): void {
    if (this.#ended.size > 0) this.#isSecond = true
  }

  /** A chunk says to which answer it belongs. */
  belongsTo(answerId: string | undefined): void {
    this.#answerId = answerId
  }

  /** An answer among several (a choice, a candidate) says something. */
  answer(key: string): void {
    this.#answers.add(key)
    this.#open.add(key)
  }

  /** A part that must come to its end has begun. */
  open(key: string): void {
    this.#open.add(key)
  }

  /** An answer has come to its terminal event. */
  end(key: string): void {
    this.#open.add(key)
    this.#ended.set(key, this.#answerId)
  }

  /** More of an answer came: what ended it before was not its end. */
  goOn(...keys: readonly string[]): void {
    for (const key of keys) {
      const ended = this.#ended.get(key)
      if (ended !== undefined && this.#answerId !== undefined && ended !== this.#answerId)
        this.#isSecond = true
      this.#ended.delete(key)
    }
  }

  /** A part of the answer says of itself that it is not finished. */
  unfinished(): void {
    this.#unfinished = true
  }

  get evidence(): readonly SafetyEvidence[] {
    return [...this.#evidence.values()]
  }
  get errors(): readonly ProviderError[] {
    return [...this.#errors.values()]
  }
  get failed(): ModelErrorClass | undefined {
    return this.#failed
  }
  get terminal(): boolean {
    return this.#ended.size > 0 && this.#ended.size === this.#open.size && !this.#unfinished
  }
  /** Calls of more than one answer cannot be told apart: packages read all of them as one. */
  get isSeveral(): boolean {
    return this.calls.size > 0 && (this.#isSecond || this.#answers.size > 1)
  }
  /** The name of a detector that failed: nobody knows what it would have said. */
  get failedDetector(): string | undefined {
    return this.#setup.detectors.find((it) => it.hasFailed?.() === true)?.name
  }
  get marks(): Readonly<Record<'blocked' | 'refused' | 'malformed', boolean>> {
    const blocked = this.#blocked || this.failedDetector !== undefined
    return { blocked, refused: this.#refused, malformed: this.#malformed }
  }
  get reasons(): Readonly<Record<'good' | 'length' | 'unknown', number>> {
    return { good: this.#good, length: this.#length, unknown: this.#unknown }
  }

  #note(signal: Signal): void {
    if (signal.kind === 'reason' || signal.kind === 'flag')
      this.#shown.add(nameless(signal.field, signal.value))
    const found = label(this.#setup.detectors, this.#setup.provider, signal)
    if (!found) return
    const key = JSON.stringify(found)
    if (this.#evidence.size < limits.evidenceMax || this.#evidence.has(key))
      this.#evidence.set(key, {
        detector: shortText(found.detector),
        field: shortText(found.field),
        value: shortText(found.value),
      })
  }
}
