/** Secrets: tokens by the formats of their issuers, private keys, and values that are known by what leads to them. */
import { freeAfter, freeBefore } from '../border.ts'
import { createSearch, type Finding, type SeenText, undecided, type Watch } from '../finding.ts'
import { LeadMachine } from '../lead-machine.ts'
import { LeadScan } from '../lead-scan.ts'
import { firstMarker } from '../marker.ts'
import { matchesOf, type MatchPlace } from '../matches.ts'
import type { Guardrail } from '../part.ts'
import type { SecretsSpec } from '@signalbox/core'
import { assignedValue } from './assigned-value.ts'
import type { LedValue } from './led-value.ts'
import { entropy, looksRandom } from './randomness.ts'
import { pendingToken, tokenMax } from './secret-pending.ts'
import { hasRun } from './token-run.ts'
import { tokenShapes } from './secret-shapes.ts'
import { absorbTails, tailLength } from './secret-tail.ts'
import { SecretTailFlow } from './secret-tail-flow.ts'
import { secretValues } from './secret-values.ts'
import { toldKey } from './told-keys.ts'
import { vendorValue } from './vendor-values.ts'

/** Holds the longest token but web tokens and private keys; those are taken in piece by piece. */
const windowChars = 256

const credential = 'credential'
const none: readonly Finding[] = []

/** The name that is given a value, and the sign between them. */
const lookBack = 96

/** Looks for secrets in text and reasoning; what it takes out is marked `[redacted:<kind>]`. */
export const createSecrets = (spec: SecretsSpec): Guardrail =>
  createSearch({
    id: spec.id ?? spec.use,
    name: 'Secrets',
    window: windowChars,
    action: spec.action,
    reach: spec,
    find: (seen) => findTokens(seen).concat(findValues(seen)),
    watch: watchSecrets,
    lookBack,
    tail: () => new SecretTailFlow(),
    label: (kind) =>
      kind === credential
        ? 'a password or key'
        : (tokenShapes.find((shape) => shape.kind === kind)?.label ?? kind),
    clean: absorbTails,
    tailLength,
  })

const ledValues: readonly LedValue[] = [assignedValue, vendorValue, toldKey, ...secretValues]
const forms = ledValues.map(({ form }) => form)
let machine: LeadMachine | null = null

/** The automaton is made once, when it is first asked for. */
function scanLeads(): LeadScan {
  machine ??= new LeadMachine(ledValues.map(({ lead }) => lead))
  return new LeadScan(machine, forms)
}

function watchSecrets(): Watch {
  const leads = scanLeads()
  return {
    pending: (text, from, shown) => Math.min(pendingToken(text, from), leads.pending(text, shown)),
    values: (text, limit) => leads.values(text, limit),
    isQuiet: (text, from) => leads.isIdle && !mayHoldToken(text.slice(from)),
  }
}

/** The values behind words that lead to a secret. A marker ends one. */
function findValues({ text, values }: SeenText): readonly Finding[] {
  const led = values ?? valuesOf(text)
  if (led.length === 0) return none
  return led.flatMap(({ lead, start, end }) => {
    const unmarked = { start, end: start + firstMarker(text.slice(start, end)) }
    if (unmarked.end === start) return []
    const place = ledValues[lead]?.accept(text, unmarked)
    return place ? [{ kind: credential, ...place }] : []
  })
}

function valuesOf(text: string): NonNullable<SeenText['values']> {
  const leads = scanLeads()
  leads.pending(text, 0)
  return leads.values(text, Infinity)
}

/** Every format has a run of characters, or is a key's header; prose seldom has either. Asked first, since it costs least. */
const mayHoldToken = (text: string): boolean => hasRun(text) || text.includes('PRIVATE KEY')

/** Literals, so linear. */
const anyHint = new RegExp(
  tokenShapes
    .flatMap(({ hints, check }) =>
      hints.length > 0
        ? hints.map((hint) => hint.replaceAll(/[.+|?*()[\]$^]/g, '\\$&'))
        : (check?.source ?? []),
    )
    .join('|'),
)

function findTokens(seen: SeenText): readonly Finding[] {
  const { text } = seen
  if (!mayHoldToken(undecided(seen)) || !anyHint.test(text)) return none
  const found: Finding[] = []
  for (const shape of tokenShapes) {
    const { kind, hints, check } = shape
    const hinted = hints.length === 0 || hints.some((hint) => text.includes(hint))
    if (!hinted || check?.test(text) === false) continue
    const pattern = seen.progress ? shape.within : shape.pattern
    found.push(...matchesOf({ kind, pattern, accept: acceptToken(seen, kind) }, seen))
  }
  return found
}

/** A token that is longer than is seen at once is judged by its beginning: the rest is its tail. */
const acceptToken =
  (seen: SeenText, kind: string) =>
  (place: MatchPlace): MatchPlace | number | null => {
    if (place.end - place.start <= tokenMax) return isToken(seen, kind, place) ? place : null
    const begun = { start: place.start, end: place.start + tokenMax }
    const free = { ...seen, text: seen.text.slice(0, begun.end) }
    return isToken(free, kind, begun) ? begun : begun.end
  }

/** Their prefixes begin words of every day as well: `sk-learn`, `api_reference`. */
const mustLookRandom: ReadonlySet<string> = new Set(['openai-key', 'close-key', 'render-key'])

/** The header of a private key is its own border. */
const isToken = (seen: SeenText, kind: string, { start, end }: MatchPlace): boolean =>
  kind === 'private-key' ||
  (freeBefore(seen, start) && freeAfter(seen, end) && isMade(kind, seen.text.slice(start, end)))

/** Placeholders such as `ghp_xxxxxxxx` have the format, and hardly two letters. */
const isMade = (kind: string, token: string): boolean =>
  mustLookRandom.has(kind) ? looksRandom(token) : entropy(token) >= 2.5
