/** `show`: one run. Where it stands, what it waits for and since when, what went wrong last, what to type next. */
import type { Command } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import type { Event, Run, RunReport } from '../client/documents.ts'
import { serverOf, type ServerOptions, withServer } from '../options.ts'
import { at, duration, oneLine, printable, textAt } from '@signalbox/core/text'
import { eventDetails } from '../output/event-details.ts'
import { nextCommands, waitsText } from '../output/run-lines.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'

export function showCommand(program: Command, shell: Shell): void {
  withServer(program.command('show'))
    .description('Show one run: where it stands, what it waits for, and what to type next')
    .argument('<run>', 'its id, or the idempotency key of its create')
    .action(async (runId: string, options: ServerOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const run = await client.run(runId)
      const [report, log] = await Promise.all([
        client.report(run.run_id),
        readLog(client, run.run_id),
      ])
      const next = nextCommands(run)
      const { tokens, error } = log
      terminal.document({ run, calls: report.calls, tokens, last_error: error, next })
      if (!terminal.json) print(terminal, { run, report, log, next })
    })
}

interface Log {
  readonly tokens: { readonly input: number; readonly output: number }
  /** The last thing that went wrong; null if nothing did. */
  readonly error: {
    readonly type: string
    readonly at: string
    readonly text: string
    /** The provider's own words, for operators; null where it had none. */
    readonly said: string | null
  } | null
}

/** Events that say what went wrong. */
const errors = new Set([
  'tool.failed',
  'tool.unknown',
  'run.faulted',
  'model.retried',
  'model.replaced',
  'turn.cut',
])

async function readLog(client: Client, runId: string): Promise<Log> {
  const tokens = { input: 0, output: 0 }
  let last: Event | null = null
  let turn: Event | null = null
  for (let after = 0; ;) {
    const { events, next } = await client.runEvents(runId, { after, limit: 1000 })
    for (const event of events) {
      tokens.input += numberAt(event, 'inputTokens')
      tokens.output += numberAt(event, 'outputTokens')
      if (event.type === 'model.completed') turn = event
      if (errors.has(event.type) || at(event.payload, 'turn', 'error') !== undefined) last = event
    }
    if (typeof next !== 'number') return { tokens, error: last && errorOf(last, turn) }
    after = next
  }
}

function numberAt({ type, payload }: Event, name: string): number {
  const found = type === 'model.completed' ? at(payload, 'turn', 'usage', name) : 0
  return typeof found === 'number' ? found : 0
}

function errorOf(event: Event, turn: Event | null): NonNullable<Log['error']> {
  const { type, payload } = event
  const ours = type === 'tool.failed' ? '' : textAt(payload, 'error', 'message')
  if (ours !== '') {
    const words = textAt(turn?.payload, 'turn', 'error', 'message')
    return { type, at: event.at, text: ours, said: words === '' ? null : oneLine(words, 400) }
  }
  const {
    class: kind,
    status,
    message,
  } = Object(at(payload, 'turn', 'error') ?? at(payload, 'error') ?? {})
  const said = [kind, status, message].filter((part) => part !== undefined).join(' ')
  const text = oneLine(said === '' ? eventDetails(event, true) : said, 400)
  return { type, at: event.at, text, said: null }
}

function print(
  terminal: Terminal,
  {
    run,
    report,
    log,
    next,
  }: {
    readonly run: Run
    readonly report: RunReport
    readonly log: Log
    readonly next: readonly string[]
  },
): void {
  const now = Date.now()
  const line = (title: string, text: string) =>
    text === '' || terminal.line(`${terminal.paint('dim', title.padEnd(10))}${printable(text)}`)
  const ago = (time: string): string =>
    `${time.slice(0, 19).replace('T', ' ')}, ${duration(now - Date.parse(time))} ago`
  const open = report.calls.filter(({ status }) => status === 'open' || status === 'unknown')
  line('run', run.run_id)
  line('thread', run.thread_id)
  line('agent', run.assistant_id)
  line(
    'status',
    `${run.status}, state ${run.state}${run.outcome === null ? '' : `, outcome ${run.outcome}`}`,
  )
  line('created', ago(run.created_at))
  line('ended', run.ended_at == null ? '' : ago(run.ended_at))
  line('parent', run.parent?.run_id ?? '')
  line('retry of', run.retry_of ?? '')
  line('waits for', run.waits_for == null ? '' : waitsText(run.waits_for, now))
  line(
    'calls',
    `${report.calls.length}${open.length === 0 ? '' : `, open: ${open.map(({ tool, call_id, status }) => `${tool} (${call_id}${status === 'open' ? '' : `, ${status}`})`).join(', ')}`}`,
  )
  line('tokens', `${log.tokens.input} in, ${log.tokens.output} out`)
  line('error', log.error === null ? '' : `${log.error.text} (${log.error.type})`)
  line('said', log.error?.said ?? '')
  for (const [n, command] of next.entries()) line(n === 0 ? 'next' : '', command)
}
