/**
 * The guardrails an agent pins, over one model call and over the results of its tools. A guardrail that this process cannot
 * have is an error: the model is not asked without it.
 */
import {
  type AgentDefinition,
  boundedRedactions,
  type ContentPart,
  type JsonObject,
  limits,
  type ModelCallEffect,
  namedSkills,
  type Redaction,
  type StreamGuardSpec,
  type ToolOutput,
} from '@signalbox/core'
import type { RedactedValue, StreamGuard, StreamGuardrails, TakenOut } from '../ports.ts'

/** A guard for this attempt; null if the agent has no stream guardrails. */
export function streamGuardOf(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  { correction }: Pick<ModelCallEffect, 'correction'>,
): StreamGuard | null {
  const { stream } = agent.guardrails
  if (stream.length === 0) return null
  return guardrails.guard(stream, {
    availableTools: agent.tools.map(({ name }) => name),
    availableSkills: namedSkills(agent),
    attempt: correction,
  })
}

/** A call of a tool. */
type Called = Pick<Redaction, 'callId' | 'tool'>

/** The answer of a tool, and to which call. */
export interface ToolAnswer extends Called {
  readonly output: ToolOutput
}

/** The answer of a tool, as it may be recorded. */
export interface CleanOutput {
  readonly output: ToolOutput
  readonly redactions: readonly Redaction[]
}

/** Redacts an output by the guardrails that look at results. Those of the user's own never do. */
export async function cleanOutput(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  answer: ToolAnswer,
): Promise<CleanOutput> {
  const specs = resultGuards(agent)
  if (specs.length === 0) return { output: answer.output, redactions: [] }
  try {
    return await redactOutput(guardrails, specs, answer)
  } catch {
    // A result that could not be judged is not recorded.
    const text = 'The result is withheld: a guardrail could not judge it.'
    return { output: { content: [{ type: 'text', text }], isError: true }, redactions: [] }
  }
}

async function redactOutput(
  guardrails: StreamGuardrails,
  specs: readonly StreamGuardSpec[],
  { output, ...call }: ToolAnswer,
): Promise<CleanOutput> {
  const redact = <T extends string | JsonObject>(value: T) => guardrails.redact(value, specs)
  const named = await redactNames(output.content, redact)
  const { content, taken } = await redactContent(named.content, redact)
  const structured = output.structured && (await redact(output.structured))
  const redactions = redactionsOf([...named.taken, ...taken, ...(structured?.taken ?? [])], call)
  const clean = structured ? { structured: structured.value } : {}
  return { output: { ...output, content, ...clean }, redactions }
}

/** The names of images are words of the tool as well. */
async function redactNames(
  content: readonly ContentPart[],
  redact: (text: string) => Promise<RedactedValue<string>>,
): Promise<{ readonly content: readonly ContentPart[]; readonly taken: readonly TakenOut[] }> {
  const clean: ContentPart[] = []
  const taken: TakenOut[] = []
  for (const part of content) {
    const name = part.type === 'image' && part.name ? await redact(part.name) : null
    taken.push(...(name?.taken ?? []))
    const value = name?.value.slice(0, limits.fileNameCharsMax) ?? ''
    clean.push(name && part.type === 'image' ? { ...part, name: value } : part)
  }
  return { content: clean, taken }
}

/** So many characters of several texts are judged before others have their turn. */
const stepChars = 65_536

/**
 * The texts of a result, each by itself: unless more is taken out where they stand one behind the other, as whoever reads them reads
 * them. Then they are one text.
 */
async function redactContent(
  content: readonly ContentPart[],
  redact: (text: string) => Promise<RedactedValue<string>>,
): Promise<{ readonly content: ContentPart[]; readonly taken: readonly TakenOut[] }> {
  const apart: { part: ContentPart; text: string; taken: readonly TakenOut[] }[] = []
  let judged = 0
  for (const part of content) {
    const redacted = part.type === 'text' ? await redact(part.text) : null
    apart.push({ part, text: redacted?.value ?? '', taken: redacted?.taken ?? [] })
    judged += part.type === 'text' ? part.text.length : 0
    // Many short texts are as much work as a long one, and none of them makes room for others.
    if (judged < stepChars) continue
    judged = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
  const taken = apart.flatMap((each) => each.taken)
  const chars = apart.reduce((sum, { text }) => sum + text.length, 0)
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  for (const between of texts.length < 2 ? [] : ['\n', '']) {
    const joined = await redact(texts.join(between))
    const left = joined.value.length - between.length * (texts.length - 1)
    // Nothing between them: what stands behind a token would belong to it.
    const isLess = between !== '' && left < chars
    if (countOf(joined.taken) <= countOf(taken) && !isLess) continue
    const others = content.filter(({ type }) => type !== 'text')
    return { content: [{ type: 'text', text: joined.value }, ...others], taken: joined.taken }
  }
  const clean = apart.map(({ part, text }) => (part.type === 'text' ? { ...part, text } : part))
  return { content: clean, taken }
}

const countOf = (taken: readonly TakenOut[]): number =>
  taken.reduce((sum, { count }) => sum + count, 0)

/** The redactions of a result, each kind of each guardrail once. */
function redactionsOf(taken: readonly TakenOut[], call: Called): readonly Redaction[] {
  const found = new Map<string, Redaction>()
  for (const { guardrail, kind, count } of taken) {
    const key = `${guardrail.id} ${kind}`
    const before = found.get(key)?.count ?? 0
    found.set(key, { guardrail, kind, place: 'result', ...call, count: before + count })
  }
  return boundedRedactions([...found.values()])
}

/** Words of a tool, as they may be recorded or shown. */
export interface CleanWords {
  readonly words: string
  readonly redactions: readonly Redaction[]
}

/** The words of a tool that failed, held to the same rule. */
export async function cleanWords(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  { words, ...call }: Called & { readonly words: string },
): Promise<CleanWords> {
  const specs = resultGuards(agent)
  if (specs.length === 0) return { words, redactions: [] }
  try {
    const { value, taken } = await guardrails.redact(words, specs)
    return { words: value, redactions: redactionsOf(taken, call) }
  } catch {
    return { words: 'The error is withheld: a guardrail could not judge it.', redactions: [] }
  }
}

const resultGuards = ({ guardrails }: AgentDefinition): readonly StreamGuardSpec[] =>
  guardrails.stream.filter((spec) => 'toolResults' in spec && spec.toolResults)

/** A note of a tool while it runs, held to the same rule; null if it cannot be judged. Nothing is recorded of it. */
export async function cleanNote(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  note: string,
): Promise<string | null> {
  const specs = resultGuards(agent)
  if (specs.length === 0) return note
  try {
    return (await guardrails.redact(note, specs)).value
  } catch {
    return null
  }
}

/** Does a guardrail of the agent look at results? */
export const looksAtResults = (agent: AgentDefinition): boolean => resultGuards(agent).length > 0
