/** The demo promised something that did not happen. The message is one line. */
export class Unmet extends Error {
  override readonly name = 'Unmet'
}

/** Insists on what a scene has promised. @throws Unmet */
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Unmet(otherwise)
}
