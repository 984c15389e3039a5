/** In which form events are wanted: by `format`, which browsers can write into an address, or by the Accept header. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'

/** Media types by the name of the format. */
export const mediaTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
} as const

/** A form in which events are answered. */
export type Format = keyof typeof mediaTypes

/** The parameter. */
export const FormatName = z.enum(['json', 'ndjson', 'csv', 'parquet']).optional()

/** The first that the Accept header names and we have; JSON without one. */
export function formatOf(c: Context, named: Format | undefined): Format {
  if (named !== undefined) return named
  const accepted = (c.req.header('accept') ?? '')
    .split(',')
    .map((range) => range.split(';')[0]?.trim().toLowerCase())
  for (const range of accepted)
    for (const name of FormatName.unwrap().options) if (mediaTypes[name] === range) return name
  return 'json'
}
