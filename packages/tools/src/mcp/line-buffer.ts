/** Cuts a byte stream into lines, without copying what came before for every chunk. */
export class LineBuffer {
  readonly #bytesMax: number
  #chunks: Buffer[] = []
  #bytes = 0

  /** `bytesMax`: the longest line that is still accepted. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The lines that this chunk completes. Null: a line is longer than the limit, the stream is of no use any more. */
  push(chunk: Buffer): readonly string[] | null {
    const lines: string[] = []
    let rest = chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      if (!this.#keep(rest.subarray(0, end))) return null
      lines.push(this.#take())
      rest = rest.subarray(end + 1)
    }
    return this.#keep(rest) ? lines : null
  }

  #keep(part: Buffer): boolean {
    if (part.length > 0) this.#chunks.push(part)
    this.#bytes += part.length
    return this.#bytes <= this.#bytesMax
  }

  #take(): string {
    const line = Buffer.concat(this.#chunks, this.#bytes).toString('utf8')
    this.#chunks = []
    this.#bytes = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
}
