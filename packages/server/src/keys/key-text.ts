/**
 * The text of a key: `sbx_<id>_<secret>_<checksum>`, hex.
 *
 * T1 The prefix and the checksum tell a key of ours from anything else without a database: for scanners of leaked secrets,
 *    and so that a typo costs no query.
 * T2 The secret has 192 random bits. Only the sha256 of the whole text is ever stored or compared.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Random } from '@signalbox/engine'

/** A key that was made: `text` is shown once, `digest` is stored. */
export interface MintedKey {
  readonly id: string
  readonly text: string
  readonly digest: string
}

/** A key that somebody shows, as far as it says itself what it is. */
export type ReadKey = Omit<MintedKey, 'text'>

const idBytes = 8
const secretBytes = 24
const shape = /^(sbx_([0-9a-f]{16})_[0-9a-f]{48})_([0-9a-f]{8})$/

/** Makes a key out of random bits. */
export function mintKey(random: Pick<Random, 'hex'>): MintedKey {
  const id = random.hex(idBytes)
  const body = `sbx_${id}_${random.hex(secretBytes)}`
  const text = `${body}_${checksum(body)}`
  return { id, text, digest: digestOf(text) }
}

/** Null for what is no key of ours, or one that was mistyped. */
export function readKey(text: string): ReadKey | null {
  const [, body, id, sum] = shape.exec(text) ?? []
  if (body === undefined || id === undefined || sum !== checksum(body)) return null
  return { id, digest: digestOf(text) }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0')
