import type { Terminal } from './terminal.ts'

/** Prints rows in columns under their titles; without rows, the sentence that says so. */
export function printTable(
  terminal: Terminal,
  rows: readonly Readonly<Record<string, string>>[],
  none: string,
): void {
  const [first] = rows
  if (!first) return terminal.line(none)
  const titles = Object.keys(first)
  const widths = titles.map((title) =>
    Math.max(title.length, ...rows.map((row) => row[title]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd()
  terminal.line(terminal.paint('dim', line(titles)))
  for (const row of rows) terminal.line(line(titles.map((title) => row[title] ?? '')))
}
