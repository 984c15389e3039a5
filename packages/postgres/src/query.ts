/**
 * Queries are built with Kysely and sent with pg: so that a read can be a named prepared statement (planning over the
 * partitions costs more than the read itself), and a tenant's read a pipelined transaction.
 */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type CompiledQuery,
  type RawBuilder,
} from 'kysely'
import type { ClientBase, Pool, QueryConfig, QueryResultRow } from 'pg'
import type { Database } from './database.ts'

/** Builds queries; has no connection of its own. */
export const build = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
}).withSchema('signalbox')

/** Compiles raw SQL that returns rows of the stated shape. */
export function compile<Row>(raw: RawBuilder<Row>): CompiledQuery<Row> {
  return raw.compile(build)
}

/** How a query is sent. */
export interface QuerySending {
  /** The connection keeps it prepared: the text must not vary. */
  readonly name: string
  /** The connection is given up if no answer has come by then. Default: what it was opened with. */
  readonly msMax?: number
}

/** Sends a query and answers its rows. */
export async function fetchRows<Row extends QueryResultRow>(
  connection: Pool | ClientBase,
  query: CompiledQuery<Row>,
  how?: string | QuerySending,
): Promise<Row[]> {
  const { name, msMax } = typeof how === 'string' ? { name: how } : (how ?? {})
  const values = [...query.parameters]
  const config: QueryConfig & { readonly query_timeout?: number } = {
    text: query.sql,
    values,
    ...(name === undefined ? {} : { name: `signalbox.${name}` }),
    ...(msMax === undefined ? {} : { query_timeout: msMax }),
  }
  // `pg` assigns closures to its query, which V8 keeps with everything they hold until its next full collection: what they
  // hold is emptied (docs/decisions/0056).
  try {
    const { rows, fields } = await connection.query<Row>(config)
    fields.length = 0
    return rows.splice(0)
  } finally {
    values.length = 0
  }
}

/** The row of a function, or of another query, that answers one. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('unreachable: the query answers one row')
  return row
}

/**
 * A query that is built once, with whatever values, and sent many times with others: building costs more than a read.
 * The values stand in the order in which the SQL has its parameters. Each connection keeps it prepared under its name.
 */
export function statement<Row extends QueryResultRow>(
  name: string,
  query: CompiledQuery<Row>,
): (connection: Pool | ClientBase, values: readonly unknown[]) => Promise<Row[]> {
  const expected = query.parameters.length
  return (connection, parameters) => {
    if (parameters.length !== expected)
      throw new Error(`${name} takes ${expected} values, not ${parameters.length}`)
    return fetchRows(connection, { ...query, parameters }, name)
  }
}

/** A timestamptz as milliseconds since the epoch. */
export function inMs(column: string): RawBuilder<number> {
  return sql<number>`signalbox.to_ms(${sql.ref(column)})::float8`
}

/** The how-manieth a row is of its tenant: ordered by it, tenants take turns. `order` is columns, as SQL. */
export function turnOf(tenant: string, order: string): RawBuilder<string> {
  return sql<string>`row_number() over (partition by ${sql.ref(tenant)} order by ${sql.raw(order)})`
}

/** Bytes as hex. */
export function inHex(column: string): RawBuilder<string> {
  return sql<string>`encode(${sql.ref(column)}, 'hex')`
}

/** A page size within what a listing may answer. */
export function pageSize(limit: number | undefined, max: number): number {
  return Math.max(0, Math.min(Math.trunc(limit ?? max), max))
}

/** Leaves out the rows of some runs. */
export function noneOf(column: string, except: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} <> all (${[...except]}::uuid[])`
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** May the text stand where a uuid is expected? A text that is none names no run; Postgres would call it an error. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

interface LineageRow {
  readonly stretch: number
  readonly place: number
  readonly run_id: string
  readonly through: number | null
}

/**
 * The runs that make a conversation, in stretches: see the function in the migration. Their events are joined to them
 * laterally, with a limit: nobody can know how many runs there are, and a plan that guesses reads all events of all threads.
 */
export const lineageOf = (
  tenant: RawBuilder<string>,
  threadId: string,
  runId: string | null,
): RawBuilder<LineageRow> =>
  runId === null
    ? sql<LineageRow>`signalbox.lineage(${tenant}, ${threadId})`
    : sql<LineageRow>`signalbox.lineage(${tenant}, ${threadId}, ${runId}::uuid)`

/** The runs of a thread, whatever goes on from which, behind what was said before it began. */
export const branchesOf = (tenant: RawBuilder<string>, threadId: string): RawBuilder<LineageRow> =>
  sql<LineageRow>`signalbox.branches(${tenant}, ${threadId})`
