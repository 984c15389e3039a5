/** HTML that is safe by construction: what is put into a template is escaped, unless a template made it. */

/** A piece of HTML. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | null | undefined | readonly Part[]

/** Makes a piece of HTML. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, n) => (n === 0 ? text : written(parts[n - 1]) + text)).join(''),
})

function written(part: Part): string {
  if (part === null || part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return 'html' in part ? part.html : part.map(written).join('')
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
