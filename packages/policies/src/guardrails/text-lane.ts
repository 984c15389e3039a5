/** The stages of a chain over one kind of text: what a text becomes on its way through all of them. */
import { limits } from '@signalbox/core'
import type { AttemptContext } from '@signalbox/engine'
import type { Redacted } from './chain.ts'
import type { Guardrail } from './part.ts'
import { ReleasedText } from './released-text.ts'
import type { TextRefusal, Staged, TextStage } from './text-stage.ts'
import { WindowedStage } from './windowed-stage.ts'

/** The text that came out at the end of the lane. */
export type Flowed = Omit<Staged, 'taken'>

interface Step {
  readonly stage: TextStage
  /** Is blamed if the stage throws. */
  readonly by: Redacted['guardrail']
}

/** Guardrails with windows that follow one another see the same pieces of the text: they are one stage. */
function stepsOf(
  type: 'text' | 'reasoning',
  guardrails: readonly Guardrail[],
  context: AttemptContext,
): readonly Step[] {
  const steps: Step[] = []
  let windowed: Guardrail[] = []
  const close = (): void => {
    const [first] = windowed
    if (first) steps.push({ stage: new WindowedStage(type, windowed, context), by: nameOf(first) })
    windowed = []
  }
  for (const guardrail of guardrails) {
    if (guardrail.parts?.includes(type) === false) continue
    if (!guardrail.stage) {
      windowed.push(guardrail)
      continue
    }
    close()
    steps.push({ stage: guardrail.stage(), by: nameOf(guardrail) })
  }
  close()
  return steps
}

const nameOf = ({ id, name }: Guardrail): Redacted['guardrail'] => ({ id, name })

export class TextLane {
  readonly #steps: readonly Step[]
  readonly #taken: (taken: readonly Redacted[]) => void
  readonly released = new ReleasedText()
  /** Code units that came out of each stage. */
  readonly #chars: number[] = []
  #hasText = false

  constructor(
    type: 'text' | 'reasoning',
    guardrails: readonly Guardrail[],
    about: {
      readonly context: AttemptContext
      readonly taken: (list: readonly Redacted[]) => void
    },
  ) {
    this.#steps = stepsOf(type, guardrails, about.context)
    this.#taken = about.taken
  }

  push(text: string): Flowed {
    this.#hasText ||= text !== ''
    return this.#flow(text, null)
  }

  end(): Flowed {
    const flowed = this.#flow('', 'end')
    if (this.#hasText && flowed.refusal === null) this.released.part()
    this.#hasText = false
    return flowed
  }

  cut(): Flowed {
    this.#hasText = false
    return this.#flow('', 'cut')
  }

  /** Text that a stage let out before it refused goes on: a later stage that refuses that has refused sooner. */
  #flow(text: string, ending: 'end' | 'cut' | null): Flowed {
    let piece = text
    let close = ending
    let refusal: TextRefusal | null = null
    for (let n = 0; n < this.#steps.length; n += 1) {
      // Everything waits: nothing comes to the next one.
      if (piece === '' && close === null) break
      const staged = this.#stage(n, piece, close)
      if (staged.taken.length > 0) this.#taken(staged.taken)
      piece = staged.text
      if (staged.refusal === null) continue
      refusal = staged.refusal
      close = null
    }
    // A text that is over has one answer: what was held back when it was refused never goes out.
    const out = ending !== null && refusal !== null ? '' : piece
    this.released.add(out)
    return { text: out, refusal }
  }

  /**
   * A stage that throws ends the turn under its own name: fail-closed. So does one that makes more of a text than a turn may hold, as one
   * that answers so much at once does.
   */
  #stage(n: number, piece: string, ending: 'end' | 'cut' | null): Staged {
    const step = this.#steps[n]
    if (!step) return { text: piece, taken: [], refusal: null }
    try {
      const staged = through(step.stage, piece, ending)
      const chars = (this.#chars[n] ?? 0) + staged.text.length
      this.#chars[n] = chars
      return chars > limits.turnBytesMax ? failed(step.by) : staged
    } catch {
      return failed(step.by)
    }
  }
}

function through(stage: TextStage, piece: string, ending: 'end' | 'cut' | null): Staged {
  const pushed = stage.push(piece)
  if (ending === null || pushed.refusal !== null) return pushed
  const ended = stage[ending]()
  return {
    text: pushed.text + ended.text,
    taken: [...pushed.taken, ...ended.taken],
    refusal: ended.refusal,
  }
}

const failed = (by: Redacted['guardrail']): Staged => ({
  text: '',
  taken: [],
  refusal: { by, outcome: 'stop', feedback: 'guardrail_error' },
})
