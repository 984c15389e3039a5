/** Bounds the event streams of a process. */
export class StreamSlots {
  readonly max: number
  readonly #onChange: (open: number) => void
  #open = 0

  constructor(max: number, onChange: (open: number) => void) {
    this.max = max
    this.#onChange = onChange
  }

  /** Takes a slot and answers the way to give it back, once. Null: there is none. */
  take(): (() => void) | null {
    if (this.#open >= this.max) return null
    this.#change(1)
    let taken = true
    return () => {
      if (taken) this.#change(-1)
      taken = false
    }
  }

  #change(by: 1 | -1): void {
    this.#open += by
    this.#onChange(this.#open)
  }
}
