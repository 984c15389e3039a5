/**
 * What remains of the calls of a turn that did not close positively: names, sizes and keyed hashes (I23). The hash is
 * keyed because arguments are guessable: a plain digest would let a reader of the log try candidates.
 */
import { createHmac } from 'node:crypto'
import type { SuppressedCall } from '@signalbox/core'
import type { CallSlot } from './buffer.ts'

/** One entry per call seen, in the parts or, where the package did not show it, in the raw stream alone. */
export function suppressCalls(
  calls: readonly Readonly<CallSlot>[],
  startedNames: readonly string[],
  hmacKey: string,
): SuppressedCall[] {
  const unseen = [...startedNames]
  for (const { name } of calls) {
    const index = unseen.indexOf(name)
    if (index >= 0) unseen.splice(index, 1)
  }
  const hidden = unseen.slice(0, Math.max(0, startedNames.length - calls.length))
  return [
    ...calls.map(({ name, args }) => suppressed(name, args, hmacKey)),
    ...hidden.map((name) => suppressed(name, '', hmacKey)),
  ]
}

/** So many characters in a row, found in both, are a quotation. */
const quoteChars = 12

/** Does the text quote arguments? Error messages of providers sometimes show what the model wrote. */
export function quotesArguments(text: string, calls: readonly Readonly<CallSlot>[]): boolean {
  const windows = new Set<string>()
  for (let at = 0; at + quoteChars <= text.length; at += 1)
    windows.add(text.slice(at, at + quoteChars))
  return calls.some(({ args }) => {
    for (let at = 0; at + quoteChars <= args.length; at += 1)
      if (windows.has(args.slice(at, at + quoteChars))) return true
    return false
  })
}

function suppressed(name: string, args: string, hmacKey: string): SuppressedCall {
  return {
    name: name === '' ? 'unknown' : name,
    argsBytes: Buffer.byteLength(args),
    argsHmac: createHmac('sha256', Buffer.from(hmacKey, 'hex')).update(args).digest('hex'),
  }
}
