/** The engine's log on pino: JSON lines on standard output, without secrets (I20). */
import type { Log } from '@signalbox/engine'
import { type DestinationStream, pino } from 'pino'
import { createRedact } from './redact.ts'

/** How to log. */
export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Values that must never appear. */
  readonly secrets: readonly string[]
  /** Default: standard output. */
  readonly destination?: DestinationStream
}

/** One JSON object per line: level, time, msg, and the fields. */
export function createLog(options: LogOptions): Log {
  const redact = createRedact(options.secrets)
  const settings = {
    level: options.level,
    base: { pid: process.pid },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  const logger = options.destination ? pino(settings, options.destination) : pino(settings)
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error'): Log['info'] =>
    (message, fields = {}) =>
      logger[level](redact(fields), String(redact(message)))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
