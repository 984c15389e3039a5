/** What keys mean that have no doc comment of their own, or need another one than the source. */
const agent = 'agents.<name>'
const mcp = 'mcpServers.<name>'

/** Notes by path. */
export const configurationNotes: Readonly<Record<string, string>> = {
  [`${mcp}.tools.<name>`]: 'One tool, by the name that the server gives it.',
  [`${mcp}.tools.<name>.judged`]:
    'Which arguments are paths, addresses, recipients: `{ "path": ["path"] }`. Passports judge them by it.',
  $schema: 'For editors. Ignored.',
  agents: 'The agents, at least one. A name is 1 to 64 of `A-Z a-z 0-9 . _ -`.',
  [agent]: 'One agent. On the wire its name is the `assistant_id`.',
  [`${agent}.model`]: 'Which model answers.',
  [`${agent}.model.provider`]:
    'Which wire. `openai-compatible` is for every vendor without one of its own; `scripted` answers from `scripts`.',
  [`${agent}.model.model`]: 'The name of the model; for `scripted` the name of a script.',
  [`${agent}.model.baseURL`]: 'Address of the API. Needed for `openai-compatible`; works for all.',
  [`${agent}.model.region`]: 'For `amazon-bedrock`.',
  [`${agent}.model.temperature`]: 'Passed on.',
  [`${agent}.model.maxOutputTokens`]:
    'Passed on. A turn that reaches it ends the run as `length_stopped`.',
  [`${agent}.model.contextWindow`]:
    'Tokens that a request and its answer may have together. Absent: as [a table](caching.md#windows) knows the model, for agents that look after their context. Never sent.',
  [`${agent}.model.providerOptions`]:
    'Passed on to the package of the provider. [Prompt caches](caching.md) says which of them mark what is cached.',
  [`${agent}.model.price.inputPerMTok`]: 'A million tokens that are read.',
  [`${agent}.model.price.outputPerMTok`]: 'A million tokens that are written.',
  [`${agent}.fallbackModels`]:
    'Asked in this order when the retries of the model are used up, or it will not serve us; never after a safety stop. Each is like `model`.',
  [`${agent}.skills`]:
    'Skills that the model may load: `./skills/invoices`, or `./skills/*` for each folder in one. The long form is an object. See [skills](skills.md).',
  [`${agent}.skills.secrets`]:
    'By the name of a variable that skills want in `bash` (`metadata.secrets`): where its value is.',
  [`${agent}.skills.secrets.<name>`]: 'One secret.',
  [`${agent}.skills.secrets.<name>.env`]: 'The variable of the worker that holds the value.',
  [`${agent}.breaker.threshold`]: 'Failures in a row that open the circuit of a model.',
  [`${agent}.breaker.openMs`]: 'Milliseconds until one call may probe it again.',
  [`${agent}.safety.afterRefusal`]:
    'What later requests of the thread show of a refused exchange: all of it, nothing of it, or nothing of it and of what was before.',
  [`${agent}.safety.hold.stops`]: 'Safety stops of one end user …',
  [`${agent}.safety.hold.withinMs`]: '… within this many milliseconds …',
  [`${agent}.safety.hold.holdMs`]: '… and he starts no run for this many.',
  [`${agent}.instructions`]: 'The system text.',
  [`${agent}.fields.<name>`]: 'One field, by the name that clients send it by.',
  [`${agent}.fields.<name>.type`]: 'What its values are. A text has at most 1000 characters.',
  [`${agent}.fields.<name>.values`]: 'The values that it takes. Absent: any of its type.',
  [`${agent}.fields.<name>.description`]: 'What it says, for clients that read the schema.',
  [`${agent}.safety`]: 'See [safety](safety.md).',
  [`${agent}.safety.detectors`]:
    'Absent: all built-in detectors. Otherwise exactly these: names, objects, `./file.ts#export`, values of `defineDetector`. They choose the label of a stop, never whether calls may run.',
  [`${agent}.safety.detectors[].use`]:
    '`openai-compatible`, `anthropic`, `gemini`, `glm`, `bedrock`, `azure` or `alibaba`; or `./file.ts#export`.',
  [`${agent}.safety.detectors[].finishReasons`]: 'Finish reasons it claims instead of its own.',
  [`${agent}.guardrails`]: 'Which calls may run, and what may be said.',
  [`${agent}.guardrails.provider.id`]:
    'Names the policy in events and answers. Absent: named after its kind.',
  [`${agent}.guardrails.provider.use`]:
    'Which kind: see [policies](policies.md). A text with `#` is a module of your own, `./file.ts#export`.',
  [`${agent}.guardrails.provider.url`]:
    'Of a passport: where it is read, at start and again before each execution. Of `http`: a data API as that of OPA.',
  [`${agent}.guardrails.provider.schema`]:
    'A Cedar schema as text. Requests are validated against it.',
  [`${agent}.guardrails.provider.schemaFile`]: 'The same, in a file.',
  [`${agent}.guardrails.provider.files`]: 'Cedar policies by id, one file each.',
  [`${agent}.guardrails.provider.config`]: 'Passed to the module.',
  [`${agent}.guardrails.provider.timeoutMs`]:
    'Milliseconds one answer may take. No answer in time is no answer, and denies.',
  [`${agent}.guardrails.stream`]:
    'What judges the words of the model while they stream, in this order: names, objects, `./file.ts#export`, values of `defineGuardrail`.',
  [`${agent}.guardrails.stream[].id`]:
    'Names the guardrail in events. Absent: named after its kind.',
  [`${agent}.guardrails.stream[].use`]:
    'Which kind: see [guardrails](guardrails.md). `error-recovery`, `pii` and `secrets` may stand alone, as a text.',
  [`${agent}.guardrails.stream[].entities`]:
    'Kinds of personal data that it looks for. Default: all but `ip-address`.',
  [`${agent}.guardrails.stream[].action`]:
    'What is done about a finding: taken out, corrected by the model, or the end of the run. `banned-terms` begins with `"fail"`.',
  [`${agent}.guardrails.stream[].arguments`]:
    'Does it judge the arguments of calls? Default: yes, all but `error-recovery`.',
  [`${agent}.guardrails.stream[].toolResults`]:
    'Does it redact the results of tools before they are recorded? Default: `secrets` does.',
  [`${agent}.guardrails.stream[].terms`]: 'Words and phrases that may not be said.',
  [`${agent}.guardrails.stream[].caseSensitive`]: 'Does letter case make a difference?',
  [`${agent}.guardrails.stream[].patterns`]:
    'Regular expressions in RE2 syntax, each with a bound.',
  [`${agent}.guardrails.stream[].patterns[].name`]: 'Stands in the marker and in the feedback.',
  [`${agent}.guardrails.stream[].patterns[].pattern`]: 'The expression.',
  [`${agent}.approvals`]: 'Answers of humans: see [approvals](approvals.md).',
  [`${agent}.context`]:
    'What is done when a conversation grows towards the window of the model: see [long conversations](context.md). Absent, null or false: nothing before it overflows.',
  [`${agent}.uploads`]:
    'What the model reads of [files](files.md#uploads) that a run is given, beside their list. Absent: nothing.',
  [`${agent}.uploads.inline`]:
    'Does the text of a file stand in the message that it came with? Only of a single file, of at most 8,000 characters.',
  [`${agent}.loop`]: 'Detection of calls that repeat: see [loop detection](loop-detection.md).',
  [`${agent}.loop.enabled`]: 'False: nothing is looked for.',
  [`${agent}.loop.toolFreqWarn`]: 'Calls of one tool within the last ones: the model is told.',
  [`${agent}.loop.toolFreqHardLimit`]: 'This often: none of the set runs, the run ends.',
  [`${agent}.loop.toolFreqOverrides.<name>`]: 'One tool.',
  [`${agent}.loop.toolFreqOverrides.<name>.warn`]: 'In place of `toolFreqWarn`.',
  [`${agent}.loop.toolFreqOverrides.<name>.hardLimit`]: 'In place of `toolFreqHardLimit`.',
  [`${agent}.guardrails.stream[].skip`]:
    'Names of patterns that are left out if RE2 cannot use them; without, such a pattern is refused at start.',
  [`${agent}.loop.cycles.longest`]:
    'Sets in one repeat, at most, from two to five, as far as `hardLimit` repeats of them fit into `windowSize`.',
  [`${agent}.loop.cycles.warn`]: 'Repeats at which the model is told.',
  [`${agent}.loop.cycles.hardLimit`]:
    'Repeats at which the run ends. Twice as many sets must fit into `windowSize`.',
  [`${agent}.loop.stagnation.warn`]: 'Sets at which the model is told.',
  [`${agent}.loop.stagnation.hardLimit`]: 'Sets after which the run ends; null: never.',
  [`${agent}.loop.warnThreshold`]:
    'The same set of calls this often within the window: the model is warned once.',
  [`${agent}.loop.hardLimit`]:
    'This often: none of the set runs, the run ends as `loop_stopped`. Not below `warnThreshold`.',
  [`${agent}.loop.windowSize`]: 'How many of the last sets count.',
  [`${agent}.limits`]:
    'Budgets of one run. A run that reaches one ends as `budget_exhausted`, the time as `timed_out`.',
  [`${agent}.limits.maxTurns`]: 'Model turns.',
  [`${agent}.limits.maxToolCalls`]: 'Tool calls that were asked for, executed or not.',
  [`${agent}.limits.maxTokens`]:
    'Input and output tokens of all turns, as the provider counts them. Checked before the next turn, so the last one may go over it.',
  [`${agent}.limits.timeoutMs`]:
    'Milliseconds of active time: waiting for its thread or for a human does not count.',
  [`${agent}.title`]:
    '`"words"`: threads are called by their first words. An object: the same, then a model is asked. Absent: they are not named. See [titles](titles.md).',
  [`${agent}.title.model`]:
    'Which of `model` and `fallbackModels` is asked, by its name. Absent: `model`.',
  [`${agent}.title.maxWords`]: 'Words that the model is asked for at most.',
  [`${agent}.todo`]:
    '`true`: the model keeps a plan, by the tool `write_todos`. Absent: it does not. See [plans](todos.md).',
  [`${agent}.clarification`]:
    '`true`, or an object: the model asks the person it works for, by the tool `ask_clarification`. Absent: it does not. See [questions](questions.md).',
  [`${agent}.clarification.expiresMs`]:
    'A question that nobody answers is over after this long, and the run goes on. Waiting counts in no timeout.',
  [`${agent}.modelRetries.max`]:
    'Retries of one turn after an error that may pass, or a broken stream.',
  [`${agent}.modelRetries.baseMs`]:
    'First pause, doubled each time. Never shorter than what the provider asks for.',
  [`${agent}.modelRetries.capMs`]: 'Longest pause of ours.',
  mcpServers:
    'MCP servers by name. `${NAME}` and `${NAME:-default}` in their texts stand for variables of the environment.',
  [mcp]: 'A child process (`command`) or an address (`url`).',
  [`${mcp}.type`]: 'May be left out: `command` or `url` says it.',
  [`${mcp}.command`]:
    'Program of a server that speaks over standard input and output. Either this or `url`.',
  [`${mcp}.args`]: 'Its arguments.',
  [`${mcp}.env`]:
    'Variables it gets besides a minimal environment. Nothing else of ours is passed on.',
  [`${mcp}.cwd`]: 'Its working directory.',
  [`${mcp}.url`]: 'Address of a server that speaks streamable HTTP. Either this or `command`.',
  [`${mcp}.headers`]: 'Sent with each request.',
  [`${agent}.guardrails.provider`]:
    'Who judges the calls of a turn: one, or a list of up to 16, of which deny beats approval beats allow. Absent: every tool of the agent may be called.',
  queue: 'Where jobs and wakes go. The address of Redis is a secret, and stands in `REDIS_URL`.',
  'queue.prefix':
    'First part of every key and channel in Redis. Installations that share a Redis need different ones, all processes of one the same. Overridden by `SIGNALBOX_QUEUE_PREFIX`. Letters, digits, `.`, `_` and `-`.',
  queues: 'Worker queues of this process, by name.',
  'queues.<name>': 'One queue.',
  'queues.<name>.concurrency':
    'Calls of the queue that this process runs at a time. 16 for a queue that is not named.',
  'sandbox.network.inject.<name>': 'The header for one host.',
  'sandbox.network.inject.<name>.header': 'Its name.',
  'sandbox.network.inject.<name>.env': 'The variable of the worker that holds its value.',
  'workspace.root':
    'Directory, relative to the configuration file. Each thread gets its own below it. A rollback leaves its files as they are.',
  webhooks: 'Who is told of runs: see [webhooks](webhooks.md).',
  'webhooks.endpoints.<name>': 'One of them.',
  'webhooks.endpoints.<name>.url': 'Its address. Either this or `urlEnv`.',
  server: 'The API of this process.',
  'server.limits': 'Limits of the API.',
  'server.limits.bodyBytesMax': 'Largest request body.',
}
