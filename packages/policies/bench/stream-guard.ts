/**
 * Measures what stream guardrails cost: a megabyte of ordinary text in deltas of four code units, through personal
 * data, secrets and banned terms. Prints JSON, in nanoseconds per code unit, median of five.
 *
 * Run: node packages/policies/bench/stream-guard.ts
 */
import { createGuardrail } from '../src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../src/guardrails/create-stream-guard.ts'
import { StreamGuardSpec } from '@signalbox/core'

const paragraph =
  'The order was placed on 12 March 2026 and paid the same day; the token of the session had expired, so the key was ' +
  'asked for again. "Is that all?" she said: 3 items, 2 boxes, and a note to the driver (see page 14 of the manual). ' +
  'const total = items.reduce((sum, item) => sum + item.price, 0) // 1999 in the example. Nothing else was found. '
const text = paragraph.repeat(Math.ceil(1_000_000 / paragraph.length)).slice(0, 1_000_000)

const specs = {
  pii: { use: 'pii' },
  secrets: { use: 'secrets' },
  bannedTerms: {
    use: 'banned-terms',
    terms: Array.from({ length: 100 }, (_, n) => `forbidden phrase ${n}`),
  },
}

function measure(...names: readonly (keyof typeof specs)[]): number {
  const guardrails = names.flatMap(
    (name) => createGuardrail(StreamGuardSpec.parse(specs[name])) ?? [],
  )
  const times = Array.from({ length: 5 }, () => {
    const context = { availableTools: [], availableSkills: [], attempt: 0 }
    const guard = createStreamGuard({ guardrails, context })
    const begin = performance.now()
    let out = 0
    for (let at = 0; at < text.length; at += 4) {
      const guarded = guard.push('text', text.slice(at, at + 4))
      if (guarded.type === 'released') out += guarded.text.length
    }
    const end = guard.end('text')
    if (end.type !== 'released' || out + end.text.length !== text.length)
      throw new Error('ordinary text was changed')
    return ((performance.now() - begin) * 1e6) / text.length
  })
  return Math.round(times.toSorted((a, b) => a - b)[2] ?? 0)
}

console.log(
  JSON.stringify(
    {
      none: measure(),
      pii: measure('pii'),
      secrets: measure('secrets'),
      bannedTerms: measure('bannedTerms'),
      all: measure('pii', 'secrets', 'bannedTerms'),
    },
    null,
    2,
  ),
)
