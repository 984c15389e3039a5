/** Processes that migrate, one of them held in the middle of its transaction by the database itself. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('migrating-process.ts', import.meta.url))

export interface Migrating {
  readonly process: ChildProcess
  /** The names of the steps that it applied, at its end. */
  readonly applied: Promise<unknown>
}

export function startMigrating(adminUrl: string): Migrating {
  const child = spawn(process.execPath, [program, adminUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const applied = text(child.stdout).then((said): unknown =>
    said === '' ? null : JSON.parse(said),
  )
  return { process: child, applied }
}

export const kill9 = async ({ process: child }: Migrating): Promise<void> => {
  child.kill('SIGKILL')
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
}

/**
 * Holds whoever executes a `command` about `object` in this database, right behind it, until `release`. By an event trigger, which
 * stays, and holds nobody any more: the migration is as it is shipped.
 */
export class Hold {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async at(adminUrl: string, command: string, object: string): Promise<Hold> {
    const client = new pg.Client(adminUrl)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('select pg_advisory_lock(77)')
    await client.query(`create function public.hold() returns event_trigger language plpgsql as $$
      begin
        if exists (select from pg_event_trigger_ddl_commands() c where c.object_identity = ${pg.escapeLiteral(object)}) then
          perform pg_advisory_xact_lock(77);
        end if;
      end $$`)
    await client.query(`create event trigger hold on ddl_command_end
      when tag in (${pg.escapeLiteral(command)}) execute function public.hold()`)
    return new Hold(client)
  }

  /** Lets go. */
  async release(): Promise<void> {
    await this.#client.query('select pg_advisory_unlock(77)')
  }

  /** How many sessions of migrations there are: that of a killed process ends when its statement does. */
  sessions(): Promise<number> {
    return this.#count('')
  }

  /** How many processes stand still before a lock: one is held, the others wait for their turn. */
  waiting(): Promise<number> {
    return this.#count("and wait_event_type = 'Lock' and wait_event = 'advisory'")
  }

  async #count(condition: string): Promise<number> {
    const { rows } = await this.#client.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and application_name = 'signalbox-migrate' ${condition}`,
    )
    return rows[0]?.n ?? 0
  }
}
