/**
 * The terminal observer: reads every raw chunk of a stream and says how it ended, in its own opinion. No model package
 * tells that safely; with each of them a truncated call can look like a finished one.
 *
 * O1 `complete` needs a value of the positive list in every terminal of the stream, and nothing against it.
 * O2 Safety evidence is sticky: it wins over whatever came before or comes after it.
 * O3 The order of the chunks tells `interrupted` from other verdicts, and nothing else: an answer that goes on after its
 *    terminal has not ended. Detectors only tell `safety` from `unknown_terminal` and `error`, none of which is executable (I23).
 */
import type { ModelErrorClass, SafetyEvidence, StreamVerdict, Usage } from '@signalbox/core'
import type { ProviderError } from '../provider-error.ts'
import { fields } from '../read.ts'
import type { BegunCalls } from './begun-calls.ts'
import { readChat } from './chat.ts'
import { readConverse } from './converse.ts'
import { readGemini } from './gemini.ts'
import { readMessages } from './messages.ts'
import { readResponses } from './responses.ts'
import { type ObserverSetup, Sightings } from './sightings.ts'
import { largerUsage, readUsage } from './usage.ts'
import type { Wire } from './wires.ts'

const readers = {
  chat: readChat,
  messages: readMessages,
  gemini: readGemini,
  responses: readResponses,
  converse: readConverse,
}

export class TerminalObserver {
  readonly wire: Wire
  readonly #seen: Sightings
  readonly #read: (typeof readers)['chat']
  #usage: Usage = {}

  constructor(setup: ObserverSetup) {
    this.wire = setup.wire
    this.#seen = new Sightings(setup)
    this.#read = readers[setup.wire]
  }

  /** One raw chunk, as the provider sent it. */
  push(raw: unknown): void {
    const chunk = fields(raw)
    if (!chunk) return this.#seen.malformed()
    this.#read(chunk, this.#seen)
    this.#seen.fieldsOf(chunk)
    this.#usage = largerUsage(this.#usage, readUsage(this.wire, chunk))
  }

  /** The error that took the stream's place: an HTTP status, or an error before the first output. */
  fail(error: ProviderError): void {
    this.#seen.error(error)
  }

  /** How the stream ended, once it is closed. */
  verdict(): StreamVerdict {
    const { evidence, errors, marks, reasons, failed, terminal, calls } = this.#seen
    if (evidence.length > 0) return 'safety'
    if (errors.length > 0 || marks.malformed) return 'error'
    if (!terminal || calls.isAmbiguous) return 'interrupted'
    if (marks.refused) return 'refusal'
    if (failed !== undefined) return 'error'
    if (marks.blocked || reasons.unknown > 0) return 'unknown_terminal'
    if (reasons.length > 0) return 'length'
    return reasons.good > 0 ? 'complete' : 'unknown_terminal'
  }

  /** At most `limits.evidenceMax`. */
  get evidence(): readonly SafetyEvidence[] {
    return this.#seen.evidence
  }
  get errors(): readonly ProviderError[] {
    return this.#seen.errors
  }
  /** The model refused, in its own words, whatever came of the stream then. */
  get refused(): boolean {
    return this.#seen.marks.refused
  }
  /** The stream holds more than one answer, and calls. */
  get isSeveral(): boolean {
    return this.#seen.isSeveral
  }
  /** The name of a detector that failed. */
  get failedDetector(): string | undefined {
    return this.#seen.failedDetector
  }
  /** Tokens counted so far: of each kind the most that a chunk said. */
  get usage(): Usage {
    return this.#usage
  }
  /**
   * Characters of arguments in the raw stream, null where the wire says of each piece to which call it belongs: there
   * the packages have nothing to guess.
   */
  get argumentChars(): number | null {
    return this.wire === 'chat' ? this.#seen.calls.argumentChars : null
  }
  /** The class of a finish reason that means failure. */
  get failedReason(): ModelErrorClass | undefined {
    return this.#seen.failed
  }
  /** The client tool calls that began in the raw stream, in all choices. */
  get calls(): Pick<BegunCalls, 'list' | 'isRepeated'> {
    return this.#seen.calls
  }
  /** Their names. */
  get startedNames(): readonly string[] {
    return this.#seen.calls.list.map(({ name }) => name)
  }
}
