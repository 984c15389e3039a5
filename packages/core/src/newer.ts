/** Thrown where something was written by a newer version of Signalbox. That is no damage: it is left to processes that know it. */
export class NewerError extends Error {
  override readonly name = 'NewerError'
  constructor(what: string) {
    super(`${what} was written by a newer version of Signalbox`)
  }
}
