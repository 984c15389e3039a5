/** Digests of arguments, made again without the code that is under test. */
import { createHmac } from 'node:crypto'
import type { RunRecord } from './run-record.ts'

/** One form for the digests of both schemes, so that they can be compared: the keyed one, where the tenant has a key. */
export function comparable(
  { digestKey }: Pick<RunRecord, 'digestKey'>,
  argsHash: string | undefined,
): string | undefined {
  if (digestKey === null || argsHash === undefined || isKeyed(argsHash)) return argsHash
  const key = Buffer.from(digestKey, 'hex')
  return `hk1:${createHmac('sha256', key).update(argsHash).digest('hex')}`
}

export const isKeyed = (argsHash: string): boolean => /^hk1:[0-9a-f]{64}$/.test(argsHash)
