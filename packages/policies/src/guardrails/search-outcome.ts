/** The outcome for a text in which something was found. */
import type { Search } from './finding.ts'
import type { TextRefusal } from './text-stage.ts'

/** Takes in what belongs to a thing that was found and goes on behind its marker. */
export interface TailFlow {
  /** Text that stands there: what of it goes out now. */
  text(text: string): string
  /** Something of this kind stands there: its marker, behind what had waited. */
  found(kind: string): string
  /** Nothing follows: what had waited. */
  end(): string
}

/** The reason of a stop: kinds, never what was found. */
export const foundKinds = (kinds: readonly string[]): string => `found: ${kinds.join(', ')}`

/** The words of a guardrail that does not let a text go on. Kinds, never what was found. */
export function guardrailRefusal(
  search: Pick<Search, 'id' | 'name' | 'label'>,
  outcome: 'fail' | 'stop',
  kinds: readonly string[],
): TextRefusal {
  const { id, name, label } = search
  const feedback =
    outcome === 'stop'
      ? foundKinds(kinds)
      : `I was about to write ${kinds.map((kind) => label(kind)).join(', ')}, which I must not do here. ` +
        'I will answer again without it.'
  return { by: { id, name }, outcome, feedback }
}
