/** Wildcards of policies. No regular expressions: nothing a policy's author writes can make a check slow. */

/**
 * Does the pattern match the whole text? `*` is any run of characters, `?` any one of them; everything else is itself.
 * At worst the product of both lengths, so keep patterns short.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0
  let from = 0
  let star = -1
  let resume = 0
  while (at < text.length) {
    const each = pattern[from]
    if (each === '*') {
      star = from
      from += 1
      resume = at
    } else if (each !== undefined && (each === '?' || each === text[at])) {
      from += 1
      at += 1
    } else if (star >= 0) {
      from = star + 1
      resume += 1
      at = resume
    } else return false
  }
  while (pattern[from] === '*') from += 1
  return from === pattern.length
}

/** Has the pattern a wildcard in it? */
export const isWild = (pattern: string): boolean => /[*?]/.test(pattern)

/** Does the pattern match the whole path? `**` is any number of names, `*` and `?` stay within one name. */
export function matchesPathWildcard(pattern: string, path: string): boolean {
  const names = path.split('/')
  // reachable[n]: the pattern so far can match the first n names.
  let reachable: readonly boolean[] = [true, ...names.map(() => false)]
  for (const step of pattern.split('/')) {
    const before = reachable
    const first = before.indexOf(true)
    reachable =
      step === '**'
        ? before.map((_, n) => first >= 0 && n >= first)
        : before.map(
            (_, n) => n > 0 && before[n - 1] === true && matchesWildcard(step, names[n - 1] ?? ''),
          )
  }
  return reachable.at(-1) === true
}
