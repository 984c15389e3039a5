/** Beginnings and ends of texts that do not cut a pair of surrogates in two. */

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000

/** At most so many characters from the beginning. */
export function textHead(text: string, chars: number): string {
  const head = text.slice(0, chars)
  return head.length < text.length && isHigh(head.charCodeAt(head.length - 1))
    ? head.slice(0, -1)
    : head
}

/** At most so many characters from the end. */
export function textTail(text: string, chars: number): string {
  const tail = text.slice(-chars)
  return tail.length < text.length && isLow(tail.charCodeAt(0)) ? tail.slice(1) : tail
}
