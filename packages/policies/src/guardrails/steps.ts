/**
 * Work on a text in steps. A result of 16 MB takes a guardrail some ten seconds: the leases of the process, and all else that it does, go
 * on between two steps. What the work comes to does not depend on them.
 */
/** Ends with what the work came to; between two steps others may have their turn. */
export type Stepwise<T> = Generator<undefined, T, undefined>

/** So long others wait at most, but for the one step that is under way, which looks at some thousand characters. */
const shareMs = 10

/** Takes the steps, and lets others have their turn between them. Rejects with what a step throws. */
export async function inSteps<T>(steps: Stepwise<T>): Promise<T> {
  let began = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() - began < shareMs) continue
    await new Promise((resolve) => setImmediate(resolve))
    began = performance.now()
  }
}
