/** `events`: of one run, or the audit of all. */
import type { Command } from 'commander'
import { type Client, createClient } from '../client/client.ts'
import type { Event } from '../client/documents.ts'
import { usageFailure } from '../failure.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { serverOf, type ServerOptions, wholeNumber, withServer } from '../options.ts'
import { eventLine } from '../output/event-line.ts'
import { createTerminal, type Terminal } from '../output/terminal.ts'
import { pollEverySecond } from '../poll.ts'
import type { Shell } from '../shell.ts'
import { filterFlags, type FilterOptions, queryOf, withEventFilters } from './filters.ts'

interface EventsOptions extends ServerOptions, FilterOptions {
  readonly follow?: true
  readonly verbose?: true
  readonly after?: string
  readonly limit?: number
}

export function eventsCommand(program: Command, shell: Shell): void {
  withEventFilters(withServer(program.command('events')))
    .description('Show the events of a run; without one, the audit: events of all runs')
    .argument('[run]', 'the run; its events come in order of their number')
    .option('-f, --follow', 'go on: to the end of the run, or until Ctrl-C')
    .option('--after <n>', 'after this number; for the audit, after this position')
    .option('-n, --limit <n>', 'how many at most', wholeNumber(1, 1_000_000))
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
  const [, flag] = Object.entries(filterFlags).find(([name]) => Object.hasOwn(options, name)) ?? []
  if (flag !== undefined)
    throw usageFailure(`${flag} filters the audit: signalbox events --run ${runId} ${flag} …`)
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
  const query = queryOf(options)
  let { after } = options
  const limit = Math.min(options.limit ?? 1000, 1000)
  const page = async () => client.events({ ...query, after, limit })
  const pages = options.follow === true ? pollEverySecond(page, signal) : once(page)
  for await (const first of pages) {
    for (let { events, next } = first; ;) {
      yield* events
      // A page of a search may have no event, and say where to go on.
      after = typeof next === 'string' ? next : (events.at(-1)?.position ?? after)
      if (next === null) break
      ;({ events, next } = await page())
    }
  }
}

async function* once<Answer>(question: () => Promise<Answer>): AsyncGenerator<Answer> {
  yield await question()
}
