import type { Log } from '@signalbox/engine'

/** A log for who measures: silent unless something is wrong, for then the figures are too. */
export function complaining(who: string): Log {
  const complain = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    console.error(`${who}: ${message}`, fields ?? '')
  return { debug: () => {}, info: () => {}, warn: complain, error: complain }
}
