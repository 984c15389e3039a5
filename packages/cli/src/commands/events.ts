/** `events`: of one run, or the audit of all. */
import type { Command } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import type { Event } from '../client/documents.ts'
import { usageFailure } from '../failure.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { instant, serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { eventLine } from '../output/event-line.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import { poll } from '../poll.ts'
import type { Shell } from '../shell.ts'

interface EventsOptions extends ServerOptions {
  readonly follow?: true
  readonly verbose?: true
  readonly after?: string
  readonly limit?: number
  readonly type?: string
  readonly thread?: string
  readonly run?: string
  readonly tool?: string
  readonly actor?: string
  readonly verdict?: string
  readonly since?: string
  readonly until?: string
}

const filters = ['type', 'thread', 'run', 'tool', 'actor', 'verdict', 'since', 'until'] as const

export function eventsCommand(program: Command, shell: Shell): void {
  withServer(program.command('events'))
    .description('Show the events of a run; without one, the audit: events of all runs')
    .argument('[run]', 'the run; its events come in order of their number')
    .option('-f, --follow', 'go on: to the end of the run, or until Ctrl-C')
    .option('--after <n>', 'after this number; for the audit, after this position')
    .option('-n, --limit <n>', 'how many at most', wholeNumber(1, 1_000_000))
    .option('--type <type>', 'audit: of this type, such as safety.suppressed')
    .option('--thread <thread>', 'audit: of this thread')
    .option('--run <run>', 'audit: of this run')
    .option('--tool <tool>', 'audit: about this tool')
    .option('--actor <actor>', 'audit: written by this one')
    .option('--verdict <verdict>', 'audit: with this verdict, such as denied')
    .option('--since <time>', 'audit: from this time on', instant)
    .option('--until <time>', 'audit: before this time', instant)
    .option('-v, --verbose', 'show actors, arguments and results')
    .action(async (runId: string | undefined, options: EventsOptions) => {
      const terminal = createTerminal({ json: options.json === true })
      const client = createClient(serverOf(options, shell))
      const interrupt = listenForInterrupt()
      const { signal } = interrupt
      const events =
        runId === undefined
          ? auditEvents(client, options, signal)
          : runEvents(client, { runId, after: afterSeq(runId, options) }, { options, signal })
      try {
        await print(terminal, events, options)
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        interrupt.release()
      }
    })
}

async function print(
  terminal: Terminal,
  events: AsyncIterable<Event>,
  { limit = Number.POSITIVE_INFINITY, ...options }: EventsOptions & { runId?: string },
): Promise<void> {
  let shown = 0
  const verbose = options.verbose === true
  for await (const event of events) {
    terminal.document(event)
    terminal.line(eventLine(terminal, event, { verbose, withRun: event.position !== undefined }))
    shown += 1
    if (shown >= limit) return
  }
  if (shown === 0 && options.follow !== true) terminal.line('No events.')
}

function afterSeq(runId: string, options: EventsOptions): number {
  const filter = filters.find((name) => options[name] !== undefined)
  if (filter !== undefined)
    throw usageFailure(
      `--${filter} filters the audit: signalbox events --run ${runId} --${filter} …`,
    )
  const { after = '0' } = options
  if (/^\d{1,9}$/.test(after)) return Number(after)
  throw usageFailure(`--after takes the number of an event of the run, not "${after}".`)
}

interface Reading {
  readonly options: EventsOptions
  readonly signal: AbortSignal
}

async function* runEvents(
  client: Client,
  from: { readonly runId: string; readonly after: number },
  { options, signal }: Reading,
): AsyncGenerator<Event> {
  if (options.follow === true) {
    for await (const frame of client.follow({ ...from, signal }))
      if (frame.kind === 'event') yield frame.event
    return
  }
  for (let after = from.after; ;) {
    const { events, next } = await client.runEvents(from.runId, { after, limit: 1000 })
    yield* events
    if (typeof next !== 'number') return
    after = next
  }
}

async function* auditEvents(
  client: Client,
  options: EventsOptions,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const { thread: thread_id, run: run_id, type, tool, actor, verdict, since, until } = options
  const query = { type, tool, actor, verdict, since, until, thread_id, run_id }
  let { after } = options
  const limit = Math.min(options.limit ?? 1000, 1000)
  const page = async () => client.events({ ...query, after, limit })
  const pages = options.follow === true ? poll(page, signal) : once(page)
  for await (const first of pages) {
    for (let { events, next } = first; ;) {
      yield* events
      after = events.at(-1)?.position ?? after
      if (next === null) break
      ;({ events, next } = await page())
    }
  }
}

async function* once<Answer>(question: () => Promise<Answer>): AsyncGenerator<Answer> {
  yield await question()
}
