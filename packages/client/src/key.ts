/** A key that nobody else has. Pages without TLS have no `randomUUID`, so it is made of what they have. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
