/** The values that a label may have, so that a metric has few series whatever the log holds. */
export class LabelValues {
  readonly #known = new Set<string>()

  know(values: Iterable<string>): void {
    for (const value of values) this.#known.add(value)
  }

  /** The value, or `other`. */
  of(value: string): string {
    return this.#known.has(value) ? value : 'other'
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#known.values()
  }
}
