/** Does a text look as if chance had made it? */

/** At least so many bits per character and three kinds of characters, or letters and digits if it is long. */
export function looksRandom(value: string, bitsMin = 3): boolean {
  const letters = Number(/[a-z]/.test(value)) + Number(/[A-Z]/.test(value))
  const digits = Number(/[0-9]/.test(value))
  const others = Number(/[^A-Za-z0-9]/.test(value))
  const mixed = letters + digits + others >= 3 || (value.length >= 20 && letters > 0 && digits > 0)
  return mixed && entropy(value) >= bitsMin
}

/** Shannon's entropy of the characters, in bits per character. */
export function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / value.length)
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}
