/** Signatures after Standard Webhooks 1.0: one per live secret, so that secrets can be changed without a gap. */
import { Webhook } from 'standardwebhooks'

/** What is signed: the id, the time in whole seconds, the body as it is sent. */
export interface Signed {
  readonly id: string
  readonly at: Date
  readonly body: string
}

/** The headers that a receiver checks. */
export const signatureHeaders = (
  secrets: readonly string[],
  { id, at, body }: Signed,
): Readonly<Record<string, string>> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
})

const bytesMin = 24
const bytesMax = 64

/** What is wrong with a secret, null if nothing. Never quotes it. */
export function secretProblem(secret: string): string | null {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]{1,200}={0,2})$/.exec(secret) ?? []
  const bytes = Buffer.from(base64, 'base64').byteLength
  if (bytes >= bytesMin && bytes <= bytesMax) return null
  return `takes whsec_ and ${bytesMin} to ${bytesMax} bytes in base64; openssl rand -base64 32 makes them`
}
