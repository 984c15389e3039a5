/**
 * Values that no output may show: those that the egress proxy adds to requests, which a server that answers with what it was sent brings into an
 * output, and the secrets of skills, which commands find in their environment.
 */
import type { Network } from './sandbox.ts'

/** The text that stands in their place. */
const masked = '[secret]'

/** Takes the values out of texts. `longest`: characters of the longest, for who cuts texts before. */
export interface Mask {
  readonly clean: (text: string) => string
  readonly longest: number
  /** The same of the name of a host, which may come in small letters. */
  readonly cleanHost: (host: string) => string
  /** Do these bytes have the secret of a skill in them? */
  readonly isTold: (bytes: Uint8Array) => boolean
}

/** Of `Bearer abc`, `abc` alone is a secret as well. `own`: secrets that the command itself is told. */
export function maskFor(network: Network, own: readonly string[] = []): Mask {
  const injected = network.kind === 'none' ? [] : network.rules.inject.map(({ value }) => value)
  const words = injected.flatMap((value) => [value, value.split(' ').at(-1) ?? ''])
  const secrets = [...new Set([...words, ...own])]
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
  const told = own.filter((secret) => secret !== '').map((secret) => Buffer.from(secret))
  return {
    clean: (text) => secrets.reduce((left, secret) => left.replaceAll(secret, masked), text),
    cleanHost: (host) =>
      secrets.some((secret) => host.toLowerCase().includes(secret.toLowerCase())) ? masked : host,
    longest: Math.max(0, ...secrets.map(({ length }) => length)),
    isTold: (bytes) => {
      const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      return told.some((secret) => all.includes(secret))
    },
  }
}

/** Shorter ones would be found in ordinary words. */
export const shortestSecret = 6
