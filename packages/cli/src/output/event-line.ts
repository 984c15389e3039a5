import { toneOf } from '@signalbox/core'
import type { Event } from '../client/documents.ts'
import { eventDetails } from './event-details.ts'
import { printable } from '@signalbox/core/text'
import type { Style, Terminal } from './terminal.ts'

export interface EventLineOptions {
  readonly verbose: boolean
  /** Name the run, where events of several stand below each other. */
  readonly withRun: boolean
}

const styles = { alarm: 'red', notice: 'yellow', plain: 'cyan' } as const satisfies Record<
  ReturnType<typeof toneOf>,
  Style
>

/** An event on one line: time, number, type, tool, verdict, details. */
export function eventLine(terminal: Terminal, event: Event, options: EventLineOptions): string {
  const { seq, type, tool, verdict } = event
  const who = options.verbose ? event.actor : ''
  const about = [tool, verdict, who].filter((word) => word !== null && word !== '').join(' ')
  const details = eventDetails(event, options.verbose)
  return [
    terminal.paint('dim', event.at.slice(11, 23)),
    options.withRun ? event.run_id : '',
    terminal.paint('dim', `#${seq}`.padStart(4)),
    terminal.paint(styleOf(type), printable(type).padEnd(18)),
    printable(about),
    terminal.paint('dim', details),
  ]
    .filter((part) => part !== '')
    .join('  ')
    .trimEnd()
}

export const styleOf = (type: string): Style => styles[toneOf(type)]
