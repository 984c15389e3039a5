import type { McpServerConfig } from './config.ts'

const secretCharsMin = 4

/**
 * Answers a function that takes configured values out of a text (I20): environment and header values of the server, and
 * the credentials and query of its address. Error texts of servers and clients like to repeat them.
 */
export function redactor(config: McpServerConfig): (text: string) => string {
  const secrets = 'url' in config ? httpSecrets(config) : Object.values(config.env)
  const known = secrets
    .filter((secret) => secret.length >= secretCharsMin)
    .sort((a, b) => b.length - a.length)
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
}

function httpSecrets(config: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}): string[] {
  const headers = Object.values(config.headers)
  // "Bearer x" as a whole and x alone.
  const tokens = headers.flatMap((value) => value.split(' ').slice(1))
  const url = URL.parse(config.url)
  return [...headers, ...tokens, url?.search ?? '', url?.username ?? '', url?.password ?? '']
}
