import type { Log } from '@signalbox/engine'

/** A log of warnings and errors only, one line each: the timeline is what the demo shows. */
export function quietLog(line: (text: string) => void): Log {
  const say = (level: string, message: string, fields: object = {}) =>
    line(`${level}: ${message} ${JSON.stringify(fields)}`)
  return {
    debug() {},
    info() {},
    warn: (message, fields) => say('warn', message, fields),
    error: (message, fields) => say('error', message, fields),
  }
}
