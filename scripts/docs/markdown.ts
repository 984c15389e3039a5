/** Small pieces of Markdown. */

/** A table. Cells may hold Markdown; `|` and line breaks in them are made harmless. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

const mark = (name: string): readonly [string, string] => [
  `<!-- generated: ${name} -->`,
  '<!-- end of generated -->',
]

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`

/** Puts a generated section between its marks. Throws if the page has no such marks. */
export function fill(page: string, name: string, section: string): string {
  const [open, close] = mark(name)
  const start = page.indexOf(open)
  const end = page.indexOf(close, start)
  if (start < 0 || end < 0) throw new Error(`the page has no place for the section "${name}"`)
  return `${page.slice(0, start + open.length)}\n\n${section}\n\n${page.slice(end)}`
}
