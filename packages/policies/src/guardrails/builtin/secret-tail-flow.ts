/**
 * The text that goes on behind the marker of a secret, in a text that grows: the rest of a token or a value that is longer than
 * is seen at once, the lines of a private key. It is taken in character by character; only what may still belong to it waits.
 */
import { marker } from '../marker.ts'
import type { TailFlow } from '../search-outcome.ts'
import { keyLine } from './key-line.ts'
import { tailKinds } from './secret-tail.ts'

/** Letters, digits, `_`, `-`; other signs only before one of these, those of base64 also in a row. And what may become more of it. */
interface Tail {
  readonly rest: RegExp
  readonly open: RegExp
}

const tokenTail: Tail = {
  rest: /^(?:(?:[.=]|[+/]{1,4})?[A-Za-z0-9_-])+/,
  open: /^(?:[.=]|[+/]{1,4})?$/,
}
const valueTail: Tail = {
  rest: /^(?:(?:[.=~%]|[+/]{1,4})?[A-Za-z0-9_-])+/,
  open: /^(?:[.=~%]|[+/]{1,4})?$/,
}

function tailOf(kind: string): Tail | 'key' | null {
  if (kind === 'private-key') return 'key'
  if (kind === 'credential') return valueTail
  return tailKinds.has(kind) ? tokenTail : null
}

export class SecretTailFlow implements TailFlow {
  #inside: Tail | 'key' | null = null
  /** Of a key: does the line that is open belong to it? */
  #inLine = false
  #waits = ''

  text(text: string): string {
    const inside = this.#inside
    if (inside === null) return text
    this.#waits += text
    return inside === 'key' ? this.#key(false) : this.#rest(inside)
  }

  found(kind: string): string {
    // Something that looks like a token within the lines of a key is a piece of the key.
    if (this.#inside === 'key' && this.#inLine && this.#waits === '' && kind !== 'private-key')
      return ''
    const out = this.end() + marker(kind)
    this.#inside = tailOf(kind)
    this.#inLine = this.#inside === 'key'
    return out
  }

  end(): string {
    const out = this.#inside === 'key' ? this.#key(true) : ''
    return out + this.#leave()
  }

  #leave(): string {
    const out = this.#waits
    this.#waits = ''
    this.#inside = null
    return out
  }

  #rest({ rest, open }: Tail): string {
    this.#waits = this.#waits.replace(rest, '')
    return open.test(this.#waits) ? '' : this.#leave()
  }

  #key(last: boolean): string {
    for (;;) {
      if (this.#inLine) this.#waits = this.#waits.replace(/^[A-Za-z0-9+/=]+/, '')
      if (this.#waits === '') return ''
      const line = keyLine(this.#waits, last)
      if (line === 'open') return ''
      this.#waits = this.#waits.slice(line.chars)
      this.#inLine = line.goesOn
      if (line.chars === 0 || line.isLast) return this.#leave()
    }
  }
}
