/** A command as it comes, and what its handlers are given. */
import { z } from '@hono/zod-openapi'
import type { Api, Identified } from '../../../http/api.ts'
import { Problem } from '../../../http/problem.ts'

/** Parameters are looked at by the command that takes them. */
export const ProtocolCommand = z
  .object({
    id: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    method: z.string().min(1).max(100),
    params: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((params) => params ?? {}),
  })
  .openapi('ProtocolCommand')
export type ProtocolCommand = z.output<typeof ProtocolCommand>

export interface CommandRequest {
  readonly api: Api
  readonly caller: Identified
  readonly threadId: string
  readonly idempotencyKey: string | undefined
  readonly params: Readonly<Record<string, unknown>>
}

/** Answers the `result` of the command. @throws Problem where it is refused */
export type Handler = (asked: CommandRequest) => Promise<Readonly<Record<string, unknown>>>

/** Parameters as a command takes them. @throws Problem that names the first that is wrong */
export function take<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const taken = schema.safeParse(params)
  if (taken.success) return taken.data
  const [issue] = taken.error.issues
  const field = ['params', ...(issue?.path ?? [])].join('.')
  const isAway = issue?.code === 'custom' && issue.params?.['code'] === 'not_available'
  throw new Problem(isAway ? 'not_available' : 'invalid_request', {
    detail: `${field}: ${issue?.message ?? 'is not as it should be'}`,
    field,
  })
}
