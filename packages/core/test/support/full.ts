/** How many cases a property of room plays: a part with every commit, 10,000 with `SIGNALBOX_FULL=1`, as `.ci/run --full` does. */
const isFull = process.env['SIGNALBOX_FULL'] === '1'

/** The cases, where a part is so many. */
export const casesOf = (part: number): number => (isFull ? 10_000 : part)

/** How long a property may take; milliseconds. */
export const timeout = isFull ? 900_000 : 60_000
