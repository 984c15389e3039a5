import type { Log } from '@signalbox/engine'

export interface Line {
  readonly level: keyof Log
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A dispatch that took too long is no fault of a busy machine: its hint arrives all the same. */
const late = /no answer within \d+ ms/

/** What was said, but for dispatches that were given up because the machine is slow. */
export function saidOf(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ fields }) => !late.test(String(fields['error'])))
}

/** A log that keeps what it is told. */
export function recordingLog(): Log & { readonly lines: readonly Line[] } {
  const lines: Line[] = []
  const at =
    (level: keyof Log) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, message, fields })
    }
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
}
