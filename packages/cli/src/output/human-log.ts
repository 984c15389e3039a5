/** The log as lines for a human, made of the JSON lines that everybody else gets: time, level, message, fields. */
import { styleText } from 'node:util'
import { printable } from '@signalbox/core/text'
import { runLine } from './run-log-line.ts'

export interface LineStream {
  write(text: string): unknown
}

type Style = 'yellow' | 'red' | 'cyan' | 'gray' | 'dim'

const styles: ReadonlyMap<unknown, Style> = new Map([
  ['warn', 'yellow'],
  ['error', 'red'],
  ['debug', 'gray'],
])
const silent = new Set(['level', 'time', 'pid', 'msg'])

/** A destination for a log that prints its lines for humans on `to`. */
export function humanLog(
  to: LineStream,
  coloured: boolean,
): { readonly write: (line: string) => void } {
  return { write: (line) => void to.write(`${humanLine(line.trimEnd(), coloured)}\n`) }
}

function humanLine(line: string, coloured: boolean): string {
  const entry = parsed(line)
  if (!entry) return printable(line)
  const { time, msg, level } = entry
  const paint = (as: Style, text: string) =>
    coloured ? styleText(as, text, { validateStream: false }) : text
  const clock = typeof time === 'string' ? new Date(time).toTimeString().slice(0, 8) : ''
  const start = `${paint('dim', clock)} ${paint(styles.get(level) ?? 'cyan', text(level).padEnd(5))}`
  const run = runLine(entry)
  if (run) return `${start} ${printable(run.text)}  ${paint('dim', printable(run.id))}`
  const fields = Object.entries(entry)
    .filter(([name]) => !silent.has(name))
    .map(([name, value]) => `${name}=${text(value)}`)
    .join(' ')
  const end = fields === '' ? '' : `  ${paint('dim', printable(fields))}`
  return `${start} ${printable(text(msg))}${end}`
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
