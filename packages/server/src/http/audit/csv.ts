/**
 * Events as CSV by RFC 4180. A text that a spreadsheet would take for a formula is written with an apostrophe before it:
 * names of tools and texts of users come from outside.
 */
import { stringify } from 'csv-stringify/sync'
import { columns, type Row } from './columns.ts'

const names = columns.map(({ name }) => name)

/** Spreadsheets drop a line break at the beginning of a cell, and read the rest. The library escapes the others. */
const isHidden = /^\n/

/** One piece of text per page; the titles come first, if they are wanted. */
export async function* csvTexts(
  pages: AsyncIterable<readonly Row[]>,
  { header }: { readonly header: boolean },
): AsyncGenerator<string, void, undefined> {
  if (header) yield records([names])
  for await (const page of pages)
    if (page.length > 0) yield records(page.map((row) => names.map((name) => cell(row[name]))))
}

type Cell = string | number

function cell(value: unknown): Cell {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return JSON.stringify(value)
  return isHidden.test(value) ? `'${value}` : value
}

const records = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    // Without the last one a line break that is no delimiter of records stays bare, and most readers end the record there.
    { escape_formulas: true, record_delimiter: 'windows', quote_record_delimiter: true },
  )
