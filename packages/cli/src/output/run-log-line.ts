/** Lines of the log about runs, as somebody at a terminal reads them: the agent, what happened, and the run to ask about. */
import { duration, textAt } from '@signalbox/core/text'

type Entry = Readonly<Record<string, unknown>>

const sentences: Readonly<Record<string, (entry: Entry) => string>> = {
  'run begun': () => 'run begun',
  'run waits': (entry) => `run waits for ${textAt(entry, 'waitsFor')}`,
  'run ended': (entry) =>
    [
      `run ended: ${textAt(entry, 'outcome')} in ${brief(entry['durationMs'])}`,
      `${textAt(entry, 'tokens')} tokens`,
      textAt(entry, 'cost') && `cost ${textAt(entry, 'cost')}`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  'model call failed': (entry) => {
    const why = textAt(entry, 'reason') || textAt(entry, 'class')
    return `model call failed, ${why}${nextOf(entry)}`
  },
  'outcome of a tool call unknown': (entry) =>
    `the outcome of ${textAt(entry, 'tool') || 'a call'} is unknown (${textAt(entry, 'reason')}): signalbox unknown`,
  'run faulted': (entry) => `run faulted: ${textAt(entry, 'code')}`,
}

/** Of runs that take seconds the tenths count. */
function brief(value: unknown): string {
  const ms = Number(value)
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : duration(ms)
}

function nextOf(entry: Entry): string {
  const next = textAt(entry, 'next')
  if (next === 'retry') return ` (again in ${brief(entry['retryMs'])})`
  return next.startsWith('fallback') ? ` (${next})` : ''
}

/** What the line says, and of which run; null for a line about something else. */
export function runLine(entry: Entry): { readonly text: string; readonly id: string } | null {
  const said = sentences[textAt(entry, 'msg')]
  const id = textAt(entry, 'runId')
  return said && id !== '' ? { text: `${textAt(entry, 'agent')}: ${said(entry)}`, id } : null
}
