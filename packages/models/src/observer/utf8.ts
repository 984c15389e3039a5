/**
 * Whether the bytes of a stream are UTF-8. Readers of server-sent events put a replacement in the place of what is not, and then
 * arguments are not what the model wrote. Linear time, and no memory but the beginning of a character.
 */
export class Utf8Watch {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #isBroken = false

  /** More bytes of the response. A character may come in pieces. */
  push(chunk: Uint8Array): void {
    if (this.#isBroken) return
    try {
      this.#decoder.decode(chunk, { stream: true })
    } catch {
      this.#isBroken = true
    }
  }

  /** Bytes came that are in no character. */
  get isBroken(): boolean {
    return this.#isBroken
  }
}
