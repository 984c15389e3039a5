/**
 * Every limit of Signalbox, in one place. Each is asserted at the boundary where the value enters.
 * Units are the last word of a name: `BytesMax`, `MsMax`, `Max` (a count).
 */
export const limits = {
  /** HTTP request body. Larger bodies get 413 `body_too_large`. */
  bodyBytesMax: 1024 * 1024,
  /** Nesting of any JSON that enters: request bodies, tool arguments, tool results. */
  jsonDepthMax: 64,
  /** Ids, names, actors, idempotency keys: every text that is indexed. Postgres btree keys end at about 2.7 kB. */
  idCharsMax: 200,
  /** A text part up to here stands in the event; a longer one becomes a blob with a preview. */
  inlineBytesMax: 32 * 1024,
  /** Head and tail of an oversized text that stay readable inline, each. */
  previewBytesMax: 4 * 1024,
  /** A tool result up to here is shown to the model whole; of a longer one it sees head and tail, and reads on by parts. */
  resultCharsMax: 12_000,
  /** Characters that one `read_result` answers. */
  resultPageChars: 10_000,
  /** A tool result. Beyond it the rest is dropped, and the result says so. */
  toolResultBytesMax: 16 * 1024 * 1024,
  /** Detail of a tool error that the model sees; the register keeps `errorBytesMax`. */
  errorCharsToModelMax: 500,
  errorBytesMax: 8 * 1024,
  /** A progress note of a tool. Longer ones are cut. */
  progressCharsMax: 500,
  /** What one model turn may stream before it is cut as `interrupted`. */
  turnBytesMax: 8 * 1024 * 1024,
  /** Tool calls in one turn. A turn with more is answered with an error result for each call. */
  callsPerTurnMax: 64,
  /** How deep runs may start runs: a run that nobody started has depth 0. */
  childDepthMax: 3,
  /** Runs that one run may start. */
  childrenMax: 64,
  /** Verdicts of a child that its parent's event names. */
  childVerdictsMax: 32,
  /** The cached state of a run (DESIGN §3.11). */
  stateBytesMax: 2048,
  /** Events in one run; then the run ends `failed` with code `history_too_long`. */
  eventsPerRunMax: 10_000,
  /** Items and bytes in one batched append (DESIGN §3.8). */
  batchItemsMax: 64,
  batchBytesMax: 1024 * 1024,
  /** Runs that wait on one thread. */
  queuedPerThreadMax: 1000,
  /** Rows of one page of any listing. */
  pageMax: 1000,
  /** Safety evidence kept of one stream. */
  evidenceMax: 32,
} as const
