/** The appendix that the log adds to a summary, of all events at once. */
import { createAppendix, type FoldableEvent } from '../../src/index.ts'

/** The text about these events. */
export function appendixOf(events: Iterable<FoldableEvent>): string {
  const appendix = createAppendix()
  for (const event of events) appendix.take(event)
  return appendix.text()
}
