/** What keys mean that have no doc comment of their own, or need another one than the source. */
const agent = 'agents.<name>'
const mcp = 'mcpServers.<name>'

/** Notes by path. */
export const configurationNotes: Readonly<Record<string, string>> = {
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
  [`${agent}.model.providerOptions`]: 'Passed on to the package of the provider.',
  [`${agent}.instructions`]: 'The system text.',
  [`${agent}.safety`]: 'See [safety](safety.md).',
  [`${agent}.safety.detectors`]:
    'Absent: all built-in detectors. Otherwise exactly these. They choose the label of a stop, never whether calls may run.',
  [`${agent}.safety.detectors[].use`]:
    '`openai-compatible`, `anthropic`, `gemini`, `glm`, `bedrock`, `azure` or `alibaba`.',
  [`${agent}.safety.detectors[].finishReasons`]: 'Finish reasons it claims instead of its own.',
  [`${agent}.guardrails`]: 'Which calls may run.',
  [`${agent}.guardrails.provider.use`]: 'The only one of this version.',
  [`${agent}.guardrails.failClosed`]: 'May only be `true`: a guardrail never fails open.',
  [`${agent}.guardrails.stream`]:
    'May only be empty: judging text as it streams is not in this version.',
  [`${agent}.loop`]: 'Detection of calls that repeat.',
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
    'Who judges the calls of a turn. Absent: every tool of the agent may be called.',
  queues: 'Worker queues of this process, by name.',
  'queues.<name>': 'One queue.',
  'queues.<name>.concurrency':
    'Calls of the queue that this process runs at a time. 16 for a queue that is not named.',
  'workspace.root':
    'Directory, relative to the configuration file. Each thread gets its own below it.',
  server: 'The API of this process.',
  'server.limits': 'Limits of the API.',
  'server.limits.bodyBytesMax': 'Largest request body.',
}
