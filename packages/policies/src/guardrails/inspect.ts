/**
 * Guardrails over values that are no part of a stream: the arguments of a call before they are hashed and judged, the result of
 * a tool before it is recorded.
 *
 * N1 Each text is judged whole and once, with the key it stands under: `{"password": "…"}` reads like `password: …`.
 * N2 Keys are judged too, and numbers long enough to be one of a card or an account.
 * N3 In arguments a guardrail does what its `action` says. A result has happened: there each of them redacts.
 * N4 What is too deep or is no text, no number and no container stays as it is; JSON has nothing else.
 */
import type { Json, JsonObject } from '@signalbox/core'
import type { RedactedValue, TakenOut } from '@signalbox/engine'
import type { Guardrail, Inspector } from './part.ts'

/** The value as it may be recorded, and what was taken out of it; or the guardrail that refuses it as a whole. */
export type Inspected<T> =
  | { readonly type: 'passed'; readonly value: T; readonly taken: readonly TakenOut[] }
  /** `kinds` null: the guardrail failed itself. */
  | { readonly type: 'refused'; readonly by: Guardrail; readonly kinds: readonly string[] | null }

/** Judges the arguments of a call: the first guardrail that finds something and does not redact refuses them. */
export function inspectArguments(
  args: JsonObject,
  guardrails: readonly Guardrail[],
): Inspected<JsonObject> {
  const taken: TakenOut[] = []
  let value = args
  for (const guardrail of guardrails) {
    const { inspector } = guardrail
    if (!inspector?.places.arguments) continue
    const sweep = new Sweep(inspector)
    const clean = attempt(() => sweep.object(value))
    if (clean === null) return { type: 'refused', by: guardrail, kinds: null }
    if (sweep.counts.size === 0) continue
    if (inspector.action !== 'redact')
      return { type: 'refused', by: guardrail, kinds: [...sweep.counts.keys()] }
    value = clean
    taken.push(...takenBy(guardrail, sweep))
  }
  return { type: 'passed', value, taken }
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

/** Redacts a text or a value that a tool answered. Throws what a guardrail throws. */
export function redactResult<T extends string | JsonObject>(
  result: T,
  guardrails: readonly Guardrail[],
): RedactedValue<T>
export function redactResult(
  result: string | JsonObject,
  guardrails: readonly Guardrail[],
): RedactedValue<string | JsonObject> {
  const taken: TakenOut[] = []
  let value = result
  for (const guardrail of guardrails) {
    const { inspector } = guardrail
    if (!inspector?.places.results) continue
    const sweep = new Sweep(inspector)
    value = typeof value === 'string' ? sweep.text(value) : sweep.object(value)
    taken.push(...takenBy(guardrail, sweep))
  }
  return { value, taken }
}

const takenBy = ({ id, name }: Guardrail, { counts }: Sweep): readonly TakenOut[] =>
  [...counts].map(([kind, count]) => ({ guardrail: { id, name }, kind, count }))

/** Shorter numbers are amounts and counts; the shortest payment card has twelve digits, a phone number ten. */
const numberDigitsMin = 9
/** Keys that name a secret: their value is read together with them. */
const namesSecret = /pass|pwd|secret|token|key|credential|auth/i

/** One guardrail over one value. */
class Sweep {
  readonly counts = new Map<string, number>()
  readonly #inspector: Inspector

  constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  text(text: string): string {
    const { text: clean, kinds } = this.#inspector.inspect(text)
    for (const kind of kinds) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    return clean
  }

  object(value: JsonObject): JsonObject {
    const entries: [string, Json][] = []
    const keys = new Set<string>()
    for (const [key, each] of Object.entries(value)) {
      const name = this.#free(this.text(key), keys)
      keys.add(name)
      entries.push([name, this.#value(each, key)])
    }
    return Object.fromEntries(entries)
  }

  /** Two keys may become the same marker: neither value is lost. */
  #free(name: string, taken: ReadonlySet<string>): string {
    let free = name
    for (let n = 2; taken.has(free); n += 1) free = `${name} ${n}`
    return free
  }

  #value(value: Json, key: string): Json {
    if (typeof value === 'string') return this.#under(key, value)
    if (typeof value === 'number') return this.#number(value)
    if (typeof value !== 'object' || value === null) return value
    return isList(value) ? value.map((each) => this.#value(each, key)) : this.object(value)
  }

  #under(key: string, value: string): string {
    if (!namesSecret.test(key)) return this.text(value)
    const label = `${key}: `
    const { text, kinds } = this.#inspector.inspect(label + value)
    // Something that begins in the key is judged there.
    if (kinds.length === 0 || !text.startsWith(label)) return this.text(value)
    for (const kind of kinds) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    return text.slice(label.length)
  }

  #number(value: number): Json {
    const written = String(value)
    if (written.replaceAll(/\D/g, '').length < numberDigitsMin) return value
    const clean = this.text(written)
    return clean === written ? value : clean
  }
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value)
