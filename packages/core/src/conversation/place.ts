/** Where something was said, so that a moment of the log can be found in a conversation of many runs. */

/** The how-manieth run of the conversation, from 1, and the number of the event in its log. */
export interface SaidAt {
  readonly run: number
  readonly seq: number
}

/** Before everything. */
export const nowhere: SaidAt = { run: 0, seq: 0 }

/** Is the first place before the second, or the same? */
export const isThrough = (place: SaidAt, through: SaidAt): boolean =>
  place.run < through.run || (place.run === through.run && place.seq <= through.seq)

/** The runs of a conversation, in the order in which they were heard. */
export class HeardRuns {
  readonly #numbers = new Map<string, number>()
  readonly #ids: string[] = []

  /** The run that the next events are of. One without an id is known by its number alone. */
  begin(runId: string | undefined): void {
    this.#ids.push(runId ?? '')
    if (runId !== undefined) this.#numbers.set(runId, this.#ids.length)
  }

  /** The number of the run at hand; 0 before the first. */
  get current(): number {
    return this.#ids.length
  }

  idOf(run: number): string {
    return this.#ids[run - 1] ?? ''
  }

  /** The place of a moment. One of a run that was not heard is before everything: nothing is known to be before it. */
  placeOf({ runId, seq }: { readonly runId: string; readonly seq: number }): SaidAt {
    const run = this.#numbers.get(runId)
    return run === undefined ? nowhere : { run, seq }
  }
}
