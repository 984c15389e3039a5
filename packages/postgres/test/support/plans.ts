/** What a query really reads: a plan is judged by the rows it touches, not by the names of its nodes. */
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { z } from 'zod'

const Node = z.object({
  'Node Type': z.string(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  get Plans() {
    return z.array(Node).default([])
  },
})
type Node = z.infer<typeof Node>
const Explained = z.array(z.object({ Plan: Node })).length(1)

/** Rows that the scans of the executed plan touched, all loops together. `generic`: as a prepared statement ends up. */
export async function rowsRead(
  client: pg.Client,
  query: CompiledQuery,
  how: { readonly generic: boolean },
): Promise<number> {
  await client.query(
    `set plan_cache_mode = ${how.generic ? 'force_generic_plan' : 'force_custom_plan'}`,
  )
  await client.query(`prepare judged as ${query.sql}`)
  const values = query.parameters.map(literal).join(', ')
  const result = await client.query<{ 'QUERY PLAN': unknown }>(
    `explain (analyze, format json) execute judged${values === '' ? '' : `(${values})`}`,
  )
  await client.query('deallocate judged')
  const [explained] = Explained.parse(result.rows[0]?.['QUERY PLAN'])
  return explained === undefined ? Infinity : touched(explained.Plan)
}

function touched(node: Node): number {
  const below = node.Plans.reduce((sum, plan) => sum + touched(plan), 0)
  if (!node['Node Type'].endsWith('Scan')) return below
  const rows =
    node['Actual Rows'] + node['Rows Removed by Filter'] + node['Rows Removed by Index Recheck']
  return below + Math.ceil(rows * node['Actual Loops'])
}

function literal(value: unknown): string {
  if (Array.isArray(value))
    return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`)
  return pg.escapeLiteral(String(value))
}
