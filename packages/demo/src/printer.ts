/** All that the demo prints. Colours on a terminal only; without them the same text reads well in the log of a CI job. */
import { styleText } from 'node:util'
import { eventActor, eventDetail } from './event-detail.ts'
import type { RunEvent } from './run-event.ts'
import type { RunListener } from './watched-run.ts'

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

/** Prints lines, and a text of the model that grows within one. */
export interface Printer {
  title(text: string): void
  /** Small print. */
  aside(text: string): void
  scene(number: number, title: string, why: string): void
  /** Prints the timeline of one run; times are relative to its first event. */
  timeline(): RunListener
  /** What the demo itself does to a run. */
  act(text: string): void
  outcome(outcome: string): void
  /** An expectation that was met. */
  met(text: string): void
  line(text?: string): void
}

/** Columns of the timeline: time, actor, type. Text of the model stands below the details. */
const widths = { time: 11, actor: 13, type: 18 }
const margin = ' '.repeat(widths.time + 2)

/** Prints to a stream that may be a terminal or not. */
export function createPrinter(stream: NodeJS.WriteStream): Printer {
  const paint: Paint = (style, text) => styleText(style, text, { stream })
  /** Is a line open, to which the model's text is being added? */
  let speaking = false
  const line = (text = '') => {
    stream.write(`${speaking ? '\n' : ''}${text}\n`)
    speaking = false
  }
  const speak = (piece: string) => {
    const text = paint('cyan', piece.replaceAll('\n', `\n${margin}│ `))
    stream.write(speaking ? text : `${margin}${paint('cyan', '│ ')}${text}`)
    speaking = true
  }
  const timeline = (): RunListener => {
    let first: number | undefined
    line()
    return {
      event: (event) => {
        const at = Date.parse(event.at)
        first ??= at
        line(row(event, at - first, paint))
      },
      text: speak,
    }
  }
  return {
    line,
    timeline,
    title: (text) => line(paint('bold', text)),
    aside: (text) => line(paint('dim', text)),
    scene: (number, title, why) => {
      line(`\n${paint('bold', `${number}  ${title}`)}`)
      line(paint('dim', `   ${why}`))
    },
    act: (text) => line(`${margin}${paint('magenta', `▸ ${text}`)}`),
    outcome: (outcome) => line(`\n   ${paint('dim', 'outcome')}  ${paint('bold', outcome)}`),
    met: (text) => line(`   ${paint('green', '✓')} ${text}`),
  }
}

function row(event: RunEvent, ms: number, paint: Paint): string {
  const time = `+${ms} ms`.padStart(widths.time)
  const actor = eventActor(event).padEnd(widths.actor)
  const type = event.type.padEnd(widths.type)
  const style = colour(event)
  const named = style === null ? type : paint(style, type)
  return `${paint('dim', `${time}  ${actor}`)} ${named}  ${eventDetail(event)}`.trimEnd()
}

/** Verdicts stand out, and so does what begins. */
function colour({ type }: RunEvent): Style | null {
  if (/^(safety|turn|call|loop|budget|cancel|approval|guardrail|policy)\./.test(type))
    return 'yellow'
  return type === 'effect.started' ? 'blue' : null
}
