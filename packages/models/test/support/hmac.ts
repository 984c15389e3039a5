/** HMAC-SHA256 by its definition (RFC 2104), so that the product's use of the library is checked against another path. */
import { createHash } from 'node:crypto'

export function hmac(keyHex: string, message: string): string {
  const key = Buffer.alloc(64)
  Buffer.from(keyHex, 'hex').copy(key)
  const pad = (byte: number) => Buffer.from(key.map((it) => it ^ byte))
  const inner = createHash('sha256').update(pad(0x36)).update(message).digest()
  return createHash('sha256').update(pad(0x5c)).update(inner).digest('hex')
}
