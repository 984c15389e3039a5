/** Whether a text quotes what must not be kept: error messages of providers sometimes show what the model wrote. */

/** So many letters and digits in a row, found in both, are a quotation. */
const quoteChars = 12

/**
 * Does the text quote one of the sources? Only letters and digits are compared: a quotation may be escaped once more, or
 * once less, than its source.
 */
export function quotes(text: string, sources: readonly string[]): boolean {
  if (sources.every((source) => source.length < quoteChars)) return false
  const said = plain(text)
  const windows = new Set<string>()
  for (let at = 0; at + quoteChars <= said.length; at += 1)
    windows.add(said.slice(at, at + quoteChars))
  return sources.some((source) => {
    const written = plain(source)
    for (let at = 0; at + quoteChars <= written.length; at += 1)
      if (windows.has(written.slice(at, at + quoteChars))) return true
    return false
  })
}

function plain(text: string): string {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/\\[nrtbf]/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
}
