/**
 * Where the lines of the log go. Nothing that happens to them may happen to the process: a full disk, a reader that has gone, or one
 * that does not read.
 *
 * S1 A line that cannot be written is dropped and counted. A descriptor that failed is left alone for a second, so that lines cost
 *    nothing meanwhile.
 * S2 A reader that is slow is waited for, a tenth of a second at most: the process does nothing else meanwhile.
 * S3 What comes after a line that was cut begins on a line of its own.
 */
import { writeSync } from 'node:fs'

/** Writes bytes to a descriptor; answers how many. Throws as `writeSync` does. */
export type Write = (bytes: Uint8Array) => number

export interface LogSinkOptions {
  /** Default: standard output. */
  readonly write?: Write
  /** Told how many lines were dropped when one could be written again. */
  readonly recovered: (dropped: number) => void
  /** Told of each line that was dropped. */
  readonly dropped: () => void
}

const restMs = 1_000
const waitMsMax = 100
const stepMs = 5

export class LogSink {
  readonly #write: Write
  readonly #options: LogSinkOptions
  #restUntil = 0
  #missing = 0
  #isCut = false

  constructor(options: LogSinkOptions) {
    this.#options = options
    this.#write = options.write ?? ((bytes) => writeSync(1, bytes))
  }

  /** Takes one line with its end. Never throws. */
  write(line: string): void {
    if (performance.now() < this.#restUntil || !this.#put(line)) {
      this.#missing += 1
      this.#options.dropped()
      return
    }
    const missing = this.#missing
    this.#missing = 0
    if (missing > 0) this.#options.recovered(missing)
  }

  #put(line: string): boolean {
    let rest: Uint8Array = Buffer.from(this.#isCut ? `\n${line}` : line)
    const giveUpAt = performance.now() + waitMsMax
    const whole = rest.length
    while (rest.length > 0) {
      try {
        rest = rest.subarray(this.#write(rest))
      } catch (error) {
        const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
        if (isBusy && performance.now() < giveUpAt) {
          Atomics.wait(clock, 0, 0, stepMs)
          continue
        }
        this.#isCut ||= rest.length < whole
        this.#restUntil = performance.now() + restMs
        return false
      }
    }
    this.#isCut = false
    return true
  }
}

const clock = new Int32Array(new SharedArrayBuffer(4))
