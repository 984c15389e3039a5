/**
 * Agents of the governance bench: the same run under each kind of governance, passed by all of it. The model is scripted
 * and answers without a network, but through the real provider package, for that is where stream guardrails stand.
 */
import { AgentDefinition, type StreamGuardSpec } from '@signalbox/core'
import { createModels } from '@signalbox/models'
import type { z } from 'zod'
import { lookUpSpec } from './world.ts'

export const variantNames = ['none', 'stream guardrails', 'pure providers', 'all'] as const
export type VariantName = (typeof variantNames)[number]

/** One run: ten model turns, and a tool call after each but the last. */
const turns = 10

/** What the model says in each turn: nothing to object to, but digits, quotes and long words to look at. */
export const ordinaryText =
  'The order was placed on 12 March 2026 and paid the same day; the token of the session had expired, so the key was ' +
  'asked for again. "Is that all?" she said: 3 items, 2 boxes, and a note to the driver (see page 14 of the manual). '

/** A provider package streams pieces of this many characters: about a word and a half. */
export const pieceChars = 8

const bannedTerms = Array.from({ length: 100 }, (_, n) => `forbidden phrase ${n}`)

/** Where they look besides what the model says. */
const reach = { arguments: true, toolResults: true }

/** Personal data, secrets, and a list of banned terms. */
export const streamGuards: z.input<typeof StreamGuardSpec>[] = [
  { use: 'pii', ...reach },
  { use: 'secrets', ...reach },
  { use: 'banned-terms', terms: bannedTerms, ...reach },
]

const passport = {
  passport_id: '7c9a1f8e-6d9a-4f4c-9b6f-0d6d3f0f1a11',
  kind: 'instance',
  spec_version: 'oap/1.0',
  owner_id: 'org_bench',
  owner_type: 'org',
  assurance_level: 'L2',
  status: 'active',
  capabilities: [{ id: 'web.fetch' }],
  limits: { 'web.fetch': { allowed_domains: ['example.com', 'example.org'] } },
  regions: ['DE'],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  version: '1.0.0',
}

const policies = [
  { use: 'allowlist' as const, id: 'list', allowedTools: [lookUpSpec.name] },
  {
    use: 'passport' as const,
    id: 'passport',
    passport,
    capabilities: { [lookUpSpec.name]: 'web.fetch' },
  },
]

export function governedAgent(variant: VariantName): AgentDefinition {
  const stream = variant === 'stream guardrails' || variant === 'all' ? streamGuards : []
  const judged = variant === 'pure providers' || variant === 'all'
  return AgentDefinition.parse({
    name: `bench ${variant}`,
    model: { provider: 'scripted', model: 'governed' },
    instructions: 'Look numbers up.',
    tools: [lookUpSpec],
    guardrails: { stream, policies: judged ? policies : [] },
    limits: { maxTurns: turns + 1, maxToolCalls: turns },
  })
}

/** The production model port, over a script. */
export const scriptedModels = () =>
  createModels({
    env: {},
    scripts: {
      governed: (_prompt, turn) => {
        const call = {
          name: lookUpSpec.name,
          args: { n: turn, url: `https://api.example.com/${turn}` },
        }
        const calls = turn + 1 < turns ? { calls: [call] } : {}
        return { text: ordinaryText, chunkSize: pieceChars, ...calls }
      },
    },
  })
