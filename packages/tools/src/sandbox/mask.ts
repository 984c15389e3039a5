/** Values that the egress proxy adds to requests: a server that answers with what it was sent brings them into an output. */
import type { Network } from './sandbox.ts'

/** The text that stands in their place. */
const masked = '[secret]'

/** Takes the values out of texts. `longest`: characters of the longest, for who cuts texts before. */
export interface Mask {
  readonly clean: (text: string) => string
  readonly longest: number
}

/** Of `Bearer abc`, `abc` alone is a secret as well. */
export function maskFor(network: Network): Mask {
  const values = network.kind === 'none' ? [] : network.rules.inject.map(({ value }) => value)
  const secrets = [...new Set(values.flatMap((value) => [value, value.split(' ').at(-1) ?? '']))]
    .filter((secret) => secret.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
  return {
    clean: (text) => secrets.reduce((left, secret) => left.replaceAll(secret, masked), text),
    longest: Math.max(0, ...secrets.map(({ length }) => length)),
  }
}

/** Shorter ones would be found in ordinary words. */
const shortest = 6
