/**
 * Guardrails over values that are no part of a stream: the arguments of a call before they are hashed and judged, the result of
 * a tool before it is recorded.
 *
 * N1 Each text is judged whole and once, with the key it stands under: `{"password": "…"}` reads like `password: …`. So is the
 *    value of a pair, `{"name": "password", "value": "…"}`.
 * N2 Keys are judged too, and numbers long enough to be one of a card or an account.
 * N3 In arguments a guardrail does what its `action` says. A result has happened: there each of them redacts.
 * N4 A value that is too deep or is no text, no number and no container stays as it is; JSON has nothing else.
 * N5 A text is judged as it means first, its escapes read, and then as it is spelt: what is found in either is taken out of the
 *    text as it is spelt, and nothing else of it changes.
 * N6 A large value is judged in steps: the process goes on with its other work between them.
 */
import type { Json, JsonObject } from '@signalbox/core'
import type { RedactedValue, TakenOut } from '@signalbox/engine'
import { type Finding, isLong, redact } from './finding.ts'
import { marker } from './marker.ts'
import type { Guardrail, Inspector } from './part.ts'
import { inSteps, type Stepwise } from './steps.ts'
import { mayBeEscaped, type Unescaped, unescapings } from './unescaped.ts'

/** The value as it may be recorded, and what was taken out of it; or the guardrail that refuses it as a whole. */
export type Inspected<T> =
  | { readonly type: 'passed'; readonly value: T; readonly taken: readonly TakenOut[] }
  /** `kinds` null: the guardrail failed itself. */
  | { readonly type: 'refused'; readonly by: Guardrail; readonly kinds: readonly string[] | null }

/** Judges the arguments of a call: the first guardrail that finds something and does not redact refuses them. */
export async function inspectArguments(
  args: JsonObject,
  guardrails: readonly Guardrail[],
): Promise<Inspected<JsonObject>> {
  const taken: TakenOut[] = []
  let value = args
  for (const guardrail of guardrails) {
    const { inspector } = guardrail
    if (!inspector?.places.arguments) continue
    const sweep = new Sweep(inspector)
    const clean = await inSteps(sweep.object(value)).catch(() => null)
    if (clean === null) return { type: 'refused', by: guardrail, kinds: null }
    if (sweep.counts.size === 0) continue
    if (inspector.action !== 'redact')
      return { type: 'refused', by: guardrail, kinds: [...sweep.counts.keys()] }
    value = clean
    taken.push(...takenBy(guardrail, sweep))
  }
  return { type: 'passed', value, taken }
}

/** Redacts a text or a value that a tool answered. Rejects with what a guardrail throws. */
export function redactResult<T extends string | JsonObject>(
  result: T,
  guardrails: readonly Guardrail[],
): Promise<RedactedValue<T>>
export async function redactResult(
  result: string | JsonObject,
  guardrails: readonly Guardrail[],
): Promise<RedactedValue<string | JsonObject>> {
  const taken: TakenOut[] = []
  let value = result
  for (const guardrail of guardrails) {
    const { inspector } = guardrail
    if (!inspector?.places.results) continue
    const sweep = new Sweep(inspector)
    value = await inSteps<string | JsonObject>(
      typeof value === 'string' ? sweep.text(value) : sweep.object(value),
    )
    taken.push(...takenBy(guardrail, sweep))
  }
  return { value, taken }
}

const takenBy = ({ id, name }: Guardrail, { counts }: Sweep): readonly TakenOut[] =>
  [...counts].map(([kind, count]) => ({ guardrail: { id, name }, kind, count }))

/** Shorter numbers are amounts and counts; the shortest payment card has twelve digits, a phone number ten. */
const numberDigitsMin = 9
/** Keys that lead to a secret or to a number of a phone: their value is read together with them. */
const leads =
  /pass|pwd|secret|token|key|credential|auth|cookie|kennwort|contraseña|clave|senha|wachtwoord|hasło|parola|şifre|парол|كلمة|รหัสผ่าน|密码|密碼|口令|パスワード|비밀번호|암호|密钥|密鑰|令牌|phone|tel|mobil|cell|fon|handy|电话|電話|手机|手機|携帯|전화|тел|هاتف/i
/** Small texts that are judged in one step, in characters of all of them. */
const stepChars = 4096
/** Of a pair: what holds the name, and what holds the value. */
const nameFields = ['name', 'key', 'header', 'variable'] as const
const valueFields: ReadonlySet<string> = new Set(['value', 'val'])

/** One guardrail over one value. */
class Sweep {
  readonly counts = new Map<string, number>()
  readonly #inspector: Inspector
  /** Characters since the last step. */
  #swept = 0

  constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  *text(text: string): Stepwise<string> {
    this.#swept += text.length + 1
    if (this.#swept > stepChars) {
      this.#swept = 0
      yield
    }
    return this.#count(
      isPlain(text) ? this.#inspector.inspect(text) : yield* inspectText(this.#inspector, text),
    )
  }

  *object(value: JsonObject): Stepwise<JsonObject> {
    const entries: [string, Json][] = []
    let isRenamed = false
    for (const [key, each] of Object.entries(value)) {
      const name = yield* this.text(key)
      isRenamed ||= name !== key
      const lead = valueFields.has(key) ? nameOfPair(value) : undefined
      entries.push([name, yield* this.#value(each, lead ?? key)])
    }
    return Object.fromEntries(isRenamed ? apart(entries) : entries)
  }

  #count({ text, kinds }: InspectedText): string {
    for (const kind of kinds) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    return text
  }

  *#value(value: Json, key: string): Stepwise<Json> {
    if (typeof value === 'string') return yield* this.#under(key, value)
    if (typeof value === 'number') return yield* this.#number(value)
    if (typeof value !== 'object' || value === null) return value
    return yield* isList(value) ? this.#list(value, key) : this.object(value)
  }

  *#under(key: string, value: string): Stepwise<string> {
    if (!leads.test(key)) return yield* this.text(value)
    const label = `${key}: `
    const inspected = yield* inspectText(this.#inspector, label + value)
    // Something that begins in the key is judged there.
    if (inspected.kinds.length === 0 || !inspected.text.startsWith(label))
      return yield* this.text(value)
    return this.#count(inspected).slice(label.length)
  }

  *#list(values: readonly Json[], key: string): Stepwise<Json> {
    const texts = values.filter((each) => typeof each === 'string')
    const isText = texts.length === values.length && texts.length > 1
    const clean: Json[] = []
    for (const each of isText ? yield* this.#lines(texts) : values)
      clean.push(yield* this.#value(each, key))
    return clean
  }

  /** A list of texts is read as their lines, too: a private key is one thing over many of them. Its marker stands in the first. */
  *#lines(texts: readonly string[]): Stepwise<readonly string[]> {
    const found = yield* this.#inspector.find(texts.join('\n'))
    let from = 0
    let at = 0
    return texts.map((text) => {
      const start = at
      at += text.length + 1
      let left = ''
      let shown = 0
      for (; from < found.length; from += 1) {
        const finding = found[from]
        if (!finding || finding.start >= start + text.length) break
        const isOver = finding.end <= start + text.length
        const isHere = finding.start >= start - 1
        if (isOver && isHere) continue
        const begin = Math.max(0, finding.start - start)
        left += text.slice(shown, begin)
        if (isHere) left += this.#count({ text: marker(finding.kind), kinds: [finding.kind] })
        shown = isOver ? Math.max(shown, finding.end - start) : text.length
        if (!isOver) break
      }
      return left + text.slice(shown)
    })
  }

  *#number(value: number): Stepwise<Json> {
    const written = String(value)
    if (written.replaceAll(/\D/g, '').length < numberDigitsMin) return value
    const clean = yield* this.text(written)
    return clean === written ? value : clean
  }
}

/** The name that a value of the pair stands under. */
const nameOfPair = (pair: JsonObject): string | undefined =>
  nameFields.map((field) => pair[field]).find((name) => typeof name === 'string')

/** Under names of their own. Two keys may become the same marker: neither value is lost. */
function apart(entries: readonly [string, Json][]): [string, Json][] {
  const taken = new Set<string>()
  /** How often a name was asked for. */
  const times = new Map<string, number>()
  return entries.map(([name, value]) => {
    let free = name
    let count = times.get(name) ?? 1
    while (taken.has(free)) {
      count += 1
      free = `${name} ${count}`
    }
    times.set(name, count)
    taken.add(free)
    return [free, value]
  })
}

interface InspectedText {
  readonly text: string
  readonly kinds: readonly string[]
}

/** Is there but one text to judge, and at once? */
const isPlain = (text: string): boolean => !isLong(text) && !mayBeEscaped(text)

/** Judges a text as it means, from the innermost escapes outwards, and as it is spelt. */
function* inspectText(inspector: Inspector, spelt: string): Stepwise<InspectedText> {
  let kinds: readonly string[] = []
  let text = spelt
  let rounds = yield* unescapings(text)
  for (let depth = rounds.length; depth > 0; depth -= 1) {
    const round = rounds[depth - 1]
    const found = round ? yield* inspector.find(round.text) : []
    if (!round || found.length === 0) continue
    const taken = takeOut(text, round, found)
    kinds = kinds.concat(taken.kinds)
    text = taken.text
    rounds = yield* unescapings(text)
  }
  const last = isLong(text)
    ? takeOut(text, { text, at: (place) => place }, yield* inspector.find(text))
    : inspector.inspect(text)
  return { text: last.text, kinds: [...kinds, ...last.kinds] }
}

/** The text as it is spelt, with markers in the place of what was found in the text as it means. */
function takeOut(spelt: string, round: Unescaped, found: readonly Finding[]): InspectedText {
  return {
    text: redact(spelt, found, (place) => round.at(place)),
    kinds: found.map(({ kind }) => kind),
  }
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value)
