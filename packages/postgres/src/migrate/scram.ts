import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/**
 * The verifier that Postgres stores for a password (RFC 5802, RFC 7677). Sent instead of the password, so that no server
 * log or statistics view ever holds it (I20). Printable ASCII only: other text would need SASLprep.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  if (!/^[\x20-\x7e]{1,200}$/.test(password)) {
    throw new Error('a password must be 1 to 200 printable ASCII characters')
  }
  const iterations = 4096
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest('base64')
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
