/** The part of a configuration that is about webhooks: who is told of runs, and where webhooks may go. */
import { limits, Outcome, WebhookMoment } from '@signalbox/core'
import { z } from 'zod'
import { rangeOf } from '../webhooks/reach.ts'
import { EnvName, HttpAddress } from './references.ts'

/** Two at most are live: the one that is going, and the one that is coming. */
const Secrets = z.union([EnvName, z.array(EnvName).min(1).max(2)])

const hostName = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})$/

const Opened = z.string().refine((text) => rangeOf(text) !== null || hostName.test(text), {
  error: 'takes the name of a host, an address, or a range such as 10.0.0.0/8',
})

const Endpoint = z
  .strictObject({
    url: HttpAddress.optional(),
    /** Name of the environment variable that holds the address, for one that holds a token. */
    urlEnv: EnvName.optional(),
    /** Of what it is told: how a run ended, or `waiting` for a human. */
    on: z
      .array(WebhookMoment)
      .min(1)
      .default([...Outcome.options]),
    /** Of whose runs it is told. Absent: of every agent's. */
    agents: z.array(z.string()).min(1).optional(),
    /** As `webhooks.secretEnv`, for this address alone. */
    secretEnv: Secrets.optional(),
  })
  .refine(({ url, urlEnv }) => (url === undefined) !== (urlEnv === undefined), {
    error: 'takes url or urlEnv, one of the two',
  })

/** One of them is left to the run's own. */
const endpointsMax = limits.webhooksMax - 1

const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'takes 1 to 64 of A-Z a-z 0-9 . _ -')

/** `webhooks` of a configuration. */
export const WebhooksSection = z.strictObject({
  /** Names of the environment variables that hold the secrets, two at most; each signs. */
  secretEnv: Secrets.default('SIGNALBOX_WEBHOOK_SECRET'),
  /** Hosts, addresses and ranges that may be reached although they are not public, and by http. */
  allow: z.array(Opened).max(100).default([]),
  /** Who is told of every run. */
  endpoints: z
    .record(Name, Endpoint)
    .default({})
    .refine((endpoints) => Object.keys(endpoints).length <= endpointsMax, {
      error: `takes at most ${endpointsMax} endpoints`,
    }),
})
export type WebhooksSection = z.output<typeof WebhooksSection>
