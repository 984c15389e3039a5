/** Filters of runs as options, and their names on the wire. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RunFilter } from '../client/runs.ts'
import { instant } from '../options.ts'

/** What was typed. */
export interface RunFilterOptions {
  readonly thread?: readonly string[]
  readonly status?: readonly string[]
  readonly state?: readonly string[]
  readonly agent?: readonly string[]
  readonly outcome?: readonly string[]
  readonly endUser?: readonly string[]
  readonly waitsFor?: readonly string[]
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly since?: string
  readonly until?: string
}

/** Of an option that may be repeated: all its values. */
export const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]

/** `order=17`, or a JSON object; a value that reads as JSON is that. */
function metadata(
  text: string,
  before: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const at = text.indexOf('=')
  const read =
    at > 0 && !text.startsWith('{') ? { [text.slice(0, at)]: json(text.slice(at + 1)) } : json(text)
  if (typeof read === 'object' && read !== null && !Array.isArray(read))
    return { ...before, ...read }
  throw new InvalidArgumentError('It takes name=value, or a JSON object.')
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const severalOf = (flags: string, words: readonly string[], what: string): Option =>
  new Option(flags, what).choices(words).argParser((value: string, before?: readonly string[]) => {
    if (!words.includes(value))
      throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`)
    return several(value, before)
  })

/** The filters that runs of any kind have. */
const withPlace = (command: Command): Command =>
  command
    .option(
      '-t, --thread <thread>',
      'of this thread (may be repeated, as may all but times)',
      several,
    )
    .option('--agent <agent>', 'of this agent', several)
    .option('--end-user <pseudonym>', 'for this end user', several)
    .option('--metadata <name=value>', 'whose metadata have this, or this JSON object', metadata)

/** Adds the filters of runs, whose statuses are `words`. */
export const withRunFilters = (command: Command, words: readonly string[]): Command =>
  withPlace(command)
    .addOption(severalOf('-s, --status <status>', words, 'in this status'))
    .option('--state <state>', 'in this state of the machine, such as tools', several)
    .option('--waits-for <kind>', 'that wait for this, such as approval or worker', several)
    .option(
      '--since <time>',
      'created from this time on, or so long ago: 90s, 15m, 2h, 7d',
      instant,
    )
    .option('--until <time>', 'created before this time, or so long ago', instant)

/** Adds the filters of runs that have ended. */
export const withEndedFilters = (command: Command): Command =>
  withPlace(command)
    .option(
      '--outcome <outcome>',
      'that ended so (default: failed, interrupted, timed_out)',
      several,
    )
    .option(
      '--since <time>',
      'that ended from this time on, or so long ago: 90s, 15m, 2h, 7d',
      instant,
    )
    .option('--until <time>', 'that ended before this time, or so long ago', instant)

const named = (filter: RunFilter): RunFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** The filters by their names on the wire; without what was not typed. */
export const runFilterOf = (options: RunFilterOptions): RunFilter =>
  named({
    thread_id: options.thread,
    status: options.status,
    state: options.state,
    agent: options.agent,
    outcome: options.outcome,
    end_user: options.endUser,
    waits_for: options.waitsFor,
    metadata: options.metadata,
    since: options.since,
    until: options.until,
  })

/** The same of runs that have ended, whose times are those of their ends. */
export function endedFilterOf({ since, until, ...options }: RunFilterOptions): RunFilter {
  return named({ ...runFilterOf(options), ended_since: since, ended_until: until })
}
