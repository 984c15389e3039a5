/**
 * What remains of the calls of a turn that did not close positively: names, sizes and keyed hashes (I23). The hash is
 * keyed because arguments are guessable: a plain digest would let a reader of the log try candidates.
 */
import { createHmac } from 'node:crypto'
import type { SuppressedCall } from '@signalbox/core'
import { toolName } from '../text.ts'
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

function suppressed(name: string, args: string, hmacKey: string): SuppressedCall {
  return {
    name: toolName(name),
    argsBytes: Buffer.byteLength(args),
    argsHmac: createHmac('sha256', Buffer.from(hmacKey, 'hex')).update(args).digest('hex'),
  }
}
