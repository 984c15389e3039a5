/** The stage of guardrails that say how much they must see at once, and nothing more: they are shown the text in steps, with a window. */
import { limits } from '@signalbox/core'
import type { AttemptContext } from '@signalbox/engine'
import { type Redacted, runGuardrailChain } from './chain.ts'
import { HeldText } from './held-text.ts'
import type { Guardrail } from './part.ts'
import type { TextRefusal, Staged, TextStage } from './text-stage.ts'

const windowMax = 1024

export class WindowedStage implements TextStage {
  readonly #type: 'text' | 'reasoning'
  readonly #guardrails: readonly Guardrail[]
  readonly #context: AttemptContext
  readonly #held: HeldText
  #taken: Redacted[] = []
  #refusal: TextRefusal | null = null
  /** By how much the guardrails made the text longer. */
  #grown = 0

  constructor(
    type: 'text' | 'reasoning',
    guardrails: readonly Guardrail[],
    context: AttemptContext,
  ) {
    this.#type = type
    this.#guardrails = guardrails
    this.#context = context
    this.#held = new HeldText(Math.max(0, ...guardrails.map(windowOf)))
  }

  push(text: string): Staged {
    return this.#staged(this.#held.push(text, this.#judge))
  }

  end(): Staged {
    return this.#staged(this.#held.end(this.#judge))
  }

  cut(): Staged {
    return this.#staged(this.#held.cut(this.#judge))
  }

  #staged(text: string): Staged {
    const taken = this.#taken
    this.#taken = []
    return { text, taken, refusal: this.#refusal }
  }

  readonly #judge = (text: string, last: boolean): string | null => {
    const context = { ...this.#context, released: this.#held.released, last }
    const part = { type: this.#type, text }
    const { result, by, redacted } = runGuardrailChain(part, this.#guardrails, context)
    this.#taken.push(...redacted)
    if (result.type === 'pass')
      return 'text' in result.part ? this.#bounded(text, result.part.text) : null
    const feedback = result.type === 'fail' ? result.feedback : (result.reason ?? '')
    if (by) this.#refusal = { by, outcome: result.type, feedback }
    return null
  }

  /** Guardrails that add to each piece make more of a text than a turn may hold, and memory ends before the text does. */
  #bounded(text: string, passed: string): string | null {
    this.#grown += passed.length - text.length
    if (this.#grown <= limits.turnBytesMax) return passed
    const [first] = this.#guardrails
    if (first) {
      const by = { id: first.id, name: first.name }
      this.#refusal = { by, outcome: 'stop', feedback: 'guardrail_error' }
    }
    return null
  }
}

const windowOf = ({ window = 0 }: Guardrail): number =>
  Number.isInteger(window) ? Math.min(Math.max(window, 0), windowMax) : windowMax
