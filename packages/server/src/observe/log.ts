/** The engine's log on pino: JSON lines on standard output, without secrets (I20). */
import type { Log } from '@signalbox/engine'
import { type DestinationStream, pino } from 'pino'
import { LogSink, type Write } from './log-sink.ts'
import { createRedact } from './redact.ts'

/** How to log. */
export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Values that must never appear. */
  readonly secrets: readonly string[]
  /** Default: standard output, which may fail without harm: see `LogSink`. */
  readonly destination?: DestinationStream
  /** What standard output is written with. For tests. */
  readonly write?: Write
}

/** A log that says how many lines it had to drop. */
export interface CountingLog extends Log {
  /** Told of each line that is dropped from now on, and at once of those before. */
  onDropped(listener: (lines: number) => void): void
}

/** One JSON object per line: level, time, msg, and the fields. Never throws. */
export function createLog(options: LogOptions): CountingLog {
  const redact = createRedact(options.secrets)
  const settings = {
    level: options.level,
    base: { pid: process.pid },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  let dropped = 0
  let tell = (lines: number): void => void (dropped += lines)
  const sink = new LogSink({
    ...(options.write && { write: options.write }),
    dropped: () => tell(1),
    recovered: (lines) => logger.warn({ lines }, 'lines of the log were dropped'),
  })
  const logger = pino(settings, options.destination ?? sink)
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error'): Log['info'] =>
    (message, fields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](redact(fields), String(redact(message)))
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    onDropped(listener) {
      tell = listener
      if (dropped > 0) listener(dropped)
    },
  }
}
