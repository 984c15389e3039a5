/**
 * A table of expected decisions, as `signalbox policy test` reads it. What is wrong with it is told by row and field, so
 * that a slip never passes for a policy that does its work.
 */
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { exitCodes } from '../../exit-codes.ts'
import { Failure } from '../../failure.ts'

const rowsMax = 10_000
const text = z.string().min(1, 'is empty').max(200, 'has more than 200 characters')

const isTime = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isInteger(value) && value >= 0 && value <= 8.64e15
    : z.iso.datetime({ offset: true }).safeParse(value).success

const Row = z.strictObject({
  /** What a line about the row calls it. Default: its tool. */
  name: text.optional(),
  agent: text,
  tool: text,
  args: z.record(z.string(), z.json()),
  user: z.strictObject({ id: text, role: text.nullable().default(null) }).optional(),
  /** Is the call made by a run that another one has started? */
  isSubagent: z.boolean({ error: 'takes true or false' }).default(false),
  /** When the call is made: ISO 8601, or milliseconds since 1970. Default: now. */
  at: z
    .custom<string | number>(isTime, {
      error: 'takes a time such as 2026-11-20T12:00:00Z, or milliseconds since 1970',
    })
    .optional(),
  expect: z.enum(['allow', 'warn', 'deny', 'require_approval'], {
    error: 'takes "allow", "warn", "deny" or "require_approval"',
  }),
  /** One of the codes of the decision's reasons. */
  code: text.optional(),
})

/** One expected decision. */
export type Expectation = z.output<typeof Row> & {
  /** Place in the file, from 1. */
  readonly row: number
}

/** Reads a table from JSON, or from the default export of a module. @throws Failure */
export async function readExpectations(
  cwd: string,
  file: string,
): Promise<readonly [Expectation, ...Expectation[]]> {
  const path = resolve(cwd, file)
  const value = extname(path) === '.json' ? await readJson(path) : await importDefault(path)
  if (!Array.isArray(value)) throw wrong(path, 'it holds no array of rows')
  if (value.length > rowsMax) throw wrong(path, `it has more than ${rowsMax} rows`)
  const [first, ...rest] = value.map((row: unknown, n) => readRow(path, row, n + 1))
  if (first === undefined) throw wrong(path, 'it holds no row')
  return [first, ...rest]
}

/** The failure for a row: its place and name, the field, and what is wrong with it. */
export const wrongRow = (
  path: string,
  row: { row: number; name?: unknown },
  why: string,
): Failure =>
  wrong(path, `row ${row.row}${typeof row.name === 'string' ? ` (${row.name})` : ''}, ${why}`)

function readRow(path: string, value: unknown, row: number): Expectation {
  const parsed = Row.safeParse(value, { reportInput: true })
  if (parsed.success) return { ...parsed.data, row }
  const name: unknown = typeof value === 'object' && value ? Reflect.get(value, 'name') : undefined
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') ?? ''
  const said =
    issue?.code === 'unrecognized_keys'
      ? `${issue.keys[0] ?? ''}: there is no such field; there are ${Object.keys(Row.shape).join(', ')}`
      : `${field === '' ? 'it' : `${field}:`} ${describe(issue)}`
  throw wrongRow(path, { row, name }, said)
}

function describe(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type' && issue.input === undefined) return 'is missing'
  return issue?.message ?? 'is wrong'
}

const wrong = (path: string, why: string, cause?: unknown): Failure =>
  new Failure('policy_test_invalid', `${path}: ${why}.`, { exitCode: exitCodes.usage, cause })

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw wrong(path, `it cannot be read: ${messageOf(cause)}`, cause)
  }
}

async function importDefault(path: string): Promise<unknown> {
  try {
    const module: unknown = await import(pathToFileURL(path).href)
    return typeof module === 'object' && module ? Reflect.get(module, 'default') : undefined
  } catch (cause) {
    throw wrong(path, `it cannot be read: ${messageOf(cause)}`, cause)
  }
}

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
