/** The part of a configuration that is about the server: where it listens, what it bears, whom it believes. */
import { limits } from '@signalbox/core'
import { z } from 'zod'

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'takes the name of a header')
  .refine((name) => !['authorization', 'x-api-key', 'cookie'].includes(name.toLowerCase()), {
    error: 'takes a header that holds no secret',
  })

/**
 * Headers that say who asks. They are believed: your reverse proxy sets them, and must strip what clients send of the
 * same names. Nothing about identity is ever read from a body.
 */
const Identity = z
  .strictObject({
    /** The user a run works for, and who answers approvals. */
    userHeader: HeaderName.optional(),
    /** The one role of that user. */
    roleHeader: HeaderName.optional(),
    /** The end user, where that is another; only a pseudonym of it is kept. Without it the user is the end user. */
    endUserHeader: HeaderName.optional(),
  })
  .refine(({ userHeader, endUserHeader }) => (userHeader ?? endUserHeader) !== undefined, {
    error: 'names no header; set userHeader or endUserHeader, or leave identity out',
  })
  .refine(({ userHeader, roleHeader }) => roleHeader === undefined || userHeader !== undefined, {
    path: ['roleHeader'],
    error: 'a role is the role of a user; set userHeader too',
  })

/** `server` of a configuration. */
export const ServerSection = z.strictObject({
  /** Overridden by `PORT`; 0 takes a free one. */
  port: z.number().int().min(0).max(65_535).default(7420),
  /** Overridden by `HOST`. Reachable from this machine only unless said otherwise. */
  host: z.string().min(1).default('127.0.0.1'),
  /**
   * `keys`: a key is asked for. `open`: everybody may do everything, at any address; only behind a proxy that lets in whom it
   * knows. Null: `keys` where SIGNALBOX_API_KEY or any key is there, else open on a loopback address, and no start elsewhere.
   */
  auth: z.enum(['keys', 'open']).nullable().default(null),
  /** How long a stop waits for effects in flight. Milliseconds. */
  graceMs: z.number().int().min(0).max(600_000).default(20_000),
  /** Null: the server knows no users. */
  identity: Identity.nullable().default(null),
  limits: z
    .strictObject({
      bodyBytesMax: z
        .number()
        .int()
        .min(1024)
        .max(limits.bodyBytesMax)
        .default(limits.bodyBytesMax),
      /** How long `wait` and `join` wait before they answer that the run goes on. Milliseconds. */
      waitMsMax: z.number().int().min(1000).max(86_400_000).default(3_600_000),
      /** Open event streams of this process. */
      streamsMax: z.number().int().min(1).max(100_000).default(2000),
    })
    .prefault({}),
})
export type Identity = z.output<typeof Identity>
