/**
 * The guardrails an agent pins, over one model call and over the results of its tools. A guardrail that this process cannot
 * have is an error: the model is not asked without it.
 */
import {
  type AgentDefinition,
  type JsonObject,
  limits,
  type ModelCallEffect,
  type Redaction,
  type StreamGuardSpec,
  type ToolOutput,
} from '@signalbox/core'
import type { StreamGuard, StreamGuardrails } from '../ports.ts'

/** A guard for this attempt; null if the agent has no stream guardrails. */
export function streamGuardOf(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  effect: ModelCallEffect,
): StreamGuard | null {
  const { stream } = agent.guardrails
  if (stream.length === 0) return null
  return guardrails.guard(stream, {
    availableTools: agent.tools.map(({ name }) => name),
    availableSkills: agent.skills,
    attempt: effect.correction,
  })
}

/** What a tool answered, and to which call. */
export interface ToolAnswer extends Pick<Redaction, 'callId' | 'tool'> {
  readonly output: ToolOutput
}

/** What a tool answered, as it may be recorded. */
export interface CleanOutput {
  readonly output: ToolOutput
  readonly redactions: readonly Redaction[]
}

/** Redacts an output by the guardrails that look at results. Those of the user's own never do. */
export function cleanOutput(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  answer: ToolAnswer,
): CleanOutput {
  const specs = resultGuards(agent)
  if (specs.length === 0) return { output: answer.output, redactions: [] }
  try {
    return redactOutput(guardrails, specs, answer)
  } catch {
    // What could not be judged is not recorded.
    const text = 'The result is withheld: a guardrail could not judge it.'
    return { output: { content: [{ type: 'text', text }], isError: true }, redactions: [] }
  }
}

function redactOutput(
  guardrails: StreamGuardrails,
  specs: readonly StreamGuardSpec[],
  { output, ...call }: ToolAnswer,
): CleanOutput {
  const found = new Map<string, Redaction>()
  const clean = <T extends string | JsonObject>(value: T): T => {
    const redacted = guardrails.redact(value, specs)
    for (const { guardrail, kind, count } of redacted.taken) {
      const before = found.get(`${guardrail.id} ${kind}`)?.count ?? 0
      const redaction = {
        guardrail,
        kind,
        place: 'result' as const,
        ...call,
        count: before + count,
      }
      found.set(`${guardrail.id} ${kind}`, redaction)
    }
    return redacted.value
  }
  const content = output.content.map((part) =>
    part.type === 'text' ? { ...part, text: clean(part.text) } : part,
  )
  const structured = output.structured && { structured: clean(output.structured) }
  const redactions = [...found.values()].slice(0, limits.redactionsMax)
  return { output: { ...output, content, ...structured }, redactions }
}

/** The words of a tool that failed, held to the same rule. */
export function cleanWords(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  words: string,
): string {
  const specs = resultGuards(agent)
  if (specs.length === 0) return words
  try {
    return guardrails.redact(words, specs).value
  } catch {
    return 'The error is withheld: a guardrail could not judge it.'
  }
}

const resultGuards = ({ guardrails }: AgentDefinition): readonly StreamGuardSpec[] =>
  guardrails.stream.filter((spec) => 'toolResults' in spec && spec.toolResults)
