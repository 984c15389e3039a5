import { z } from 'zod'

/** Any JSON value. What cannot be written as JSON never enters the register. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

/** A JSON object. Payloads of events, arguments of calls and provider metadata have this shape. */
export type JsonObject = { readonly [key: string]: Json }

/** Checks any JSON value. */
export const JsonSchema: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(JsonSchema),
    z.record(z.string(), JsonSchema),
  ]),
)

/** Checks a JSON object. */
export const JsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), JsonSchema)
