/**
 * The end marker of the chat wire, `data: [DONE]`, read from the raw bytes: the packages drop it. Lines and events are those
 * of server-sent events, so the marker counts once its blank line has come. Linear time, and no memory but the beginning of
 * the line that is being read.
 */

const [lf, cr, space, colon] = [0x0a, 0x0d, 0x20, 0x3a]
const data = 'data'
const marker = '[DONE]'

/** So much of a line tells whether it is the marker, a byte order mark before it included. */
const headBytesMax = 32

export class EndMarkerWatch {
  readonly #head = Buffer.alloc(headBytesMax)
  /** Bytes of the current line. */
  #length = 0
  #isFirstLine = true
  /** The last byte was a CR: a LF right after it belongs to the same line end. */
  #afterCr = false
  /** The data of the current event. */
  #event: 'none' | 'marker' | 'other' = 'none'
  #seen = false
  #followed = false

  /** More bytes of the response. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let at = 0
    // Each kind of line end is looked for again only behind the last one found.
    let nextLf = -1
    let nextCr = -1
    while (at < bytes.length) {
      if (this.#afterCr && bytes[at] === lf) at += 1
      this.#afterCr = false
      if (nextLf < at) nextLf = found(bytes.indexOf(lf, at))
      if (nextCr < at) nextCr = found(bytes.indexOf(cr, at))
      const end = Math.min(nextLf, nextCr, bytes.length)
      this.#take(bytes, at, end)
      if (end === bytes.length) return
      this.#endLine()
      this.#afterCr = end === nextCr
      at = end + 1
    }
  }

  /** `last`: the marker came, and no event after it. `followed`: events came after it. */
  get state(): 'missing' | 'last' | 'followed' {
    if (!this.#seen) return 'missing'
    const isInEvent = this.#event === 'other' || (this.#length > 0 && this.#head[0] !== colon)
    return this.#followed || isInEvent ? 'followed' : 'last'
  }

  #take(bytes: Buffer, from: number, to: number): void {
    const last = Math.min(to, from + headBytesMax - this.#length)
    for (let at = from; at < last; at += 1) this.#head[this.#length + at - from] = bytes[at] ?? 0
    this.#length += to - from
  }

  #endLine(): void {
    const isBlank = this.#line()
    this.#length = 0
    this.#isFirstLine = false
    if (!isBlank) return
    if (this.#event === 'other' && this.#seen) this.#followed = true
    if (this.#event === 'marker') this.#seen = true
    this.#event = 'none'
  }

  /** Reads the line that has ended. True for a blank one, which ends an event. */
  #line(): boolean {
    const length = this.#length
    if (length === 0) return true
    const isData = this.#head[0] === data.charCodeAt(0)
    if (!isData && !this.#isFirstLine) return false
    const head = this.#head.toString('latin1', 0, Math.min(length, headBytesMax))
    // The bytes of a byte order mark.
    const start = this.#isFirstLine && head.startsWith('\u00EF\u00BB\u00BF') ? 3 : 0
    if (length === start) return true
    const after = start + data.length
    if (!head.startsWith(data, start)) return false
    if (length > after && head.charCodeAt(after) !== colon) return false
    const value = head.charCodeAt(after + 1) === space ? after + 2 : after + 1
    const isMarker = length === value + marker.length && head.endsWith(marker)
    this.#event = isMarker && this.#event === 'none' ? 'marker' : 'other'
    return false
  }
}

const found = (index: number): number => (index === -1 ? Number.POSITIVE_INFINITY : index)
