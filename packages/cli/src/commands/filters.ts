/** Filters of the audit as options: the same for every command that asks it, and their names on the wire. */
import type { Command } from 'commander'
import type { AuditQuery } from '../client/client.ts'
import { instant } from '../options.ts'

/** What was typed. Options that may be repeated are lists. */
export interface FilterOptions {
  readonly type?: readonly string[]
  readonly thread?: readonly string[]
  readonly run?: readonly string[]
  readonly tool?: readonly string[]
  readonly actor?: readonly string[]
  readonly verdict?: readonly string[]
  readonly rule?: readonly string[]
  readonly agent?: readonly string[]
  readonly outcome?: readonly string[]
  readonly endUser?: readonly string[]
  readonly since?: string
  readonly until?: string
  readonly text?: string
}

/** The options, as they are typed. */
export const filterFlags: Readonly<Record<keyof FilterOptions, string>> = {
  type: '--type',
  thread: '--thread',
  run: '--run',
  tool: '--tool',
  actor: '--actor',
  verdict: '--verdict',
  rule: '--rule',
  agent: '--agent',
  outcome: '--outcome',
  endUser: '--end-user',
  since: '--since',
  until: '--until',
  text: '--text',
}

const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]

/** Adds the filters that every question of the audit takes. Lists find any of their values. */
export const withFilters = (command: Command): Command =>
  command
    .option('--thread <thread>', 'of this thread (may be repeated, as may all but times)', several)
    .option('--run <run>', 'of this run', several)
    .option('--tool <tool>', 'about this tool', several)
    .option('--actor <actor>', 'written by this one', several)
    .option('--verdict <verdict>', 'with this verdict, such as denied', several)
    .option('--agent <agent>', 'of runs of this agent', several)
    .option('--outcome <outcome>', 'of runs that ended so, such as safety_stopped', several)
    .option('--end-user <pseudonym>', 'of runs for this end user', several)
    .option('--since <time>', 'from this time on', instant)
    .option('--until <time>', 'before this time', instant)

/** Adds all filters of events. */
export const withEventFilters = (command: Command): Command =>
  withFilters(
    command
      .option('--type <type>', 'of this type, such as safety.suppressed', several)
      .option('--rule <rule>', 'denials and flags by this rule or code, such as bash.sudo', several)
      .option('--text <text>', 'that hold this text: messages, arguments, results, reasons, notes'),
  )

/** The filters by their names on the wire. */
export const queryOf = (options: FilterOptions): AuditQuery => ({
  type: options.type,
  thread_id: options.thread,
  run_id: options.run,
  tool: options.tool,
  actor: options.actor,
  verdict: options.verdict,
  rule: options.rule,
  agent: options.agent,
  outcome: options.outcome,
  end_user: options.endUser,
  since: options.since,
  until: options.until,
  q: options.text,
})
