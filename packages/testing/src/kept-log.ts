/** The log of a box: silent, but its last warnings are shown with a run that did not come to rest. */
import type { Log } from '@signalbox/engine'
import { oneLine } from '@signalbox/core/text'

const linesMax = 10
const lineCharsMax = 300

/** A log, and what was complained of lately. */
export interface KeptLog extends Log {
  readonly complaints: () => readonly string[]
}

/** Makes the log. */
export function keptLog(): KeptLog {
  const lines: string[] = []
  const keep = (level: string, message: string, fields: object = {}) => {
    const line = oneLine(`${level}: ${message} ${JSON.stringify(fields)}`, lineCharsMax)
    lines.splice(0, lines.push(line) - linesMax)
  }
  return {
    debug() {},
    info() {},
    warn: (message, fields) => keep('warn', message, fields),
    error: (message, fields) => keep('error', message, fields),
    complaints: () => lines,
  }
}
