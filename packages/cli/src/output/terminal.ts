/** Where a command writes: answers on standard output, everything else on standard error. */
import process from 'node:process'
import { styleText } from 'node:util'

/** One command's way to talk. With `json` standard output holds JSON only, one document or one per line. */
export interface Terminal {
  readonly json: boolean
  /** A line of the answer for a human; nothing with `json`. */
  line(text: string): void
  /** Text without a line break, as it streams; nothing with `json`. */
  text(text: string): void
  /** The answer for a program; nothing without `json`. One document per call, on one line. */
  document(value: unknown): void
  /** What is good to know: on standard error, so that it never stands in an answer. */
  note(text: string): void
  paint(style: Style, text: string): string
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Colours are for eyes: on a terminal only, and not where NO_COLOR asks for none. */
export const hasColours = (stream: { readonly isTTY?: boolean }): boolean =>
  stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'

const write = (text: string): void => void process.stdout.write(text)

export function createTerminal(options: { readonly json: boolean }): Terminal {
  const { json } = options
  const coloured = hasColours(process.stdout)
  return {
    json,
    line: (text) => json || write(`${text}\n`),
    text: (text) => json || write(text),
    document: (value) => json && write(`${JSON.stringify(value)}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
  }
}
