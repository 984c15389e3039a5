/** Names that LangGraph's clients pass along of their own, and that this server reads elsewhere or not at all. */
const passed = new Set([
  'thread_id',
  'run_id',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
  'assistant_id',
  'graph_id',
])

/** Does a client say this of itself, so that no agent can declare a field of this name? */
export const isPassed = (key: string): boolean => passed.has(key) || /^(?:__|langgraph_)/.test(key)
