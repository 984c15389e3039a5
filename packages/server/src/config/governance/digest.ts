import { createHash } from 'node:crypto'
import { canonical } from '@signalbox/engine'

/** `sha256:<hex>` over canonical JSON: the same for two spellings of the same value. */
export const digestOf = (value: object): string =>
  `sha256:${createHash('sha256').update(canonical(value)).digest('hex')}`
