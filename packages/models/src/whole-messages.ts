/**
 * Bytes of the AWS event stream, handed on message by message. Bedrock's package copies all that it has of a message with each piece
 * that comes: a large one in small pieces would take it minutes, in which the process does nothing else.
 */

/** The first four bytes of a message say how long it is, itself included; the shortest has no headers and no body. */
const lengthBytes = 4
const messageBytesMin = 16

export class WholeMessages {
  #pieces: Uint8Array[] = []
  #bytes = 0
  /** Bytes of the message in hand, as far as its first four have come. */
  #wanted = lengthBytes
  /** What comes is no event stream: it is handed on as it is, and the package says so. */
  #isForeign = false

  /** What of the bytes so far is whole: messages, joined where many came at once. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    if (this.#isForeign) return [chunk]
    this.#pieces.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#bytes < this.#wanted) return []
    const held = join(this.#pieces)
    const view = new DataView(held.buffer, held.byteOffset, held.byteLength)
    let at = 0
    this.#wanted = lengthBytes
    while (held.byteLength - at >= lengthBytes) {
      const length = view.getUint32(at)
      if (length < messageBytesMin) {
        this.#isForeign = true
        return [held]
      }
      if (held.byteLength - at < length) {
        this.#wanted = length
        break
      }
      at += length
    }
    this.#pieces = at < held.byteLength ? [held.subarray(at)] : []
    this.#bytes = held.byteLength - at
    return at === 0 ? [] : [held.subarray(0, at)]
  }

  /** The rest, once no more comes: half a message at most. */
  flush(): readonly Uint8Array[] {
    return this.#bytes === 0 || this.#isForeign ? [] : [join(this.#pieces)]
  }
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return pieces.length === 1 && only ? only : new Uint8Array(Buffer.concat(pieces))
}
