/** The runs of a box, as they are created: whose they are, and which turns answer their model. */
import { messageId } from '@signalbox/core'
import type { AppendItem, Register } from '@signalbox/engine'
import type { TestBoxError } from './box-error.ts'
import type { ModelSource } from './model-source.ts'

/** A run of the box. */
export interface KnownRun {
  readonly runId: string
  readonly agent: string
  readonly parentId: string | null
  /** Answers that the test gave for this run alone. */
  readonly source: ModelSource | null
  /** Turns that were played so far. */
  played: number
  /** The mistake of the test because of which its model gave no answer. */
  mistake: TestBoxError | null
}

/** Runs by what they are known by. */
export class KnownRuns {
  readonly #runs = new Map<string, KnownRun>()
  readonly #planned = new Map<string, ModelSource>()

  /** The run that is created under this alias is answered by this. */
  plan(alias: string, source: ModelSource): void {
    this.#planned.set(alias, source)
  }

  /** The register that notes each run before it is created: nothing of a run happens that is not known here. */
  watch(register: Register): Register {
    return {
      ...register,
      append: (item) => {
        this.#note(item)
        return register.append(item)
      },
      appendMany: (items) => {
        for (const item of items) this.#note(item)
        return register.appendMany(items)
      },
    }
  }

  /** The run whose turn writes this message. */
  writing(message: string): KnownRun | null {
    for (const run of this.#runs.values()) {
      const begin = messageId(run.runId, 0).slice(0, -1)
      if (message.startsWith(begin)) return run
    }
    return null
  }

  /** The first mistake in the answers of a run, or of a run that it has started. */
  mistakeOf(runId: string): TestBoxError | null {
    const own = this.#runs.get(runId)?.mistake
    if (own) return own
    for (const run of this.#runs.values()) {
      const found = run.parentId === runId ? this.mistakeOf(run.runId) : null
      if (found) return found
    }
    return null
  }

  #note({ runId, create }: AppendItem): void {
    if (!create || this.#runs.has(runId)) return
    const source = create.alias ? this.#planned.get(create.alias.key) : undefined
    this.#runs.set(runId, {
      runId,
      agent: create.agent,
      parentId: create.parent?.runId ?? null,
      source: source ?? null,
      played: 0,
      mistake: null,
    })
  }
}
