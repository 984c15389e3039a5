/** The text of one kind that went out, for looking back. Parts follow one another; a line feed stands between them. */

/** How much of it is kept: 4,096 to 8,192 code units. */
const keptMax = 8192

export class ReleasedText {
  #end = ''
  #offset = 0

  /** The end of what went out. */
  get end(): string {
    return this.#end
  }

  /** Code units that went out. */
  get offset(): number {
    return this.#offset
  }

  /** More went out. */
  add(text: string): void {
    this.#offset += text.length
    this.#end += text
    if (this.#end.length > keptMax) this.#end = this.#end.slice(-keptMax / 2)
  }

  /** A part is over. */
  part(): void {
    this.#end += '\n'
  }
}
