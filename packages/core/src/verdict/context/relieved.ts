/** How far a run has come with making the turn at hand lighter: `relieved` of its context. Numbers, as the state of a run keeps them. */
export const reliefs = {
  /** Nothing was made lighter, and no turn waits for it: it may be that one is to begin behind a summary. */
  none: 0,
  /** The turn was pruned after an overflow. */
  pruned: 1,
  /** The turn overflowed, and is asked again with the summary that the run waits for. */
  recovering: 2,
  /** The run does nothing but wait for a summary: somebody asked for it by hand. */
  byHand: 3,
  /**
   * The first turn of the run, whose request was over a mark. It would have fitted, so this is no recovery: it goes as it is where no summary
   * comes of it, and should it overflow, that is recovered from.
   */
  early: 4,
} as const

/** Is a turn that got no answer asked again, once the summary is there? */
export const asksAgain = (relieved: number): boolean =>
  relieved === reliefs.recovering || relieved === reliefs.early
