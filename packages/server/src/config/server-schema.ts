/** The part of a configuration that is about the server: where it listens, what it bears, whom it believes. */
import { limits } from '@signalbox/core'
import { z } from 'zod'
import { readHost } from '../http/hosts.ts'
import { originNamed } from '../http/origins.ts'
import { rangeOf } from '../webhooks/reach.ts'
import { isAddressText } from './references.ts'

const HeaderName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'takes the name of a header')

const OpenHeaderName = HeaderName.refine(
  (name) => !['authorization', 'x-api-key', 'cookie'].includes(name.toLowerCase()),
  { error: 'takes a header that holds no secret' },
)

const HostName = z.string().refine((text) => readHost(text) !== null, {
  error: 'takes a host such as "signalbox.example.com", or with its port "api:7420"',
})

const Origin = z.string().refine((text) => originNamed(text) !== null, {
  error:
    'takes the origin of a page such as "https://chat.example.com", without a path, or of every port "http://localhost:*"',
})

const PublicUrl = z.string().refine((text) => isAddressText(text) && !/[?#]/.test(text), {
  error: 'takes an address such as "https://agents.example.com", without a query',
})

const Proxy = z.string().refine((text) => rangeOf(text) !== null, {
  error: 'takes an address, or a range such as 10.0.0.0/8',
})

/** Of one list. */
const namesMax = 100

/**
 * Headers that say who asks. They are believed: your reverse proxy sets them, and must strip what clients send of the
 * same names. Nothing about identity is ever read from a body.
 */
const Identity = z
  .strictObject({
    /** The user a run works for, and who answers approvals. */
    userHeader: OpenHeaderName.optional(),
    /** The one role of that user. */
    roleHeader: OpenHeaderName.optional(),
    /** The end user, where that is another; only a pseudonym of it is kept. Without it the user is the end user. */
    endUserHeader: OpenHeaderName.optional(),
  })
  .refine(({ userHeader, endUserHeader }) => (userHeader ?? endUserHeader) !== undefined, {
    error: 'names no header; set userHeader or endUserHeader, or leave identity out',
  })
  .refine(({ userHeader, roleHeader }) => roleHeader === undefined || userHeader !== undefined, {
    path: ['roleHeader'],
    error: 'a role is the role of a user; set userHeader too',
  })

export type Identity = z.output<typeof Identity>

const isOfIdentity = (identity: Identity | null) => (header: string) =>
  [identity?.userHeader, identity?.roleHeader, identity?.endUserHeader].some(
    (name) => name?.toLowerCase() === header.toLowerCase(),
  )

/** `server` of a configuration. */
export const ServerSection = z
  .strictObject({
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
    /**
     * How long a connection may be idle between two requests. Milliseconds. Longer than what stands in front keeps one: else it sends a request on a
     * connection that is just being closed, and answers 502.
     */
    keepAliveMs: z.number().int().min(1000).max(3_600_000).default(75_000),
    /**
     * Names that this server is asked by, besides those of this machine and the address that it listens on: `chat.example.com`, or one port of it `api:7420`. Where
     * no key is asked for, any other `Host` is refused.
     */
    hosts: z.array(HostName).max(namesMax).default([]),
    /** Origins whose pages count as the server's own, as where a proxy changes the `Host`. Where no key is asked for, and for WebSockets, any other is refused. */
    origins: z.array(Origin).max(namesMax).default([]),
    /** The address under which clients reach this server, where it says its own: in cards of A2A. Also one of its hosts, and of its origins. Null: as it was asked. */
    publicUrl: PublicUrl.nullable().default(null),
    /** Proxies whose `X-Forwarded-Proto`, `-Host` and `-Prefix` are believed for the same: addresses, and ranges of them. */
    proxies: z.array(Proxy).max(namesMax).default([]),
    /** Pages of other origins that may call the API. */
    cors: z
      .strictObject({
        /** Origins whose pages may call the API and read its answers, never with cookies. Null: pages of this machine in `dev`, none in `serve`. */
        origins: z.array(Origin).max(namesMax).nullable().default(null),
        /** Headers that such pages may send, besides those that clients of the API send. */
        headers: z.array(HeaderName).max(namesMax).default([]),
        /** Headers of answers that such pages may read, besides those of the API. */
        expose: z.array(HeaderName).max(namesMax).default([]),
      })
      .prefault({}),
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
  .refine(({ identity, cors }) => !cors.headers.some(isOfIdentity(identity)), {
    path: ['cors', 'headers'],
    error: 'takes no header of server.identity: a page could say who asks',
  })
