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
  /** Bytes that one model turn may stream before it is cut as `interrupted`. */
  turnBytesMax: 8 * 1024 * 1024,
  /** Tool calls in one turn. A turn with more is answered with an error result for each call. */
  callsPerTurnMax: 64,
  /** Items in the plan of a model, and characters of one. */
  todosMax: 50,
  todoCharsMax: 500,
  /** Reminders of a plan with open items, over a whole run. */
  todoRemindersMax: 2,
  /** Questions of one turn; characters of a question, and of why it is asked. */
  questionsPerTurnMax: 4,
  questionCharsMax: 2000,
  /** Options of a question or of a field, and characters of one. */
  questionOptionsMax: 24,
  questionOptionCharsMax: 200,
  /** Fields of a form, and bytes of all of it as JSON. */
  questionFieldsMax: 16,
  questionFormBytesMax: 16 * 1024,
  /** Characters of an answer in words, and of a text in a form. */
  answerCharsMax: 10_000,
  answerFieldCharsMax: 2000,
  /** Skills of an agent; and of one the name, what it says of itself, what it needs, and the head of its `SKILL.md`. */
  skillsMax: 200,
  skillNameCharsMax: 64,
  skillDescriptionCharsMax: 1024,
  skillCompatibilityCharsMax: 500,
  skillHeadBytesMax: 16 * 1024,
  /** The instructions of a skill: `SKILL.md` behind its head. */
  skillBodyBytesMax: 64 * 1024,
  /** Files of a bundle, and their bytes in all. */
  bundleFilesMax: 200,
  bundleBytesMax: 16 * 1024 * 1024,
  /** Tools that a skill names, and secrets that it wants. */
  skillToolsMax: 64,
  skillSecretsMax: 16,
  /** Tokens of the catalogue of skills, as the model reads it. What does not fit is told by name alone, and then counted. */
  catalogueTokensMax: 4_000,
  /** Skills whose instructions stand behind a summary, and tokens of one and of all. */
  keptSkillsMax: 8,
  keptSkillTokensMax: 5_000,
  keptSkillsTokensMax: 20_000,
  /** How deep runs may start runs: a run that nobody started has depth 0. */
  childDepthMax: 3,
  /** Runs that one run may start. */
  childrenMax: 64,
  /** Of them, those that one turn may start, where the agent says how many. */
  childrenPerTurnMax: 16,
  /** Agents that one tool may start runs of. */
  childAgentsMax: 64,
  /** Characters of the short description that a call of such a tool gives of its run. */
  childDescriptionCharsMax: 200,
  /** Characters of the last words of a child that did not come to its end. */
  partialWordsCharsMax: 4_000,
  /** Files that a child changed, by name, in the result of its call; the rest is counted. */
  childFilesToldMax: 20,
  /** Verdicts of a child that its parent's event names. */
  childVerdictsMax: 32,
  /** The cached state of a run (DESIGN §3.11). */
  stateBytesMax: 2048,
  /** The state of an ended run may be this much larger: an end is never refused for its state. */
  finalStateBytesMax: 2304,
  /** Events in one run; then the run ends `failed` with code `history_too_long`. */
  eventsPerRunMax: 10_000,
  /**
   * Of them, those that are kept while the run lives for what ends it: so many, and so many for each open effect. Work that
   * would use them is refused, and the run ends.
   */
  eventsKept: 100,
  eventsKeptPerEffect: 4,
  /** Events before its last decision that a tail may begin with, for a process that lacks them: more are read when a prompt needs them. */
  tailEventsMax: 64,
  /** Pauses of one tenant, and the characters of the reason for one. */
  pausesMax: 100,
  pauseReasonCharsMax: 1000,
  /** The payload of one record of the ledger, as JSON. */
  ledgerBytesMax: 16 * 1024,
  /** Items and bytes in one batched append (DESIGN §3.8). */
  batchItemsMax: 64,
  batchBytesMax: 1024 * 1024,
  /** The metadata of one thread, as JSON. */
  threadMetadataBytesMax: 64 * 1024,
  /** A title of a thread: characters as people count them, and UTF-16 code units, since one of the former may be long. */
  titleGraphemesMax: 60,
  titleCharsMax: 240,
  /** Characters of a text that a title is looked for in. */
  titleSourceCharsMax: 4096,
  /** Words that a model may be asked for. */
  titleWordsMax: 12,
  /** Characters of the user's words, and of the answer, that a model is shown for a title. */
  titleQuoteCharsMax: 1000,
  /** Tokens that a model may use for one, characters of its stream that these are at the most, and time that it has. */
  titleTokensMax: 2000,
  titleStreamCharsMax: 8000,
  titleMsMax: 60_000,
  /** Titles that one process asks models for at a time. */
  titlesAtOnceMax: 8,
  /** The memory of somebody: its items, the bytes of their texts, characters of one, and sources that one names. */
  memoryItemsMax: 200,
  memoryBytesMax: 64 * 1024,
  memoryItemCharsMax: 300,
  memorySourcesMax: 8,
  /** Changes that one event may say. */
  memoryChangesMax: 256,
  /** Items that one run may remember, and the confidence that an item needs. */
  memoryPerRunMax: 8,
  memoryConfidenceMin: 0.7,
  /** After so long an item counts for half. The newest corrections stay whatever they count for. */
  memoryHalfLifeMs: 90 * 24 * 3_600_000,
  memoryCorrectionsKept: 10,
  /** Tokens of the items in a request: at first, and those that are new with a later run of the conversation. */
  memoryShownTokensMax: 2000,
  memoryAddedTokensMax: 500,
  /** Items that a search answers, and characters of one. */
  memoryFoundMax: 8,
  memoryQueryCharsMax: 500,
  /** How long after the end of a run it may be learned from. */
  memoryDelayMsMax: 7 * 24 * 3_600_000,
  /** Learning is a run of its own: turns, calls, tokens and time that it has. */
  learnTurnsMax: 2,
  learnCallsMax: 20,
  learnTokensMax: 50_000,
  learnMsMax: 120_000,
  /** Messages of users that one learning is shown; characters of one, of an answer, and of all of it. */
  learnWordsMax: 64,
  learnWordCharsMax: 2000,
  learnAnswerCharsMax: 1000,
  learnCharsMax: 24_000,
  /** Learnings that one process begins at a time, and those of one tenant that are at work at a time. */
  learnsAtOnceMax: 8,
  learnsPerTenantMax: 8,
  /** Learnings of one memory that fail in a row until none is begun any more, and for how long none is. */
  learnFailuresMax: 3,
  learnRestMs: 24 * 3_600_000,
  /** Minutes that a thread may be given to live after it was last used: ten years. */
  threadTtlMinutesMax: 5_256_000,
  /** Messages that one edit puts into a conversation. */
  editMessagesMax: 1000,
  /** Input of one run after it was created: messages, and their texts as UTF-8. */
  injectedMessagesMax: 100,
  injectedBytesMax: 1024 * 1024,
  /** Runs that wait on one thread. */
  queuedPerThreadMax: 1000,
  /** Subscriptions of one WebSocket. */
  subscriptionsMax: 64,
  /** How urgent a run may be, up and down. */
  priorityMax: 999,
  /** Limits that one run stands under. */
  lanesMax: 8,
  /** Rows of one page of any listing. */
  pageMax: 1000,
  /** Events of one piece of an export. */
  exportRowsMax: 100_000,
  /** Text of a search, events one page of it looks at, and values of one filter. */
  searchCharsMax: 200,
  searchedEventsMax: 10_000,
  searchedCallsMax: 2000,
  filterValuesMax: 20,
  /** Groups of a count, and what it may be grouped by. */
  statsGroupsMax: 1000,
  statsKeysMax: 3,
  /** What the database may work on one question of an audit. */
  auditMsMax: 5000,
  /** Webhooks of one run: its own, and those of the configuration that want to hear of it. */
  webhooksMax: 5,
  webhookUrlCharsMax: 2048,
  /** The body of one. A larger one goes without what was said. */
  webhookBytesMax: 1024 * 1024,
  /** Labels of a namespace of the store, and characters of one label. */
  storeDepthMax: 16,
  storeLabelCharsMax: 100,
  /** A namespace whole, its labels joined: an index holds it together with a key. */
  storeNamespaceBytesMax: 800,
  /** The value of an item of the store, as JSON. */
  storeValueBytesMax: 256 * 1024,
  /** Items that a tenant may have. */
  storeItemsMax: 100_000,
  /** Items of one page of a search: each may be as large as a value. */
  storePageMax: 100,
  /** Minutes that an item may be given to live: ten years. */
  storeTtlMinutesMax: 5_256_000,
  /** Conditions of one filter over the store. */
  storeConditionsMax: 32,
  /** Assistants that a tenant may make, and versions of one. */
  assistantsMax: 1000,
  assistantVersionsMax: 1000,
  /** The changes that an assistant makes to its agent, and its words about itself, as JSON. */
  assistantBytesMax: 32 * 1024,
  /** Crons that a tenant may have. */
  cronsMax: 1000,
  /** A schedule, and the name of a time zone. */
  scheduleCharsMax: 100,
  /** The request that a cron sends for each run, as JSON. */
  cronBytesMax: 256 * 1024,
  /** Files of a workspace: how many, and their bytes in all. A single one is at most `toolResultBytesMax`. */
  filesMax: 10_000,
  filesBytesMax: 256 * 1024 * 1024,
  /** What one call may change of them. */
  filesPerCallMax: 2000,
  filesPerCallBytesMax: 64 * 1024 * 1024,
  /** Changes up to here stand in the event of the call; more are listed in a blob. */
  inlineFilesMax: 64,
  filePathCharsMax: 1024,
  /** Places that a measure of a request names at which it could be cut. */
  roomCutsMax: 12,
  /** Tokens and bytes that the meter of a run counts up to. */
  roomCountMax: 60_000_000,
  /** Calls of a turn up to which a run remembers, while they are open, where its conversation could be cut. */
  roomCallsMax: 16,
  /** The appendix that the log adds to a summary: characters in all, lines of each kind, and characters of a line. */
  appendixCharsMax: 32_000,
  appendixLinesMax: 50,
  appendixFailuresMax: 20,
  appendixWordsMax: 120,
  /** Characters of what somebody adds to the task of summing up. */
  instructionsCharsMax: 8_000,
  /** System messages of clients that a summary takes over: the newest, so many, and characters of all. One in a message may have 32 KiB. */
  givenInstructionsMax: 64,
  givenInstructionsCharsMax: 64_000,
  /** Characters of a result in a conversation that is written out to be summed up; less where that is too long. */
  clippedResultCharsMax: 2_000,
  /** Characters of an old message of which only head and tail are shown once the conversation is pruned. */
  oldWordsCharsMax: 8_000,
  /** The media type of a file. */
  mimeCharsMax: 200,
  /** One request that uploads: its files, and their bytes in all. A single one is at most `toolResultBytesMax`. */
  uploadFilesMax: 10,
  uploadBytesMax: 100 * 1024 * 1024,
  /** Bytes that a multipart body may have beside its files: boundaries and headers. */
  uploadHeadBytesMax: 64 * 1024,
  /** Of a body with files that is refused, so much more is read and thrown away, for so long: a client that listens when it has sent all gets its answer. */
  refusedBodyBytesMax: 100 * 1024 * 1024,
  refusedBodyMsMax: 10_000,
  /** An upload is written to the register in pieces of this size, so that no process holds one whole. */
  uploadPartBytesMax: 512 * 1024,
  /** The name of a file that is uploaded, in characters and, as every name of a workspace, in bytes of UTF-8. */
  fileNameCharsMax: 200,
  fileNameBytesMax: 200,
  /** Uploads of one thread that are there to be named. */
  uploadsPerThreadMax: 200,
  /** An upload that no run names is removed after this. Milliseconds. */
  uploadMsMax: 24 * 3_600_000,
  /** Files that one run is given: so many stand in its event. */
  runFilesMax: 64,
  /** Characters of a text file that may stand in the message that it came with, see `uploads.inline`. */
  inlineUploadCharsMax: 8_000,
  /** Of them, those that the model is told by name; the rest is counted. */
  filesToldMax: 10,
  /** An image that a model is shown: its bytes, its pixels along one side, and all its pixels. */
  imageBytesMax: 10 * 1024 * 1024,
  imageSideMax: 8_000,
  imagePixelsMax: 40_000_000,
  /** One request, one message and one result: images that they show, and their bytes in all. */
  imagesMax: 8,
  imagesBytesMax: 20 * 1024 * 1024,
  /** Where a request would have more, so many of the newest stay. The same where a request is made lighter, unless the agent says otherwise. */
  imagesKept: 4,
  /** Files under `outputs/` that a report or a state names; the rest is counted. */
  artifactsMax: 100,
  /** A command for the sandbox: the characters of its script, and how long one may run. */
  commandCharsMax: 10_000,
  commandMsMax: 600_000,
  /** Bytes that a command may write to its two outputs; it is stopped beyond the number that is configured. */
  commandOutputBytesMax: 16 * 1024 * 1024,
  /** Limits that the configuration may give one sandbox: memory, processes, open files, one file, its directory for temporary files. */
  sandboxMemoryBytesMax: 64 * 1024 * 1024 * 1024,
  sandboxMemoryBytesMin: 32 * 1024 * 1024,
  sandboxProcessesMax: 4096,
  sandboxOpenFilesMax: 65_536,
  sandboxFileBytesMax: 1024 * 1024 * 1024,
  sandboxTmpBytesMax: 4 * 1024 * 1024 * 1024,
  /** Names and directories left by a command that are looked at. With more of them nothing is kept. */
  sandboxEntriesMax: 50_000,
  /** Hosts of an allow-list, and hosts that the event of one call names. */
  egressRulesMax: 100,
  egressHostsMax: 32,
  /** Connections of one call through the egress proxy, at the same time and in all. */
  egressConnectionsMax: 64,
  egressRequestsMax: 1000,
  /** Safety evidence kept of one stream. */
  evidenceMax: 32,
  /** Tokens that one model call is charged at most, whatever a provider counts. */
  usageTokensMax: 1_000_000_000,
  /** Tokens of the window of a model: below the least, no request with tools would fit. */
  contextWindowMin: 1_000,
  contextWindowMax: 100_000_000,
  /** Tokens that one answer may have, by the configuration of its model. */
  outputTokensMax: 10_000_000,
  /** Kinds of what guardrails took out of one turn or one result, by guardrail and place. */
  redactionsMax: 64,
} as const
