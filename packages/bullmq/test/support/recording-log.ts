import type { Log } from '@signalbox/engine'

export interface Line {
  readonly level: keyof Log
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
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
