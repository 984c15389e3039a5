/** Shows a run live: its text as it streams, a line for each event of note. */
import type { Client } from '../client/client.ts'
import type { Event } from '../client/documents.ts'
import { eventDetails } from '../output/event-details.ts'
import { at, oneLine, printable, textAt } from '@signalbox/core/text'
import { styleOf } from '../output/event-line.ts'
import { createLiveText } from '../output/live-text.ts'
import type { Terminal } from '../output/terminal.ts'

export interface ShownRun {
  readonly client: Client
  readonly runId: string
  readonly verbose: boolean
  readonly signal: AbortSignal
}

/** Events that say nothing a watcher needs: the text and the lines of tools say it. */
const quiet = new Set(['run.created', 'run.admitted', 'run.transitioned'])

/** Of a note of a tool: a line of it is a sign of life, and enough. */
const noteCharsMax = 200

/** Shows a run to its end, and answers its outcome. @throws Failure */
export async function showRun(terminal: Terminal, shown: ShownRun): Promise<string | null> {
  const { client, runId, signal } = shown
  const live = createLiveText(terminal)
  const onBreak = () => {
    live.pause()
    terminal.note('The connection is lost; the run goes on. Connecting again.')
  }
  for await (const frame of client.follow({ runId, after: 0, signal, onBreak })) {
    if (frame.kind === 'end') return frame.outcome
    if (frame.kind === 'text') live.delta(frame.delta)
    else if (frame.kind === 'progress') {
      live.pause()
      terminal.line(terminal.paint('dim', `  … ${oneLine(frame.progress.note, noteCharsMax)}`))
    } else showEvent({ terminal, live, shown }, frame.event)
  }
  return null
}

interface Stage {
  readonly terminal: Terminal
  readonly live: ReturnType<typeof createLiveText>
  readonly shown: ShownRun
}

function showEvent({ terminal, live, shown }: Stage, event: Event): void {
  if (event.type === 'model.completed') live.completed(event)
  if (!isOfNote(event, shown.verbose)) return
  live.pause()
  const { type, tool, verdict } = event
  const words = [tool, verdict, eventDetails(event, shown.verbose)].filter((word) => word !== null)
  terminal.line(`  ${terminal.paint(styleOf(type), type)} ${printable(words.join(' ')).trim()}`)
  const explanation = textAt(event.payload, 'explanation')
  // Why the model could not answer stands on the line already.
  const isSaid = at(event.payload, 'error', 'message') !== undefined
  if (explanation !== '' && !isSaid) terminal.line(`  ${printable(explanation)}`)
  const hint = hintFor(event, shown)
  if (hint !== null) terminal.line(terminal.paint('bold', `  ${hint}`))
}

/** A model that answers with text alone has said it; one that calls tools is a line. */
function isOfNote(event: Event, verbose: boolean): boolean {
  if (quiet.has(event.type)) return false
  if (event.type === 'effect.started') return event.tool !== null
  if (event.type !== 'model.completed') return true
  return verbose || at(event.payload, 'turn', 'verdict') !== 'complete'
}

function hintFor(event: Event, { client, runId }: ShownRun): string | null {
  const where = `--url ${client.url}`
  if (event.type === 'approval.requested') {
    const { payload } = event
    const id = textAt(payload, 'approvalId') || `${runId} ${textAt(payload, 'callId')}`
    return `Waits for you: signalbox approve ${id} ${where}   (or reject)`
  }
  if (event.type === 'input.requested')
    return `Waits for you: signalbox answer ${runId} "…" --call ${textAt(event.payload, 'callId')} ${where}`
  if (event.type === 'tool.unknown')
    return `If the run waits for you: signalbox resolve ${runId} ${textAt(event.payload, 'effectId')} happened ${where}   (or not-happened, retry)`
  return null
}
