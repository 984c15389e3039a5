/** Patterns and texts within scripts of sed and awk. */

/**
 * The place behind the mark that ends a pattern. Null where there is none on the line, and where it stands in brackets:
 * there it ends the pattern to some programs, and to others it does not.
 */
export function skipsPattern(text: string, from: number, mark: string): number | null {
  let inBrackets = false
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\n') return null
    if (char === mark) return inBrackets ? null : at + 1
    if (char === '\\') at += 1
    else if (!inBrackets && char === '[') {
      inBrackets = true
      // The first character in brackets may be a bracket itself.
      if (text.charAt(at + 1) === '^') at += 1
      if (text.charAt(at + 1) === ']') at += 1
    } else if (inBrackets && char === '[' && /[:.=]/.test(text.charAt(at + 1))) {
      const end = text.indexOf(':]', at + 2)
      if (!/^\[:[a-z]{1,8}$/.test(text.slice(at, Math.min(end, at + 12)))) return null
      at = end + 1
    } else if (char === ']') inBrackets = false
  }
  return null
}

/** The place behind the mark that ends a text; null where there is none on the line. */
export function skipsText(text: string, from: number, mark: string): number | null {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === '\n') return null
    else if (char === mark) return at + 1
  }
  return null
}
