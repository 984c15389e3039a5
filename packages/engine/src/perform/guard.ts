/**
 * The guardrails an agent pins, over one model call and over the results of its tools. A guardrail that this process cannot
 * have is an error: the model is not asked without it.
 */
import {
  type AgentDefinition,
  createGuardrail,
  createStreamGuard,
  type Guardrail,
  type JsonObject,
  limits,
  type ModelCallEffect,
  type Redaction,
  redactResult,
  type StreamGuard,
  type StreamGuardSpec,
  type ToolOutput,
} from '@signalbox/core'
import { TerminalError } from '../errors.ts'

/** Guardrails of the user's own, by the path the configuration names; null for one this process does not have. */
export type CustomGuardrails = (spec: StreamGuardSpec) => Guardrail | null

/** Guardrails are functions of their arguments: one of each serves every call. */
const known = new WeakMap<StreamGuardSpec, Guardrail>()

function guardrailOf(spec: StreamGuardSpec, custom: CustomGuardrails): Guardrail {
  const found = known.get(spec) ?? createGuardrail(spec) ?? custom(spec)
  if (!found) throw new TerminalError('no_guardrail', `the guardrail ${spec.use} is not available`)
  known.set(spec, found)
  return found
}

/** A guard for this attempt; null if the agent has no stream guardrails. */
export function streamGuardOf(
  agent: AgentDefinition,
  effect: ModelCallEffect,
  custom: CustomGuardrails,
): StreamGuard | null {
  const { stream } = agent.guardrails
  if (stream.length === 0) return null
  return createStreamGuard({
    guardrails: stream.map((spec) => guardrailOf(spec, custom)),
    context: {
      availableTools: agent.tools.map(({ name }) => name),
      availableSkills: agent.skills,
      attempt: effect.correction,
    },
  })
}

/** What a tool answered, as it may be recorded. */
export interface CleanOutput {
  readonly output: ToolOutput
  readonly redactions: readonly Redaction[]
}

/** Redacts an output by the guardrails that look at results. Those of the user's own never do. */
export function cleanOutput(
  agent: AgentDefinition,
  output: ToolOutput,
  call: Pick<Redaction, 'callId' | 'tool'>,
): CleanOutput {
  const guardrails = resultGuards(agent)
  if (guardrails.length === 0) return { output, redactions: [] }
  try {
    return redactOutput(guardrails, output, call)
  } catch {
    // What could not be judged is not recorded.
    const text = 'The result is withheld: a guardrail could not judge it.'
    return { output: { content: [{ type: 'text', text }], isError: true }, redactions: [] }
  }
}

function redactOutput(
  guardrails: readonly Guardrail[],
  output: ToolOutput,
  call: Pick<Redaction, 'callId' | 'tool'>,
): CleanOutput {
  const found = new Map<string, Redaction>()
  const clean = <T extends string | JsonObject>(value: T): T => {
    const redacted = redactResult(value, guardrails)
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
export function cleanWords(agent: AgentDefinition, words: string): string {
  return redactResult(words, resultGuards(agent)).value
}

const resultGuards = ({ guardrails }: AgentDefinition): readonly Guardrail[] =>
  guardrails.stream
    .filter((spec) => 'toolResults' in spec && spec.toolResults)
    .map((spec) => guardrailOf(spec, () => null))
