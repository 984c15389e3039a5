/** Limits that runs share: how many may be at work at once, how many may start in a time, for everybody who counts as one. */
import { type Lane, uuidOf } from '@signalbox/engine'
import { z } from 'zod'

/** What is told apart. Tenants always are. */
const Per = z.enum(['agent', 'user'])

const LaneRule = z
  .strictObject({
    /** Each agent, each user, each user of each agent; empty: all runs of the tenant together. */
    per: z.array(Per).max(2).default([]),
    /** Only runs of these agents count. Default: of all. */
    agents: z.array(z.string().min(1).max(64)).min(1).max(100).optional(),
    /** Runs at work at once. The others wait. */
    concurrency: z.number().int().min(1).max(100_000).optional(),
    /** Runs that may start within a time. The others wait. */
    rate: z
      .strictObject({
        /** How many. */
        runs: z.number().int().min(1).max(1_000_000),
        /** Within this time. */
        perSeconds: z
          .number()
          .int()
          .min(1)
          .max(30 * 24 * 3600),
      })
      .optional(),
  })
  .refine(({ concurrency, rate }) => concurrency !== undefined || rate !== undefined, {
    error: 'limits nothing; set concurrency or rate',
  })

/** `runLimits` of a configuration. At most seven: a run stands under all that are meant for it. */
export const LaneRules = z.array(LaneRule).max(7).default([])
export type LaneRules = z.output<typeof LaneRules>

/** Who asks for a run of which agent. */
export interface LaneRequest {
  readonly agent: string
  readonly actor: string
  readonly user?: { readonly id: string }
  readonly endUser?: string
}

/** The limits that a run stands under. An end user, or else a user, or else the key it was created with, is one user. */
export function lanesOf(
  rules: LaneRules,
  { agent, actor, user, endUser }: LaneRequest,
): readonly Lane[] {
  const who = { agent, user: endUser ?? user?.id ?? actor }
  return rules
    .filter(({ agents }) => agents?.includes(agent) ?? true)
    .map(({ per, agents, concurrency, rate }): Lane => {
      const parts = [...new Set(per)].toSorted().map((each) => `${each}=${who[each]}`)
      const of = agents ? [`of=${agents.toSorted().join(',')}`] : []
      return {
        // Two rules of the same meaning are two limits: a key says what is limited, too.
        key: keyOf([concurrency === undefined ? 'rate' : 'runs', ...of, ...parts].join(' ')),
        ...(concurrency === undefined ? {} : { most: concurrency }),
        ...(rate ? { rate: rate.runs, perMs: rate.perSeconds * 1000 } : {}),
      }
    })
}

const keyCharsMax = 500

/** Names are short; what is longer all the same is told apart by its digest. */
const keyOf = (text: string): string => (text.length > keyCharsMax ? uuidOf(text) : text)
