/**
 * Written by `node scripts/docs/main.ts`, from the OpenAPI document and the schemas of events. A test compares it.
 */

/**
 * `Message` of the OpenAPI document.
 */
export type Message =
  | {
      type: 'human' | 'system'
      id: string
      content: string
      additional_kwargs: {
        [k: string]: unknown
      }
      response_metadata: {
        [k: string]: unknown
      }
    }
  | {
      type: 'ai'
      id: string
      content: string
      additional_kwargs: {
        [k: string]: unknown
      }
      response_metadata: {
        [k: string]: unknown
      }
      tool_calls: {
        type: 'tool_call'
        id: string
        name: string
        args: {
          [k: string]: unknown
        }
      }[]
      invalid_tool_calls: unknown[]
      usage_metadata?: {
        input_tokens: number
        output_tokens: number
        total_tokens: number
        input_token_details?: {
          cache_read: number
          cache_creation?: number
        }
        output_token_details?: {
          reasoning: number
        }
      }
    }
  | {
      type: 'tool'
      id: string
      content: string
      additional_kwargs: {
        [k: string]: unknown
      }
      response_metadata: {
        [k: string]: unknown
      }
      name: string
      tool_call_id: string
      status: 'success' | 'error'
      artifact: {
        [k: string]: unknown
      } | null
    }
/**
 * `RunError` of the OpenAPI document.
 */
export type RunError = {
  class:
    | 'auth'
    | 'not_found'
    | 'rate_limit'
    | 'quota'
    | 'overloaded'
    | 'context_overflow'
    | 'tool_use_failed'
    | 'invalid_request'
    | 'safety'
    | 'configuration'
    | 'network'
    | 'timeout'
    | 'protocol'
    | 'circuit_open'
    | 'internal'
    | 'unknown'
    | 'fault'
  status?: number
  code?: string
  provider?: string
  model?: string
  key_env?: string
  message: string
} | null
/**
 * `WaitsFor` of the OpenAPI document.
 */
export type WaitsFor = {
  kind:
    | 'approval'
    | 'input'
    | 'unknown'
    | 'paused'
    | 'worker'
    | 'child'
    | 'tool'
    | 'model'
    | 'policy'
    | 'delay'
    | 'thread'
    | 'lane'
    | 'orchestrator'
  since: string
  until?: string
  expires_at?: string
  approval_id?: string
  call_id?: string
  tool?: string
  queue?: string
  effect_id?: string
  attempt?: number
  owner?: string
  run_id?: string
  run_waits_for?: 'approval' | 'input'
  lanes?: string[]
  pause_id?: string
  target?: PauseTarget
  reason?: string
} | null
/**
 * `PauseTarget` of the OpenAPI document.
 */
export type PauseTarget =
  | {
      agent: string
    }
  | {
      tool: string
    }
  | {
      queue: string
    }
/**
 * `Waiting` of the OpenAPI document.
 */
export type Waiting =
  | {
      for: 'approval'
      approval_id: string
      call_id: string
      tool: string
      args: {
        [k: string]: unknown
      } | null
      args_hash: string
      policy_id: string | null
      policy_digest: string | null
      reason: string
      requested_at: string
      expires_at: string | null
    }
  | {
      for: 'input'
      call_id: string
      question: string
      why: string | null
      kind: 'text' | 'choice' | 'form'
      options: string[] | null
      form: QuestionField[] | null
      requested_at: string
      expires_at: string
    }
  | {
      for: 'resolution'
      effect_id: string
      call_id: string | null
      tool: string | null
      attempt: number
    }
/**
 * `RunBatch` of the OpenAPI document.
 *
 * @minItems 1
 * @maxItems 10000
 */
export type RunBatch = RunCreate[]
/**
 * `UnknownEffect` of the OpenAPI document.
 */
export type UnknownEffect = Waiting & {
  run_id: string
  thread_id: string
  args: {
    [k: string]: unknown
  } | null
  args_hash: string | null
  reason: 'worker_lost' | 'not_settled' | null
  worker: string | null
  started_at: string | null
  unknown_at: string
  idempotency_key: string
}
/**
 * `NewKey` of the OpenAPI document.
 */
export type NewKey = Key & {
  key: string
}
/**
 * `StoreItem` of the OpenAPI document.
 */
export type StoreItem = {
  namespace: string[]
  key: string
  value: {
    [k: string]: unknown
  }
  created_at: string
  updated_at: string
} | null

/**
 * `Thread` of the OpenAPI document.
 */
export interface Thread {
  thread_id: string
  created_at: string
  updated_at: string
  state_updated_at: string
  metadata: {
    [k: string]: unknown
  }
  status: 'idle' | 'busy' | 'interrupted' | 'error'
  values: {
    messages: Message[]
    title?: string
    files?: {
      [k: string]: {
        bytes: number
      }
    }
    files_more?: number
    todos?: {
      content: string
      status: 'pending' | 'in_progress' | 'completed'
    }[]
  } | null
  interrupts: {
    [k: string]: Interrupt[]
  }
  ttl?: {
    strategy: 'delete'
    ttl_minutes: number
    expires_at: string
  }
}
/**
 * `Interrupt` of the OpenAPI document.
 */
export interface Interrupt {
  id: string
  value: {
    [k: string]: unknown
  }
}
/**
 * `Problem` of the OpenAPI document.
 */
export interface Problem {
  type: string
  title: string
  status: number
  code:
    | 'malformed_json'
    | 'malformed_encoding'
    | 'json_too_deep'
    | 'ambiguous_json'
    | 'forbidden_key'
    | 'forbidden_text'
    | 'malformed_url'
    | 'malformed_request'
    | 'invalid_header'
    | 'unauthenticated'
    | 'forbidden_scope'
    | 'approval_forbidden'
    | 'foreign_origin'
    | 'foreign_host'
    | 'not_found'
    | 'unknown_agent'
    | 'unknown_thread'
    | 'unknown_run'
    | 'unknown_checkpoint'
    | 'unknown_key'
    | 'unknown_cron'
    | 'unknown_effect'
    | 'unknown_approval'
    | 'unknown_definition'
    | 'unknown_query'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'thread_exists'
    | 'idempotency_conflict'
    | 'assistant_exists'
    | 'assistant_configured'
    | 'assistant_outdated'
    | 'quota_reached'
    | 'run_ended'
    | 'run_not_ended'
    | 'rerun_refused'
    | 'retry_refused'
    | 'unknown_pause'
    | 'unknown_target'
    | 'pause_unconfirmed'
    | 'interrupts_open'
    | 'run_ending'
    | 'run_asks_no_model'
    | 'edit_denied'
    | 'input_full'
    | 'nothing_to_compact'
    | 'nothing_runs'
    | 'upgrade_required'
    | 'nothing_waits'
    | 'run_waits'
    | 'unknown_input'
    | 'input_conflict'
    | 'input_expired'
    | 'invalid_answer'
    | 'approval_conflict'
    | 'resolution_conflict'
    | 'approval_expired'
    | 'body_too_large'
    | 'unsupported_media_type'
    | 'unsupported_encoding'
    | 'malformed_multipart'
    | 'unknown_file'
    | 'unknown_upload'
    | 'not_recorded'
    | 'path_taken'
    | 'files_full'
    | 'too_many_uploads'
    | 'content_erased'
    | 'file_too_large'
    | 'range_not_satisfiable'
    | 'bad_file_name'
    | 'invalid_request'
    | 'invalid_arguments'
    | 'webhook_refused'
    | 'unknown_webhook'
    | 'webhook_under_way'
    | 'not_available'
    | 'thread_busy'
    | 'question_too_broad'
    | 'thread_full'
    | 'user_held'
    | 'too_many_keys'
    | 'too_many_streams'
    | 'headers_too_large'
    | 'internal'
    | 'register_unavailable'
    | 'register_full'
    | 'register_read_only'
    | 'newer_build'
    | 'definition_changed'
    | 'not_ready'
    | 'process_stuck'
    | 'shutting_down'
  detail: string
  field?: string
  errors?: {
    field: string
    message: string
  }[]
  run_id?: string
  decision?: string
  until?: string
  log_id?: string
  [k: string]: unknown
}
/**
 * `ThreadCreate` of the OpenAPI document.
 */
export interface ThreadCreate {
  thread_id?: string
  metadata?: {
    [k: string]: unknown
  }
  if_exists?: 'raise' | 'do_nothing'
  /**
   * Not available in this version. Copy a thread, or write messages with POST /threads/{thread_id}/state.
   */
  supersteps?: {
    [k: string]: unknown
  }
  ttl?:
    | number
    | {
        /**
         * Minutes after the thread was last used.
         */
        ttl: number
        strategy?: 'delete' | 'keep_latest'
      }
    | null
}
/**
 * `ThreadSearch` of the OpenAPI document.
 */
export interface ThreadSearch {
  metadata?: {
    [k: string]: unknown
  } | null
  /**
   * @maxItems 1000
   */
  ids?: string[] | null
  status?: 'idle' | 'busy' | 'interrupted' | 'error' | null
  /**
   * Not available in this version. Search by metadata, ids or status.
   */
  values?: {
    [k: string]: unknown
  }
  limit?: number
  offset?: number
  sort_by?: 'thread_id' | 'status' | 'created_at' | 'updated_at' | 'state_updated_at' | null
  sort_order?: 'asc' | 'desc' | null
  select?: string[] | null
  /**
   * Not available in this version. Read `values` instead.
   */
  extract?: {
    [k: string]: unknown
  }
}
/**
 * `ThreadCount` of the OpenAPI document.
 */
export interface ThreadCount {
  metadata?: {
    [k: string]: unknown
  } | null
  /**
   * @maxItems 1000
   */
  ids?: string[] | null
  status?: 'idle' | 'busy' | 'interrupted' | 'error' | null
  /**
   * Not available in this version. Search by metadata, ids or status.
   */
  values?: {
    [k: string]: unknown
  }
}
/**
 * `ThreadState` of the OpenAPI document.
 */
export interface ThreadState {
  values: {
    messages: Message[]
    title?: string
    files?: {
      [k: string]: {
        bytes: number
      }
    }
    files_more?: number
    todos?: {
      content: string
      status: 'pending' | 'in_progress' | 'completed'
    }[]
  }
  next: string[]
  tasks: {
    id: string
    name: string
    error: string | null
    interrupts: Interrupt[]
    checkpoint: null
    state: null
    result: null
  }[]
  checkpoint: Checkpoint
  metadata: {
    [k: string]: unknown
  }
  created_at: string | null
  parent_checkpoint: Checkpoint | null
}
/**
 * `Checkpoint` of the OpenAPI document.
 */
export interface Checkpoint {
  thread_id: string
  checkpoint_ns: ''
  checkpoint_id: string | null
  checkpoint_map: null
}
/**
 * `ThreadHistory` of the OpenAPI document.
 */
export interface ThreadHistory {
  limit?: number
  before?:
    | string
    | {
        checkpoint_id: string
      }
    | {
        configurable: {
          checkpoint_id: string
        }
      }
    | null
  metadata?: {
    [k: string]: unknown
  } | null
  checkpoint?: {
    checkpoint_id?: string | null
  } | null
}
/**
 * `ThreadPatch` of the OpenAPI document.
 */
export interface ThreadPatch {
  title?: string
  metadata?: {
    [k: string]: unknown
  }
  ttl?:
    | number
    | {
        /**
         * Minutes after the thread was last used.
         */
        ttl: number
        strategy?: 'delete' | 'keep_latest'
      }
    | null
}
/**
 * `ThreadStatePatch` of the OpenAPI document.
 */
export interface ThreadStatePatch {
  metadata?: {
    [k: string]: unknown
  }
}
/**
 * `ThreadPrune` of the OpenAPI document.
 */
export interface ThreadPrune {
  /**
   * @maxItems 1000
   */
  thread_ids: string[]
  strategy?: 'delete' | 'keep_latest'
}
/**
 * `StateUpdated` of the OpenAPI document.
 */
export interface StateUpdated {
  checkpoint: Checkpoint
  configurable: Checkpoint
}
/**
 * `StateUpdate` of the OpenAPI document.
 */
export interface StateUpdate {
  values?: {
    messages?:
      | {
          id?: string | null
          role?: string
          type?: string
          content:
            | string
            | {
                type: 'text'
                text: string
              }[]
          /**
           * @maxItems 0
           */
          tool_calls?: unknown[] | null
        }
      | {
          id?: string | null
          role?: string
          type?: string
          content:
            | string
            | {
                type: 'text'
                text: string
              }[]
          /**
           * @maxItems 0
           */
          tool_calls?: unknown[] | null
        }[]
      | null
  } | null
  as_node?: string | null
  checkpoint_id?: string | null
  checkpoint?: {
    checkpoint_id?: string | null
  } | null
}
/**
 * `ThreadContext` of the OpenAPI document.
 */
export interface ThreadContext {
  thread_id: string
  tokens: number | null
  window: number | null
  cut: {
    run_id: string
    seq: number
  } | null
  pruned: {
    run_id: string
    seq: number
  } | null
  compactions: number
  prunes: number
  cached: number | null
}
/**
 * `ThreadCompacted` of the OpenAPI document.
 */
export interface ThreadCompacted {
  run_id: string
  event: Event | null
}
/**
 * `Event` of the OpenAPI document.
 */
export interface Event {
  run_id: string
  thread_id: string
  seq: number
  type: string
  version: number
  at: string
  actor: string
  tool: string | null
  verdict: string | null
  payload: {
    [k: string]: unknown
  }
  payload_hash: string
  digest: string
  hash: string
  position?: string
}
/**
 * `ThreadCompact` of the OpenAPI document.
 */
export interface ThreadCompact {
  instructions?: string
}
/**
 * `ThreadTodos` of the OpenAPI document.
 */
export interface ThreadTodos {
  todos: Todo[]
  checkpoint_id: string | null
}
/**
 * `Todo` of the OpenAPI document.
 */
export interface Todo {
  text: string
  status: 'pending' | 'in_progress' | 'completed'
}
/**
 * `Upload` of the OpenAPI document.
 */
export interface Upload {
  upload_id: string
  name: string
  mime: string
  bytes: number
  sha256: string
}
/**
 * `ThreadFile` of the OpenAPI document.
 */
export interface ThreadFile {
  path: string
  bytes: number | null
  key: string | null
  sha256: string | null
  executable: boolean
  changed_by: {
    run_id: string
    seq: number
    call_id: string | null
  } | null
}
/**
 * `RunFile` of the OpenAPI document.
 */
export interface RunFile {
  path: string
  before: {
    key: string
    bytes: number | null
  } | null
  after: {
    key: string
    bytes: number | null
  } | null
  artifact: boolean
  changes: {
    seq: number
    call_id: string | null
  }[]
}
/**
 * `WrittenFile` of the OpenAPI document.
 */
export interface WrittenFile {
  path: string
  mime: string
  bytes: number
  sha256: string
  key: string | null
  run_id: string | null
  checkpoint_id: string | null
}
/**
 * `RunPage` of the OpenAPI document.
 */
export interface RunPage {
  runs: Run[]
  next: string | null
}
/**
 * `Run` of the OpenAPI document.
 */
export interface Run {
  run_id: string
  thread_id: string
  assistant_id: string
  created_at: string
  updated_at: string
  status: 'pending' | 'running' | 'error' | 'success' | 'timeout' | 'interrupted'
  outcome:
    | 'completed'
    | 'safety_stopped'
    | 'refused'
    | 'guardrail_stopped'
    | 'loop_stopped'
    | 'budget_exhausted'
    | 'length_stopped'
    | 'interrupted'
    | 'cancelled'
    | 'rolled_back'
    | 'timed_out'
    | 'failed'
    | null
  error?: RunError
  state:
    | 'queued'
    | 'context'
    | 'model'
    | 'safety'
    | 'guardrail'
    | 'approval'
    | 'input'
    | 'tools'
    | 'loop'
    | 'cancelling'
    | 'completed'
    | 'failed'
    | 'cancelled'
  metadata: {
    [k: string]: unknown
  }
  multitask_strategy: 'enqueue' | 'reject' | 'interrupt' | 'rollback'
  priority: number
  due_at: string
  kwargs: {
    [k: string]: unknown
  }
  cancel_requested: boolean
  seq: number
  definition_hash: string
  parent: {
    run_id: string
    call_id: string | null
  } | null
  rerun_of?: string | null
  retry_of?: string | null
  ended_at?: string | null
  waits_for?: WaitsFor
  waiting?: Waiting[]
}
/**
 * `QuestionField` of the OpenAPI document.
 */
export interface QuestionField {
  name: string
  label: string
  type: 'text' | 'number' | 'boolean' | 'choice'
  options: string[] | null
  required: boolean
}
/**
 * `RunStats` of the OpenAPI document.
 */
export interface RunStats {
  group_by: ('status' | 'state' | 'agent' | 'outcome')[]
  groups: {
    [k: string]: string | number | null
  }[]
  total: number
  truncated: boolean
}
/**
 * `RunsRetried` of the OpenAPI document.
 */
export interface RunsRetried {
  runs: Retried[]
  counts: {
    [k: string]: number
  }
  next: string | null
}
/**
 * `Retried` of the OpenAPI document.
 */
export interface Retried {
  run_id: string
  code:
    | 'created'
    | 'existing'
    | 'ready'
    | 'unknown_run'
    | 'unknown_agent'
    | 'unknown_thread'
    | 'unknown_checkpoint'
    | 'assistant_outdated'
    | 'run_not_ended'
    | 'retry_refused'
    | 'idempotency_conflict'
    | 'thread_busy'
    | 'thread_full'
    | 'user_held'
  retry_run_id?: string
  status?: number
  detail?: string
}
/**
 * `RunsRetry` of the OpenAPI document.
 */
export interface RunsRetry {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  run_ids?: string[]
  filter?: EndedRuns
  limit?: number
  after?: string
  dry_run?: boolean
  again?: boolean
}
/**
 * `EndedRuns` of the OpenAPI document.
 */
export interface EndedRuns {
  outcome?:
    | (
        | 'completed'
        | 'safety_stopped'
        | 'refused'
        | 'guardrail_stopped'
        | 'loop_stopped'
        | 'budget_exhausted'
        | 'length_stopped'
        | 'interrupted'
        | 'cancelled'
        | 'rolled_back'
        | 'timed_out'
        | 'failed'
      )
    | (
        | 'completed'
        | 'safety_stopped'
        | 'refused'
        | 'guardrail_stopped'
        | 'loop_stopped'
        | 'budget_exhausted'
        | 'length_stopped'
        | 'interrupted'
        | 'cancelled'
        | 'rolled_back'
        | 'timed_out'
        | 'failed'
      )[]
  agent?: string | string[]
  end_user?: string | string[]
  thread_id?: string | string[]
  since?: string
  until?: string
  ended_since?: string
  ended_until?: string
  metadata?: {
    [k: string]: unknown
  }
}
/**
 * `Queue` of the OpenAPI document.
 */
export interface Queue {
  queue: string
  waiting: number
  oldest_waiting_at: string | null
  oldest_waiting_ms: number | null
  paused: number
  delayed: number
  running: number
  unknown: number
}
/**
 * `Pause` of the OpenAPI document.
 */
export interface Pause {
  pause_id: string
  target: PauseTarget
  reason: string
  since: string
  until: string | null
  by: string
}
/**
 * `PauseCreate` of the OpenAPI document.
 */
export interface PauseCreate {
  target: PauseTarget
  reason: string
  until?: string | null
}
/**
 * `RunCreate` of the OpenAPI document.
 */
export interface RunCreate {
  assistant_id: string
  input?:
    | string
    | {
        prompt: string
        /**
         * @maxItems 64
         */
        files?: string[]
      }
    | {
        /**
         * @minItems 1
         * @maxItems 1000
         */
        messages: (
          | {
              id?: string
              role?: string
              type?: string
              content:
                | string
                | {
                    type: 'text'
                    text: string
                  }[]
            }
          | {
              id?: string | null
              role?: 'assistant' | 'ai' | 'tool'
              type?: 'assistant' | 'ai' | 'tool'
              tool_call_id?: string
              content?: unknown
              tool_calls?: unknown[] | null
            }
        )[]
        /**
         * @maxItems 64
         */
        files?: string[]
      }
    | {
        /**
         * @maxItems 0
         */
        messages?: unknown[]
      }
    | null
  metadata?: {
    [k: string]: unknown
  }
  if_not_exists?: 'create' | 'reject'
  multitask_strategy?: 'enqueue' | 'reject' | 'interrupt' | 'rollback' | null
  priority?: number | null
  after_seconds?: number | null
  /**
   * Default: values.
   */
  stream_mode?:
    | (
        | 'values'
        | 'updates'
        | 'messages-tuple'
        | 'messages'
        | 'custom'
        | 'events'
        | 'debug'
        | 'tasks'
        | 'checkpoints'
        | 'signalbox'
      )
    | (
        | 'values'
        | 'updates'
        | 'messages-tuple'
        | 'messages'
        | 'custom'
        | 'events'
        | 'debug'
        | 'tasks'
        | 'checkpoints'
        | 'signalbox'
      )[]
  /**
   * Told of the end of the run, and whenever it waits for a human.
   */
  webhook?: string | null
  command?: {
    resume?: unknown
    /**
     * Not available in this version. A run goes on from what was said.
     */
    update?: {
      [k: string]: unknown
    }
    /**
     * Not available in this version. The machine decides what comes next.
     */
    goto?: {
      [k: string]: unknown
    }
  } | null
  checkpoint_id?: string | null
  checkpoint?: {
    checkpoint_id?: string | null
  } | null
  interactive?: boolean | null
  context?: {
    [k: string]: unknown
  } | null
  config?: {
    configurable?: {
      [k: string]: unknown
    } | null
    recursion_limit?: number | null
    [k: string]: unknown
  } | null
  /**
   * Not available in this version. Name the tools in guardrails.approvalTools of the agent.
   */
  interrupt_before?: {
    [k: string]: unknown
  }
  /**
   * Not available in this version. Name the tools in guardrails.approvalTools of the agent.
   */
  interrupt_after?: {
    [k: string]: unknown
  }
  on_disconnect?: 'continue' | 'cancel' | null
  /**
   * Not available in this version. Threads are kept ("keep").
   */
  on_completion?: {
    [k: string]: unknown
  }
}
/**
 * `RunsCancelled` of the OpenAPI document.
 */
export interface RunsCancelled {
  run_ids: string[]
  count: number
  more: boolean
  dry_run: boolean
}
/**
 * `RunsCancel` of the OpenAPI document.
 */
export interface RunsCancel {
  thread_id?: string
  /**
   * @minItems 1
   * @maxItems 1000
   */
  run_ids?: string[] | null
  status?: 'pending' | 'running' | 'all' | null
  filter?: OpenRuns
  limit?: number
  dry_run?: boolean
  reason?: string
}
/**
 * `OpenRuns` of the OpenAPI document.
 */
export interface OpenRuns {
  status?:
    | ('pending' | 'queued' | 'running' | 'waiting')
    | ('pending' | 'queued' | 'running' | 'waiting')[]
  state?:
    | (
        | 'queued'
        | 'context'
        | 'model'
        | 'safety'
        | 'guardrail'
        | 'approval'
        | 'input'
        | 'tools'
        | 'loop'
        | 'cancelling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      )
    | (
        | 'queued'
        | 'context'
        | 'model'
        | 'safety'
        | 'guardrail'
        | 'approval'
        | 'input'
        | 'tools'
        | 'loop'
        | 'cancelling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      )[]
  agent?: string | string[]
  end_user?: string | string[]
  thread_id?: string | string[]
  waits_for?:
    | (
        | 'approval'
        | 'input'
        | 'unknown'
        | 'paused'
        | 'worker'
        | 'child'
        | 'tool'
        | 'model'
        | 'policy'
        | 'delay'
        | 'thread'
        | 'lane'
        | 'orchestrator'
      )
    | (
        | 'approval'
        | 'input'
        | 'unknown'
        | 'paused'
        | 'worker'
        | 'child'
        | 'tool'
        | 'model'
        | 'policy'
        | 'delay'
        | 'thread'
        | 'lane'
        | 'orchestrator'
      )[]
  since?: string
  until?: string
  metadata?: {
    [k: string]: unknown
  }
}
/**
 * `Values` of the OpenAPI document.
 */
export interface Values {
  messages: (Message & {
    role: 'user' | 'system' | 'assistant' | 'tool'
  })[]
  files?: {
    [k: string]: {
      bytes: number
    }
  }
  files_more?: number
  todos?: {
    content: string
    status: 'pending' | 'in_progress' | 'completed'
  }[]
  outcome:
    | 'completed'
    | 'safety_stopped'
    | 'refused'
    | 'guardrail_stopped'
    | 'loop_stopped'
    | 'budget_exhausted'
    | 'length_stopped'
    | 'interrupted'
    | 'cancelled'
    | 'rolled_back'
    | 'timed_out'
    | 'failed'
    | null
  run: Run
  __error__?: {
    error: string
    message: string
    cause?: RunError
  }
  __interrupt__?: Interrupt[]
}
/**
 * `RunRerun` of the OpenAPI document.
 */
export interface RunRerun {
  /**
   * Another agent or assistant. Default: what the run itself had.
   */
  assistant_id?: string | null
  /**
   * What to change of it: `model`, one of those that the agent has, `instructions`, and `limits`, downwards.
   */
  context?: {
    [k: string]: unknown
  }
  metadata?: {
    [k: string]: unknown
  }
  priority?: number | null
  /**
   * Told of the end of the run, and whenever it waits for a human.
   */
  webhook?: string | null
}
/**
 * `InputAccepted` of the OpenAPI document.
 */
export interface InputAccepted {
  run_id: string
  thread_id: string
  message_ids: string[]
}
/**
 * `RunInput` of the OpenAPI document.
 */
export interface RunInput {
  input:
    | string
    | {
        prompt: string
        files?: string[]
      }
    | {
        /**
         * @minItems 1
         * @maxItems 1000
         */
        messages: {
          id?: string
          role?: string
          type?: string
          content:
            | string
            | {
                type: 'text'
                text: string
              }[]
        }[]
        files?: string[]
      }
}
/**
 * `RunReport` of the OpenAPI document.
 */
export interface RunReport {
  run_id: string
  thread_id: string
  outcome:
    | 'completed'
    | 'safety_stopped'
    | 'refused'
    | 'guardrail_stopped'
    | 'loop_stopped'
    | 'budget_exhausted'
    | 'length_stopped'
    | 'interrupted'
    | 'cancelled'
    | 'rolled_back'
    | 'timed_out'
    | 'failed'
    | null
  cancel: {
    action: string
    reason: string | null
    actor: string
    at: string
  } | null
  counts: {
    finished?: number
    failed?: number
    recalled?: number
    denied?: number
    aborted?: number
    never_started?: number
    unknown?: number
    open?: number
  }
  calls: ReportedCall[]
  usage: {
    turns: {
      calls: number
      input_tokens: number
      cached_input_tokens: number
      cache_write_tokens: number
      output_tokens: number
    }
    compaction: {
      calls: number
      input_tokens: number
      cached_input_tokens: number
      cache_write_tokens: number
      output_tokens: number
    }
    title: {
      calls: number
      input_tokens: number
      cached_input_tokens: number
      cache_write_tokens: number
      output_tokens: number
    }
  }
  artifacts: {
    path: string
    bytes: number
  }[]
  artifacts_more: number
  todos_open: number
}
/**
 * `ReportedCall` of the OpenAPI document.
 */
export interface ReportedCall {
  call_id: string
  tool: string
  status:
    'finished' | 'failed' | 'recalled' | 'denied' | 'aborted' | 'never_started' | 'unknown' | 'open'
  effect_id: string | null
  attempts: number
  seq: number | null
}
/**
 * `RunExplanation` of the OpenAPI document.
 */
export interface RunExplanation {
  run: {
    run_id: string
    thread_id: string
    agent: string | null
    definition_hash: string | null
    machine: string | null
    machine_version: number | null
    created: {
      seq: number
      type: string
      at: string
    } | null
    actor: string | null
    user: {
      id: string
      role: string | null
    } | null
    end_user: string | null
    parent: {
      run_id: string
      call_id: string
    } | null
    rerun_of: string | null
    retry_of: string | null
    outcome:
      | 'completed'
      | 'safety_stopped'
      | 'refused'
      | 'guardrail_stopped'
      | 'loop_stopped'
      | 'budget_exhausted'
      | 'length_stopped'
      | 'interrupted'
      | 'cancelled'
      | 'rolled_back'
      | 'timed_out'
      | 'failed'
      | null
    why: string
    proofs: {
      seq: number
      type: string
      at: string
    }[]
    events: number
  }
  answers: {
    turn: number | null
    effect_id: string | null
    verdict:
      | 'complete'
      | 'length'
      | 'safety'
      | 'refusal'
      | 'interrupted'
      | 'error'
      | 'unknown_terminal'
      | 'guardrail'
      | 'aborted'
      | 'refused'
      | 'erased'
    finish: {
      unified: string
      raw: string | null
    } | null
    provider: string | null
    model: string | null
    evidence: {
      detector: string
      field: string
      value: string
    }[]
    cut: {
      code: string
      detail: string
    } | null
    suppressed: {
      tool: string
      count: number
    }[]
    guardrails: {
      verdict: 'tripped' | 'stopped' | 'redacted'
      guardrail: string
      kind: string | null
      place: string
      tool: string | null
      count: number | null
      proof: {
        seq: number
        type: string
        at: string
      }
    }[]
    calls: string[]
    says: string
    proof: {
      seq: number
      type: string
      at: string
    }
    decided: {
      seq: number
      type: string
      at: string
    }[]
  }[]
  calls: {
    call_id: string
    tool: string
    args_hash: string | null
    turn: number | null
    asked: {
      seq: number
      type: string
      at: string
    } | null
    ran: 'ran' | 'did_not_run' | 'unknown'
    end:
      | 'completed'
      | 'failed'
      | 'child_ended'
      | 'answered'
      | 'unanswered'
      | 'happened'
      | 'late'
      | 'by_provider'
      | 'denied'
      | 'rejected'
      | 'expired'
      | 'denied_at_recheck'
      | 'loop_stopped'
      | 'budget_exhausted'
      | 'budget_refused'
      | 'recalled'
      | 'recall_missed'
      | 'not_happened'
      | 'refused_by_worker'
      | 'never_started'
      | 'cut_off'
      | 'ignored'
      | 'undecided'
      | 'waiting_for_approval'
      | 'waiting_for_answer'
      | 'waiting_for_policies'
      | 'waiting'
      | 'running'
      | 'aborted'
      | 'unknown'
      | 'erased'
    why: string
    checks: (
      | {
          check: 'close'
          verdict:
            | 'complete'
            | 'length'
            | 'safety'
            | 'refusal'
            | 'interrupted'
            | 'error'
            | 'unknown_terminal'
            | 'guardrail'
          finish: string | null
          provider: string
          model: string
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'guardrails'
          verdict: 'no_objection' | 'redacted'
          guardrail: string | null
          kind: string | null
          place: 'arguments' | 'result'
          count: number
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'loop'
          verdict: 'no_objection' | 'warned' | 'stopped'
          layer:
            | 'identical_call_set'
            | 'tool_frequency'
            | 'alternating_cycle'
            | 'stagnant_results'
            | null
          count: number | null
          threshold: number | null
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'budget'
          verdict: 'no_objection' | 'exhausted' | 'refused'
          budget: 'turns' | 'calls' | 'tokens' | 'money' | 'time' | null
          used: number | null
          limit: number | null
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'policy'
          verdict: 'allow' | 'warn' | 'deny' | 'require_approval' | 'faulted'
          asked: 'decision' | 'evaluation'
          policy_id: string | null
          policy_digest: string | null
          reasons: {
            code: string
            message: string
          }[]
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'denial'
          verdict: 'denied'
          code: string
          message: string
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'approval'
          verdict: 'asked' | 'approved' | 'edited' | 'rejected' | 'expired' | 'reused' | 'skipped'
          approval_id: string | null
          args_hash: string | null
          edited_args_hash: string | null
          scope: 'once' | 'run' | 'always' | null
          actor: string
          by: {
            id: string
            role: string | null
          } | null
          note: string | null
          expires_at: string | null
          earlier: {
            seq: number
            type: string
            at: string
          } | null
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'dispatch'
          verdict: 'execute' | 'start_run' | 'recall' | 'again'
          effect_id: string
          mode: 'read' | 'idempotent' | 'once' | null
          queue: string | null
          tool_version: string | null
          args_hash: string | null
          approval_seq: number | null
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'attempt'
          verdict: 'began'
          effect_id: string
          attempt: number
          worker: string
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'recheck'
          verdict: 'deny'
          configuration: 'pinned' | 'current'
          policy_id: string | null
          policy_digest: string | null
          reasons: {
            code: string
            message: string
          }[]
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'outcome'
          verdict:
            | 'completed'
            | 'failed'
            | 'aborted'
            | 'never_started'
            | 'unknown'
            | 'happened'
            | 'not_happened'
            | 'retry'
            | 'late'
            | 'recalled'
            | 'recall_missed'
            | 'child_started'
            | 'child_ended'
            | 'asked'
            | 'answered'
            | 'unanswered'
            | 'ignored'
            | 'by_provider'
          actor: string
          attempt: number | null
          code: string | null
          is_error: boolean | null
          duration_ms: number | null
          child_run_id: string | null
          child_outcome:
            | 'completed'
            | 'safety_stopped'
            | 'refused'
            | 'guardrail_stopped'
            | 'loop_stopped'
            | 'budget_exhausted'
            | 'length_stopped'
            | 'interrupted'
            | 'cancelled'
            | 'rolled_back'
            | 'timed_out'
            | 'failed'
            | null
          recalled_from: {
            run_id: string
            seq: number
          } | null
          missed: 'never_made' | 'used_up' | 'unknown' | 'no_result' | 'erased' | null
          ignored_seq: number | null
          note: string | null
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
      | {
          check: 'erased'
          verdict: string | null
          erased_by: {
            seq: number
            type: string
            at: string
          } | null
          proof: {
            seq: number
            type: string
            at: string
          }
          says: string
        }
    )[]
  }[]
  erased: {
    event: {
      seq: number
      type: string
      at: string
    }
    tool: string | null
    verdict: string | null
    actor: string
    erased_by: {
      seq: number
      type: string
      at: string
    } | null
    reason: string | null
  }[]
  unreadable: {
    seq: number
    type: string
    at: string
  }[]
}
/**
 * `ChatPost` of the OpenAPI document.
 */
export interface ChatPost {
  id: string
  /**
   * @minItems 1
   * @maxItems 10000
   */
  messages: {
    id: string
    role: 'user' | 'assistant' | 'system'
    /**
     * @maxItems 10000
     */
    parts: {
      type: string
      [k: string]: unknown
    }[]
    [k: string]: unknown
  }[]
  trigger?: 'submit-message' | 'regenerate-message'
  messageId?: string | null
}
/**
 * `ChatStopped` of the OpenAPI document.
 */
export interface ChatStopped {
  stopped: string[]
}
/**
 * `EventStats` of the OpenAPI document.
 */
export interface EventStats {
  group_by: (
    'type' | 'tool' | 'verdict' | 'actor' | 'agent' | 'outcome' | 'end_user' | 'hour' | 'day'
  )[]
  groups: {
    [k: string]: string | number | null
  }[]
  truncated: boolean
}
/**
 * `SavedQuery` of the OpenAPI document.
 */
export interface SavedQuery {
  name:
    | 'denied_calls'
    | 'unknown_outcomes'
    | 'approvals'
    | 'safety_stops'
    | 'executed_calls'
    | 'file_changes'
    | 'unapproved_calls'
    | 'definitions'
    | 'administration'
    | 'log_access'
  asks: string
  needs: string[]
  columns: {
    name: string
    says: string
  }[]
}
/**
 * `Definition` of the OpenAPI document.
 */
export interface Definition {
  hash: string
  agent: string
  first_used_at: string
  definition: {
    [k: string]: unknown
  }
  redacted: boolean
}
/**
 * `Usage` of the OpenAPI document.
 */
export interface Usage {
  by: ('user' | 'end_user' | 'agent' | 'month' | 'day')[]
  groups: {
    [k: string]: string | number | null
  }[]
  truncated: boolean
}
/**
 * `Pseudonym` of the OpenAPI document.
 */
export interface Pseudonym {
  pseudonym: string
}
/**
 * `PseudonymRequest` of the OpenAPI document.
 */
export interface PseudonymRequest {
  user_id: string
}
/**
 * `ListedApproval` of the OpenAPI document.
 */
export interface ListedApproval {
  for: 'approval'
  approval_id: string
  call_id: string
  tool: string
  args: {
    [k: string]: unknown
  } | null
  args_hash: string
  policy_id: string | null
  policy_digest: string | null
  reason: string
  requested_at: string
  expires_at: string | null
  run_id: string
  thread_id: string
  assistant_id: string
  position: string
}
/**
 * `Approval` of the OpenAPI document.
 */
export interface Approval {
  approval_id: string
  call_id: string
  tool: string
  args: {
    [k: string]: unknown
  } | null
  args_hash: string
  policy_id: string | null
  policy_digest: string | null
  reason: string
  requested_at: string
  expires_at: string | null
  run_id: string
  thread_id: string
  assistant_id: string
  status: 'waiting' | 'approved' | 'rejected' | 'edited' | 'expired' | 'cancelled'
  answer: {
    decision: 'approve' | 'reject' | 'edit'
    by: {
      id: string
      role: string | null
    } | null
    actor: string
    at: string
    scope: 'once' | 'run' | 'always'
    message: string | null
  } | null
}
/**
 * `ApprovalDecision` of the OpenAPI document.
 */
export interface ApprovalDecision {
  decision: 'approve' | 'reject' | 'edit'
  message?: string
  note?: string
  args?: {
    [k: string]: unknown
  }
  scope?: 'once' | 'run' | 'always'
}
/**
 * `ListedInput` of the OpenAPI document.
 */
export interface ListedInput {
  for: 'input'
  call_id: string
  question: string
  why: string | null
  kind: 'text' | 'choice' | 'form'
  options: string[] | null
  form: QuestionField[] | null
  requested_at: string
  expires_at: string
  run_id: string
  thread_id: string
  assistant_id: string
  root_run_id: string
  root_thread_id: string
  position: string
}
/**
 * `InputAnswer` of the OpenAPI document.
 */
export interface InputAnswer {
  text?: string
  option?: string
  values?: {
    [k: string]: string | number | boolean | null
  }
  declined?: true
}
/**
 * `EffectResolved` of the OpenAPI document.
 */
export interface EffectResolved {
  code: 'accepted' | 'already'
}
/**
 * `WebhookDelivery` of the OpenAPI document.
 */
export interface WebhookDelivery {
  delivery_id: string
  on:
    | 'waiting'
    | 'completed'
    | 'safety_stopped'
    | 'refused'
    | 'guardrail_stopped'
    | 'loop_stopped'
    | 'budget_exhausted'
    | 'length_stopped'
    | 'interrupted'
    | 'cancelled'
    | 'rolled_back'
    | 'timed_out'
    | 'failed'
  origin: string
  endpoint: string | null
  requested_at: string
  status: 'pending' | 'delivered' | 'gave_up'
  replays: number
  attempts: {
    attempt: number
    started_at: string
    result: 'open' | 'delivered' | 'failed'
    status: number | null
    code: string | null
    duration_ms: number | null
    next_attempt_at: string | null
  }[]
}
/**
 * `Assistant` of the OpenAPI document.
 */
export interface Assistant {
  assistant_id: string
  graph_id: string
  name: string
  description: string | null
  metadata: {
    [k: string]: unknown
  }
  config: {
    [k: string]: unknown
  }
  context: {
    [k: string]: unknown
  }
  version: number
  created_at: string
  updated_at: string
  model?: {
    provider: string
    model: string
  }
  tools?: {
    name: string
    description: string
    effect: string
  }[]
  limits?: {
    [k: string]: number | null
  }
}
/**
 * `AssistantSearch` of the OpenAPI document.
 */
export interface AssistantSearch {
  graph_id?: string | null
  name?: string | null
  metadata?: {
    [k: string]: unknown
  } | null
  limit?: number
  offset?: number
  sort_by?: 'assistant_id' | 'created_at' | 'updated_at' | 'name' | 'graph_id' | null
  sort_order?: 'asc' | 'desc' | null
}
/**
 * `AssistantCount` of the OpenAPI document.
 */
export interface AssistantCount {
  graph_id?: string | null
  name?: string | null
  metadata?: {
    [k: string]: unknown
  } | null
}
/**
 * `Graph` of the OpenAPI document.
 */
export interface Graph {
  nodes: {
    id: string
    type: string
    data: {
      id: string[]
      name: string
    }
  }[]
  edges: {
    source: string
    target: string
    conditional?: boolean
  }[]
}
/**
 * `AssistantSchemas` of the OpenAPI document.
 */
export interface AssistantSchemas {
  graph_id: string
  input_schema: {
    [k: string]: unknown
  } | null
  output_schema: {
    [k: string]: unknown
  } | null
  state_schema: {
    [k: string]: unknown
  } | null
  config_schema: {
    [k: string]: unknown
  } | null
  context_schema: {
    [k: string]: unknown
  } | null
}
/**
 * `AssistantVersions` of the OpenAPI document.
 */
export interface AssistantVersions {
  limit?: number
  offset?: number
  metadata?: {
    [k: string]: unknown
  } | null
}
/**
 * `Key` of the OpenAPI document.
 */
export interface Key {
  id: string
  name: string
  scopes: string[]
  status: 'live' | 'expired' | 'revoked'
  created_at: string
  created_by: string
  expires_at: string | null
  revoked_at: string | null
  revoked_by: string | null
  last_used_at: string | null
}
/**
 * `KeyCreate` of the OpenAPI document.
 */
export interface KeyCreate {
  name: string
  /**
   * @maxItems 5
   */
  scopes: ('enqueue' | 'read' | 'approve' | 'audit' | 'admin')[]
  expires_at?: string | null
}
/**
 * `AssistantCreate` of the OpenAPI document.
 */
export interface AssistantCreate {
  graph_id: string
  assistant_id?: string | null
  if_exists?: 'raise' | 'do_nothing' | null
  name?: string | null
  description?: string | null
  metadata?: {
    [k: string]: unknown
  }
  config?: {
    [k: string]: unknown
  } | null
  context?: {
    [k: string]: unknown
  } | null
}
/**
 * `AssistantPatch` of the OpenAPI document.
 */
export interface AssistantPatch {
  graph_id?: string | null
  name?: string | null
  description?: string | null
  metadata?: {
    [k: string]: unknown
  }
  config?: {
    [k: string]: unknown
  } | null
  context?: {
    [k: string]: unknown
  } | null
}
/**
 * `AssistantLatest` of the OpenAPI document.
 */
export interface AssistantLatest {
  version: number
}
/**
 * `StorePut` of the OpenAPI document.
 */
export interface StorePut {
  namespace: unknown[]
  key: string
  value: {
    [k: string]: unknown
  }
  /**
   * Not available in this version. Items are not indexed by meaning: search by namespace_prefix and filter.
   */
  index?: {
    [k: string]: unknown
  }
  ttl?: number | null
}
/**
 * `StoreDelete` of the OpenAPI document.
 */
export interface StoreDelete {
  namespace: unknown[]
  key: string
}
/**
 * `StoreSearch` of the OpenAPI document.
 */
export interface StoreSearch {
  namespace_prefix?: unknown[] | null
  filter?: {
    [k: string]: unknown
  } | null
  limit?: number
  offset?: number
  /**
   * Not available in this version. Items are not indexed by meaning: search by namespace_prefix and filter.
   */
  query?: {
    [k: string]: unknown
  }
  refresh_ttl?: boolean | null
}
/**
 * `StoreNamespaces` of the OpenAPI document.
 */
export interface StoreNamespaces {
  prefix?: unknown[] | null
  suffix?: unknown[] | null
  max_depth?: number | null
  limit?: number
  offset?: number
}
/**
 * `Cron` of the OpenAPI document.
 */
export interface Cron {
  cron_id: string
  assistant_id: string
  thread_id: string | null
  on_run_completed: string
  schedule: string
  timezone: string | null
  end_time: string | null
  enabled: boolean
  payload: {
    [k: string]: unknown
  }
  metadata: {
    [k: string]: unknown
  }
  user_id: string | null
  created_at: string
  updated_at: string
  next_run_date: string | null
  last_run_date: string | null
  last_run_id: string | null
  last_error: string | null
}
/**
 * `CronCreate` of the OpenAPI document.
 */
export interface CronCreate {
  assistant_id: string
  input?:
    | string
    | {
        prompt: string
        files?: string[]
      }
    | {
        /**
         * @minItems 1
         * @maxItems 1000
         */
        messages: {
          id?: string
          role?: string
          type?: string
          content:
            | string
            | {
                type: 'text'
                text: string
              }[]
        }[]
        files?: string[]
      }
    | null
  metadata?: {
    [k: string]: unknown
  }
  if_not_exists?: 'create' | 'reject'
  multitask_strategy?: 'enqueue' | 'reject' | 'interrupt' | 'rollback' | null
  priority?: number | null
  after_seconds?: number | null
  /**
   * Default: values.
   */
  stream_mode?:
    | (
        | 'values'
        | 'updates'
        | 'messages-tuple'
        | 'messages'
        | 'custom'
        | 'events'
        | 'debug'
        | 'tasks'
        | 'checkpoints'
        | 'signalbox'
      )
    | (
        | 'values'
        | 'updates'
        | 'messages-tuple'
        | 'messages'
        | 'custom'
        | 'events'
        | 'debug'
        | 'tasks'
        | 'checkpoints'
        | 'signalbox'
      )[]
  /**
   * Told of the end of the run, and whenever it waits for a human.
   */
  webhook?: string | null
  command?: {
    resume?: unknown
    /**
     * Not available in this version. A run goes on from what was said.
     */
    update?: {
      [k: string]: unknown
    }
    /**
     * Not available in this version. The machine decides what comes next.
     */
    goto?: {
      [k: string]: unknown
    }
  } | null
  checkpoint_id?: string | null
  checkpoint?: {
    checkpoint_id?: string | null
  } | null
  interactive?: boolean | null
  context?: {
    [k: string]: unknown
  } | null
  config?: {
    configurable?: {
      [k: string]: unknown
    } | null
    recursion_limit?: number | null
    [k: string]: unknown
  } | null
  /**
   * Not available in this version. Name the tools in guardrails.approvalTools of the agent.
   */
  interrupt_before?: {
    [k: string]: unknown
  }
  /**
   * Not available in this version. Name the tools in guardrails.approvalTools of the agent.
   */
  interrupt_after?: {
    [k: string]: unknown
  }
  on_disconnect?: 'continue' | 'cancel' | null
  /**
   * Not available in this version. Threads are kept ("keep").
   */
  on_completion?: {
    [k: string]: unknown
  }
  /**
   * Five fields: minute, hour, day, month, weekday.
   */
  schedule: string
  /**
   * Default UTC.
   */
  timezone?: string | null
  end_time?: string | null
  enabled?: boolean | null
  /**
   * Not available in this version. Threads are kept ("keep").
   */
  on_run_completed?: {
    [k: string]: unknown
  }
}
/**
 * `CronSearch` of the OpenAPI document.
 */
export interface CronSearch {
  assistant_id?: string | null
  thread_id?: string | null
  enabled?: boolean | null
  metadata?: {
    [k: string]: unknown
  } | null
  limit?: number
  offset?: number
  sort_by?:
    'cron_id' | 'assistant_id' | 'thread_id' | 'created_at' | 'updated_at' | 'next_run_date' | null
  sort_order?: 'asc' | 'desc' | null
  select?: string[] | null
}
/**
 * `CronCount` of the OpenAPI document.
 */
export interface CronCount {
  assistant_id?: string | null
  thread_id?: string | null
  enabled?: boolean | null
  metadata?: {
    [k: string]: unknown
  } | null
}
/**
 * `CronPatch` of the OpenAPI document.
 */
export interface CronPatch {
  [k: string]: unknown
}
/**
 * `Health` of the OpenAPI document.
 */
export interface Health {
  ok: true
  status: 'ok'
  roles: string[]
  checks: {
    [k: string]: HealthCheck
  }
}
/**
 * `HealthCheck` of the OpenAPI document.
 */
export interface HealthCheck {
  ok: boolean
  needed: boolean
  why?: string
}
/**
 * `Live` of the OpenAPI document.
 */
export interface Live {
  ok: true
  status: 'ok'
}
/**
 * `ServerInfo` of the OpenAPI document.
 */
export interface ServerInfo {
  version: string
  roles: string[]
  flags: {
    [k: string]: boolean
  }
}
/**
 * `Home` of the OpenAPI document.
 */
export interface Home {
  name: 'Signalbox'
  ready: boolean
  version?: string
  agents?: HomeAgent[]
  links: {
    [k: string]: string
  }
  commands: {
    [k: string]: string
  }
}
/**
 * `HomeAgent` of the OpenAPI document.
 */
export interface HomeAgent {
  name: string
  model: string
  tools: string[]
}
/**
 * `RunAgentInput` of the OpenAPI document.
 */
export interface RunAgentInput {
  threadId: string
  runId: string
  parentRunId?: string
  /**
   * @maxItems 10000
   */
  messages: {
    id: string
    role: string
    [k: string]: unknown
  }[]
  /**
   * @maxItems 1000
   */
  tools?: {
    name: string
    [k: string]: unknown
  }[]
  /**
   * @maxItems 100
   */
  context?: {
    description: string
    value: string
    [k: string]: unknown
  }[]
  state?: unknown
  /**
   * @maxItems 64
   */
  resume?: {
    interruptId: string
    status: 'resolved' | 'cancelled'
    payload?: unknown
    [k: string]: unknown
  }[]
  [k: string]: unknown
}
/**
 * `ProtocolSuccess` of the OpenAPI document.
 */
export interface ProtocolSuccess {
  type: 'success'
  id: number
  result: {
    [k: string]: unknown
  }
}
/**
 * `ProtocolError` of the OpenAPI document.
 */
export interface ProtocolError {
  type: 'error'
  id: number | null
  error: string
  message: string
  problem: {
    [k: string]: unknown
  }
}
/**
 * `ProtocolCommand` of the OpenAPI document.
 */
export interface ProtocolCommand {
  id: number
  method: string
  params?: {
    [k: string]: unknown
  } | null
}
/**
 * `EventStreamRequest` of the OpenAPI document.
 */
export interface EventStreamRequest {
  /**
   * @minItems 1
   * @maxItems 50
   */
  channels: string[]
  /**
   * @maxItems 100
   */
  namespaces?: string[][] | null
  depth?: number | null
  since?: number | null
}
/**
 * Every operation of the API: what a request of it has, and what it answers.
 */
export interface Operations {
  /**
   * Creates a thread
   */
  'POST /threads': {
    body?: ThreadCreate
    answer: Thread
  }
  /**
   * Lists threads, newest first
   */
  'GET /threads': {
    query?: {
      limit?: number
      offset?: number
    }
    answer: Thread[]
  }
  /**
   * Gets a thread
   */
  'GET /threads/{thread_id}': {
    path: {
      thread_id: string
    }
    answer: Thread
  }
  /**
   * Changes the metadata of a thread, its title, and how long it lives
   */
  'PATCH /threads/{thread_id}': {
    path: {
      thread_id: string
    }
    body: ThreadPatch
    answer: Thread
  }
  /**
   * Deletes a thread and its runs for their users; runs under way are cancelled first
   */
  'DELETE /threads/{thread_id}': {
    path: {
      thread_id: string
    }
    answer: null
  }
  /**
   * Searches threads, newest first unless asked otherwise
   */
  'POST /threads/search': {
    body?: ThreadSearch
    answer: Thread[]
  }
  /**
   * Counts threads
   */
  'POST /threads/count': {
    body?: ThreadCount
    answer: number
  }
  /**
   * Gets the state of a thread
   */
  'GET /threads/{thread_id}/state': {
    path: {
      thread_id: string
    }
    answer: ThreadState
  }
  /**
   * Changes the metadata of a thread
   */
  'PATCH /threads/{thread_id}/state': {
    path: {
      thread_id: string
    }
    body: ThreadStatePatch
    answer: Thread
  }
  /**
   * Puts messages into a thread; with a checkpoint, goes back to it first
   */
  'POST /threads/{thread_id}/state': {
    path: {
      thread_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: StateUpdate
    answer: StateUpdated
  }
  /**
   * Gets the state of a thread at a checkpoint
   */
  'GET /threads/{thread_id}/state/{checkpoint_id}': {
    path: {
      thread_id: string
      checkpoint_id: string
    }
    answer: ThreadState
  }
  /**
   * Gets the state of a thread at a checkpoint, named whole
   */
  'POST /threads/{thread_id}/state/checkpoint': {
    path: {
      thread_id: string
    }
    body: {
      checkpoint: {
        checkpoint_id?: string | null
      }
    }
    answer: ThreadState
  }
  /**
   * Lists the states of a thread, newest first
   */
  'GET /threads/{thread_id}/history': {
    path: {
      thread_id: string
    }
    query?: {
      limit?: number
      before?: string
    }
    answer: ThreadState[]
  }
  /**
   * Lists the states of a thread, newest first
   */
  'POST /threads/{thread_id}/history': {
    path: {
      thread_id: string
    }
    body?: ThreadHistory
    answer: ThreadState[]
  }
  /**
   * Deletes a run for its users; one under way is cancelled first
   */
  'DELETE /threads/{thread_id}/runs/{run_id}': {
    path: {
      thread_id: string
      run_id: string
    }
    answer: null
  }
  /**
   * Gets a run
   */
  'GET /threads/{thread_id}/runs/{run_id}': {
    path: {
      thread_id: string
      run_id: string
    }
    answer: Run
  }
  /**
   * Deletes a run for its users; one under way is cancelled first
   */
  'DELETE /runs/{run_id}': {
    path: {
      run_id: string
    }
    answer: null
  }
  /**
   * Gets a run
   */
  'GET /runs/{run_id}': {
    path: {
      run_id: string
    }
    answer: Run
  }
  /**
   * Creates a thread that begins with all that was said on this one
   */
  'POST /threads/{thread_id}/copy': {
    path: {
      thread_id: string
    }
    answer: Thread
  }
  /**
   * Deletes threads for their users; of ids that name none, nothing is said
   */
  'POST /threads/prune': {
    body: ThreadPrune
    answer: {
      pruned_count: number
    }
  }
  /**
   * Tells what a model is shown of a thread: how much, and what was left out
   */
  'GET /threads/{thread_id}/context': {
    path: {
      thread_id: string
    }
    answer: ThreadContext
  }
  /**
   * Has what is before the newest turns of a thread summed up, and waits for it
   */
  'POST /threads/{thread_id}/compact': {
    path: {
      thread_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body?: ThreadCompact
    answer: ThreadCompacted
  }
  /**
   * Shows the plan that the model keeps in a thread, now or at a checkpoint
   */
  'GET /threads/{thread_id}/todos': {
    path: {
      thread_id: string
    }
    query?: {
      at?: string
    }
    answer: ThreadTodos
  }
  /**
   * Uploads files, for runs of the thread to name
   */
  'POST /threads/{thread_id}/uploads': {
    path: {
      thread_id: string
    }
    answer: Upload[]
  }
  /**
   * Lists the files of a thread by path, now or at a checkpoint
   */
  'GET /threads/{thread_id}/files': {
    path: {
      thread_id: string
    }
    query?: {
      limit?: number
      after?: string
      at?: string
      prefix?: string
      sha256?: '0' | '1' | 'false' | 'true'
    }
    answer: ThreadFile[]
  }
  /**
   * Reads a file of a thread, now or at a checkpoint; ranges of bytes, too
   */
  'GET /threads/{thread_id}/files/{path}': {
    path: {
      thread_id: string
      path: string
    }
    query?: {
      at?: string
    }
    header?: {
      range?: string
      'if-range'?: string
      'if-none-match'?: string
    }
    answer: null
  }
  /**
   * Writes a file of a thread whole: an edit, which a fork before it does not see
   */
  'PUT /threads/{thread_id}/files/{path}': {
    path: {
      thread_id: string
      path: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    answer: WrittenFile
  }
  /**
   * Deletes a file of a thread: an edit, so it is there at every earlier checkpoint
   */
  'DELETE /threads/{thread_id}/files/{path}': {
    path: {
      thread_id: string
      path: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    answer: null
  }
  /**
   * Lists the files that a run changed, as they were before it and as it left them
   */
  'GET /threads/{thread_id}/runs/{run_id}/files': {
    path: {
      thread_id: string
      run_id: string
    }
    query?: {
      limit?: number
      after?: string
    }
    answer: RunFile[]
  }
  /**
   * Lists the files that a run changed, as they were before it and as it left them
   */
  'GET /runs/{run_id}/files': {
    path: {
      run_id: string
    }
    query?: {
      limit?: number
      after?: string
    }
    answer: RunFile[]
  }
  /**
   * Lists runs of all threads, newest first
   */
  'GET /runs': {
    query?: {
      status?:
        | (
            | 'pending'
            | 'running'
            | 'error'
            | 'success'
            | 'timeout'
            | 'interrupted'
            | 'queued'
            | 'waiting'
            | 'ended'
          )
        | (
            | 'pending'
            | 'running'
            | 'error'
            | 'success'
            | 'timeout'
            | 'interrupted'
            | 'queued'
            | 'waiting'
            | 'ended'
          )[]
      outcome?:
        | (
            | 'completed'
            | 'safety_stopped'
            | 'refused'
            | 'guardrail_stopped'
            | 'loop_stopped'
            | 'budget_exhausted'
            | 'length_stopped'
            | 'interrupted'
            | 'cancelled'
            | 'rolled_back'
            | 'timed_out'
            | 'failed'
          )
        | (
            | 'completed'
            | 'safety_stopped'
            | 'refused'
            | 'guardrail_stopped'
            | 'loop_stopped'
            | 'budget_exhausted'
            | 'length_stopped'
            | 'interrupted'
            | 'cancelled'
            | 'rolled_back'
            | 'timed_out'
            | 'failed'
          )[]
      state?:
        | (
            | 'queued'
            | 'context'
            | 'model'
            | 'safety'
            | 'guardrail'
            | 'approval'
            | 'input'
            | 'tools'
            | 'loop'
            | 'cancelling'
            | 'completed'
            | 'failed'
            | 'cancelled'
          )
        | (
            | 'queued'
            | 'context'
            | 'model'
            | 'safety'
            | 'guardrail'
            | 'approval'
            | 'input'
            | 'tools'
            | 'loop'
            | 'cancelling'
            | 'completed'
            | 'failed'
            | 'cancelled'
          )[]
      agent?: string | string[]
      end_user?: string | string[]
      thread_id?: string | string[]
      waits_for?:
        | (
            | 'approval'
            | 'input'
            | 'unknown'
            | 'paused'
            | 'worker'
            | 'child'
            | 'tool'
            | 'model'
            | 'policy'
            | 'delay'
            | 'thread'
            | 'lane'
            | 'orchestrator'
          )
        | (
            | 'approval'
            | 'input'
            | 'unknown'
            | 'paused'
            | 'worker'
            | 'child'
            | 'tool'
            | 'model'
            | 'policy'
            | 'delay'
            | 'thread'
            | 'lane'
            | 'orchestrator'
          )[]
      since?: string
      until?: string
      ended_since?: string
      ended_until?: string
      metadata?: string
      limit?: number
      after?: string
    }
    answer: RunPage
  }
  /**
   * Creates a run on a new thread
   */
  'POST /runs': {
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunCreate
    answer: Run
  }
  /**
   * Counts runs by up to 3 of: status, state, agent, outcome
   */
  'GET /runs/stats': {
    query?: {
      status?:
        | (
            | 'pending'
            | 'running'
            | 'error'
            | 'success'
            | 'timeout'
            | 'interrupted'
            | 'queued'
            | 'waiting'
            | 'ended'
          )
        | (
            | 'pending'
            | 'running'
            | 'error'
            | 'success'
            | 'timeout'
            | 'interrupted'
            | 'queued'
            | 'waiting'
            | 'ended'
          )[]
      outcome?:
        | (
            | 'completed'
            | 'safety_stopped'
            | 'refused'
            | 'guardrail_stopped'
            | 'loop_stopped'
            | 'budget_exhausted'
            | 'length_stopped'
            | 'interrupted'
            | 'cancelled'
            | 'rolled_back'
            | 'timed_out'
            | 'failed'
          )
        | (
            | 'completed'
            | 'safety_stopped'
            | 'refused'
            | 'guardrail_stopped'
            | 'loop_stopped'
            | 'budget_exhausted'
            | 'length_stopped'
            | 'interrupted'
            | 'cancelled'
            | 'rolled_back'
            | 'timed_out'
            | 'failed'
          )[]
      state?:
        | (
            | 'queued'
            | 'context'
            | 'model'
            | 'safety'
            | 'guardrail'
            | 'approval'
            | 'input'
            | 'tools'
            | 'loop'
            | 'cancelling'
            | 'completed'
            | 'failed'
            | 'cancelled'
          )
        | (
            | 'queued'
            | 'context'
            | 'model'
            | 'safety'
            | 'guardrail'
            | 'approval'
            | 'input'
            | 'tools'
            | 'loop'
            | 'cancelling'
            | 'completed'
            | 'failed'
            | 'cancelled'
          )[]
      agent?: string | string[]
      end_user?: string | string[]
      thread_id?: string | string[]
      waits_for?:
        | (
            | 'approval'
            | 'input'
            | 'unknown'
            | 'paused'
            | 'worker'
            | 'child'
            | 'tool'
            | 'model'
            | 'policy'
            | 'delay'
            | 'thread'
            | 'lane'
            | 'orchestrator'
          )
        | (
            | 'approval'
            | 'input'
            | 'unknown'
            | 'paused'
            | 'worker'
            | 'child'
            | 'tool'
            | 'model'
            | 'policy'
            | 'delay'
            | 'thread'
            | 'lane'
            | 'orchestrator'
          )[]
      since?: string
      until?: string
      ended_since?: string
      ended_until?: string
      metadata?: string
      group_by?: string
      limit?: number
    }
    answer: RunStats
  }
  /**
   * Retries runs that have ended: those that are named, or those that a filter finds
   */
  'POST /runs/retry': {
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunsRetry
    answer: RunsRetried
  }
  /**
   * Asks once more, on the same thread, what a run that has ended was asked: its calls execute
   */
  'POST /threads/{thread_id}/runs/{run_id}/retry': {
    path: {
      thread_id: string
      run_id: string
    }
    query?: {
      again?: '0' | '1' | 'false' | 'true'
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    answer: Run
  }
  /**
   * Asks once more, on the same thread, what a run that has ended was asked: its calls execute
   */
  'POST /runs/{run_id}/retry': {
    path: {
      run_id: string
    }
    query?: {
      again?: '0' | '1' | 'false' | 'true'
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    answer: Run
  }
  /**
   * Lists the queues that have open tool calls, with what waits in each
   */
  'GET /queues': {
    answer: Queue[]
  }
  /**
   * Pauses an agent, a tool or a queue: from the answer on, nothing new of it starts
   */
  'POST /pauses': {
    body: PauseCreate
    answer: Pause
  }
  /**
   * Lists the pauses that stand, in the order in which they were set
   */
  'GET /pauses': {
    answer: Pause[]
  }
  /**
   * Lifts a pause: what waited for it goes on
   */
  'DELETE /pauses/{pause_id}': {
    path: {
      pause_id: string
    }
    answer: null
  }
  /**
   * Creates runs, each on a new thread
   */
  'POST /runs/batch': {
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunBatch
    answer: Run[]
  }
  /**
   * Cancels runs of a thread, or those that a filter finds: no new effect of them starts
   */
  'POST /runs/cancel': {
    query?: {
      /**
       * `rollback`: what the run said and did to the workspace is undone, and hidden.
       */
      action?: 'interrupt' | 'rollback'
    }
    body: RunsCancel
    answer: RunsCancelled
  }
  /**
   * Creates a run on a thread
   */
  'POST /threads/{thread_id}/runs': {
    path: {
      thread_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunCreate
    answer: Run
  }
  /**
   * Lists the runs of a thread, newest first
   */
  'GET /threads/{thread_id}/runs': {
    path: {
      thread_id: string
    }
    query?: {
      limit?: number
      offset?: number
      status?: 'pending' | 'running' | 'error' | 'success' | 'timeout' | 'interrupted'
    }
    answer: Run[]
  }
  /**
   * Creates a run on a thread and waits for it
   */
  'POST /threads/{thread_id}/runs/wait': {
    path: {
      thread_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunCreate
    answer: Values
  }
  /**
   * Creates a run on a thread and streams it
   */
  'POST /threads/{thread_id}/runs/stream': {
    path: {
      thread_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunCreate
    answer: null
  }
  /**
   * Creates a run on a new thread and waits for it
   */
  'POST /runs/wait': {
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunCreate
    answer: Values
  }
  /**
   * Creates a run on a new thread and streams it
   */
  'POST /runs/stream': {
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunCreate
    answer: null
  }
  /**
   * Repeats a run that has ended, on a new thread: recorded results answer its calls
   */
  'POST /threads/{thread_id}/runs/{run_id}/rerun': {
    path: {
      thread_id: string
      run_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunRerun
    answer: Run
  }
  /**
   * Repeats a run that has ended, on a new thread: recorded results answer its calls
   */
  'POST /runs/{run_id}/rerun': {
    path: {
      run_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: RunRerun
    answer: Run
  }
  /**
   * Lists the runs that a run has started, in the order of their starting
   */
  'GET /threads/{thread_id}/runs/{run_id}/children': {
    path: {
      thread_id: string
      run_id: string
    }
    answer: Run[]
  }
  /**
   * Waits for a run
   */
  'GET /threads/{thread_id}/runs/{run_id}/join': {
    path: {
      thread_id: string
      run_id: string
    }
    query?: {
      /**
       * Default: those that the run was created with.
       */
      stream_mode?:
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )[]
      cancel_on_disconnect?: '0' | '1' | 'false' | 'true'
    }
    answer: Values
  }
  /**
   * Streams a run; Last-Event-ID resumes after that frame
   */
  'GET /threads/{thread_id}/runs/{run_id}/stream': {
    path: {
      thread_id: string
      run_id: string
    }
    query?: {
      /**
       * Default: those that the run was created with.
       */
      stream_mode?:
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )[]
      cancel_on_disconnect?: '0' | '1' | 'false' | 'true'
    }
    header?: {
      /**
       * The id of the last frame that the client has.
       */
      'last-event-id'?: string
    }
    answer: null
  }
  /**
   * Cancels a run: from the answer on, no new effect of it starts
   */
  'POST /threads/{thread_id}/runs/{run_id}/cancel': {
    path: {
      thread_id: string
      run_id: string
    }
    query?: {
      wait?: '0' | '1' | 'false' | 'true'
      /**
       * `rollback`: what the run said and did to the workspace is undone, and hidden.
       */
      action?: 'interrupt' | 'rollback'
      reason?: string
    }
    answer: Run
  }
  /**
   * Lists the runs that a run has started, in the order of their starting
   */
  'GET /runs/{run_id}/children': {
    path: {
      run_id: string
    }
    answer: Run[]
  }
  /**
   * Waits for a run
   */
  'GET /runs/{run_id}/join': {
    path: {
      run_id: string
    }
    query?: {
      /**
       * Default: those that the run was created with.
       */
      stream_mode?:
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )[]
      cancel_on_disconnect?: '0' | '1' | 'false' | 'true'
    }
    answer: Values
  }
  /**
   * Streams a run; Last-Event-ID resumes after that frame
   */
  'GET /runs/{run_id}/stream': {
    path: {
      run_id: string
    }
    query?: {
      /**
       * Default: those that the run was created with.
       */
      stream_mode?:
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )
        | (
            | 'values'
            | 'updates'
            | 'messages-tuple'
            | 'messages'
            | 'custom'
            | 'events'
            | 'debug'
            | 'tasks'
            | 'checkpoints'
            | 'signalbox'
          )[]
      cancel_on_disconnect?: '0' | '1' | 'false' | 'true'
    }
    header?: {
      /**
       * The id of the last frame that the client has.
       */
      'last-event-id'?: string
    }
    answer: null
  }
  /**
   * Cancels a run: from the answer on, no new effect of it starts
   */
  'POST /runs/{run_id}/cancel': {
    path: {
      run_id: string
    }
    query?: {
      wait?: '0' | '1' | 'false' | 'true'
      /**
       * `rollback`: what the run said and did to the workspace is undone, and hidden.
       */
      action?: 'interrupt' | 'rollback'
      reason?: string
    }
    answer: Run
  }
  /**
   * Says something to a run that goes on: the model is shown it before its next turn
   */
  'POST /threads/{thread_id}/runs/{run_id}/input': {
    path: {
      thread_id: string
      run_id: string
    }
    header?: {
      /**
       * The same key and body are said to the run once.
       */
      'idempotency-key'?: string
    }
    body: RunInput
    answer: InputAccepted
  }
  /**
   * Says something to a run that goes on: the model is shown it before its next turn
   */
  'POST /runs/{run_id}/input': {
    path: {
      run_id: string
    }
    header?: {
      /**
       * The same key and body are said to the run once.
       */
      'idempotency-key'?: string
    }
    body: RunInput
    answer: InputAccepted
  }
  /**
   * Tells what became of the calls of a run: finished, never started, unknown
   */
  'GET /threads/{thread_id}/runs/{run_id}/report': {
    path: {
      thread_id: string
      run_id: string
    }
    answer: RunReport
  }
  /**
   * Tells what became of the calls of a run: finished, never started, unknown
   */
  'GET /runs/{run_id}/report': {
    path: {
      run_id: string
    }
    answer: RunReport
  }
  /**
   * Explains for each call of a run why it ran or did not, from its events alone
   */
  'GET /threads/{thread_id}/runs/{run_id}/explanation': {
    path: {
      thread_id: string
      run_id: string
    }
    answer: RunExplanation
  }
  /**
   * Explains for each call of a run why it ran or did not, from its events alone
   */
  'GET /runs/{run_id}/explanation': {
    path: {
      run_id: string
    }
    answer: RunExplanation
  }
  /**
   * Sends a message, or answers to approvals, and streams what is said to it
   */
  'POST /chat/{agent}': {
    path: {
      agent: string
    }
    body: ChatPost
    answer: null
  }
  /**
   * Streams the message that is being written, from its beginning
   */
  'GET /chat/{agent}/{chat_id}/stream': {
    path: {
      agent: string
      chat_id: string
    }
    query?: {
      /**
       * This message, or the one that answers it, even if it is complete.
       */
      message_id?: string
    }
    answer: null
  }
  /**
   * Stops a chat: from the answer on, no new effect of what was going on starts
   */
  'POST /chat/{agent}/{chat_id}/stop': {
    path: {
      agent: string
      chat_id: string
    }
    answer: ChatStopped
  }
  /**
   * Lists the events of a run, in order
   */
  'GET /threads/{thread_id}/runs/{run_id}/events': {
    path: {
      thread_id: string
      run_id: string
    }
    query?: {
      after?: number
      limit?: number
    }
    answer: {
      events: Event[]
      next: number | null
    }
  }
  /**
   * Lists the events of a run, in order
   */
  'GET /runs/{run_id}/events': {
    path: {
      run_id: string
    }
    query?: {
      after?: number
      limit?: number
    }
    answer: {
      events: Event[]
      next: number | null
    }
  }
  /**
   * The audit: events of all runs, in the order of the feed
   */
  'GET /events': {
    query?: {
      type?: string | string[]
      rule?: string | string[]
      thread_id?: string | string[]
      run_id?: string | string[]
      tool?: string | string[]
      actor?: string | string[]
      verdict?: string | string[]
      agent?: string | string[]
      outcome?: string | string[]
      end_user?: string | string[]
      since?: string
      until?: string
      after?: string
      q?: string
      format?: 'json' | 'ndjson' | 'csv' | 'parquet'
      header?: '0' | '1' | 'false' | 'true'
      limit?: number
    }
    answer: {
      events: Event[]
      next: string | null
    }
  }
  /**
   * Counts events, or the runs that have them, by up to 3 of: type, tool, verdict, actor, agent, outcome, end_user, hour, day
   */
  'GET /events/stats': {
    query?: {
      type?: string | string[]
      rule?: string | string[]
      thread_id?: string | string[]
      run_id?: string | string[]
      tool?: string | string[]
      actor?: string | string[]
      verdict?: string | string[]
      agent?: string | string[]
      outcome?: string | string[]
      end_user?: string | string[]
      since?: string
      until?: string
      after?: string
      q?: string
      group_by?: string
      of?: 'events' | 'runs'
      limit?: number
    }
    answer: EventStats
  }
  /**
   * Lists the saved queries, with their columns
   */
  'GET /events/queries': {
    answer: SavedQuery[]
  }
  /**
   * Asks a saved query
   */
  'GET /events/queries/{name}': {
    path: {
      name: string
    }
    query?: {
      thread_id?: string | string[]
      run_id?: string | string[]
      tool?: string | string[]
      actor?: string | string[]
      verdict?: string | string[]
      agent?: string | string[]
      outcome?: string | string[]
      end_user?: string | string[]
      since?: string
      until?: string
      after?: string
      path?: string
      limit?: number
    }
    answer: {
      name:
        | 'denied_calls'
        | 'unknown_outcomes'
        | 'approvals'
        | 'safety_stops'
        | 'executed_calls'
        | 'file_changes'
        | 'unapproved_calls'
        | 'definitions'
        | 'administration'
        | 'log_access'
      rows: {
        [k: string]: unknown
      }[]
      next: string | null
    }
  }
  /**
   * Shows a definition that runs of the tenant have used: prompt, tools, policies, limits
   */
  'GET /definitions/{hash}': {
    path: {
      hash: string
    }
    answer: Definition
  }
  /**
   * Adds up tokens, money, calls and runs by up to 3 of: user, end_user, agent, month, day
   */
  'GET /usage': {
    query?: {
      by?: string
      since?: string
      until?: string
      agent?: string | string[]
      limit?: number
    }
    answer: Usage
  }
  /**
   * Computes the pseudonym of an end user, to look for it in the log
   */
  'POST /pseudonyms': {
    body: PseudonymRequest
    answer: Pseudonym
  }
  /**
   * Lists calls that wait for an approval, oldest first
   */
  'GET /approvals': {
    query?: {
      run_id?: string
      limit?: number
      after?: string
    }
    answer: ListedApproval[]
  }
  /**
   * Gets an approval: what is asked, what was decided, by whom, when
   */
  'GET /approvals/{approval_id}': {
    path: {
      approval_id: string
    }
    answer: Approval
  }
  /**
   * Decides about a call: the first decision stands
   */
  'POST /approvals/{approval_id}': {
    path: {
      approval_id: string
    }
    body: ApprovalDecision
    answer: {
      code: 'accepted' | 'already'
    }
  }
  /**
   * Decides about a call of a run: the first decision stands
   */
  'POST /runs/{run_id}/approvals/{call_id}': {
    path: {
      run_id: string
      call_id: string
    }
    body: ApprovalDecision
    answer: {
      code: 'accepted' | 'already'
    }
  }
  /**
   * Lists questions of models that wait for a person, oldest first
   */
  'GET /inputs': {
    query?: {
      run_id?: string
      limit?: number
      after?: string
    }
    answer: ListedInput[]
  }
  /**
   * Answers a question of the model: the first answer stands, and the same run goes on
   */
  'POST /runs/{run_id}/inputs/{call_id}': {
    path: {
      run_id: string
      call_id: string
    }
    body: InputAnswer
    answer: {
      code: 'accepted' | 'already'
    }
  }
  /**
   * Lists effects whose outcome is unknown
   */
  'GET /unknown': {
    answer: UnknownEffect[]
  }
  /**
   * Says what became of an effect whose outcome is unknown
   */
  'POST /runs/{run_id}/effects/{effect_id}/resolve': {
    path: {
      run_id: string
      effect_id: string
    }
    body: {
      resolution: 'happened' | 'not_happened' | 'retry'
      output?:
        | string
        | {
            text: string
            is_error?: boolean
          }
      note?: string
    }
    answer: EffectResolved
  }
  /**
   * Lists the webhooks of a run, with each attempt to deliver them
   */
  'GET /threads/{thread_id}/runs/{run_id}/webhooks': {
    path: {
      thread_id: string
      run_id: string
    }
    answer: WebhookDelivery[]
  }
  /**
   * Delivers a webhook once more, under the same id
   */
  'POST /threads/{thread_id}/runs/{run_id}/webhooks/{delivery_id}/replay': {
    path: {
      thread_id: string
      run_id: string
      delivery_id: string
    }
    answer: WebhookDelivery
  }
  /**
   * Searches the assistants: those that are configured, and those that were made
   */
  'POST /assistants/search': {
    body?: AssistantSearch
    answer: Assistant[]
  }
  /**
   * Counts the assistants
   */
  'POST /assistants/count': {
    body?: AssistantCount
    answer: number
  }
  /**
   * The machine of an agent, as a graph
   */
  'GET /assistants/{assistant_id}/graph': {
    path: {
      assistant_id: string
    }
    answer: Graph
  }
  /**
   * What an agent takes and gives
   */
  'GET /assistants/{assistant_id}/schemas': {
    path: {
      assistant_id: string
    }
    answer: AssistantSchemas
  }
  /**
   * The graphs within that of an agent: none
   */
  'GET /assistants/{assistant_id}/subgraphs': {
    path: {
      assistant_id: string
    }
    answer: {}
  }
  /**
   * The graphs within a part of an agent: none
   */
  'GET /assistants/{assistant_id}/subgraphs/{namespace}': {
    path: {
      assistant_id: string
      namespace: string
    }
    answer: {}
  }
  /**
   * Lists the versions of an assistant, newest first; an agent has the one that is configured
   */
  'POST /assistants/{assistant_id}/versions': {
    path: {
      assistant_id: string
    }
    body?: AssistantVersions
    answer: Assistant[]
  }
  /**
   * Makes a key; its text is in this answer and never again
   */
  'POST /keys': {
    body: KeyCreate
    answer: NewKey
  }
  /**
   * Lists keys, newest first, with those that are revoked or expired
   */
  'GET /keys': {
    query?: {
      limit?: number
      offset?: number
    }
    answer: Key[]
  }
  /**
   * Revokes a key: within five seconds no process knows it any more
   */
  'DELETE /keys/{key_id}': {
    path: {
      key_id: string
    }
    answer: Key
  }
  /**
   * Makes an assistant of an agent
   */
  'POST /assistants': {
    body: AssistantCreate
    answer: Assistant
  }
  /**
   * Lists the agents
   */
  'GET /assistants': {
    answer: Assistant[]
  }
  /**
   * Makes a version of an assistant, with what is sent
   */
  'PATCH /assistants/{assistant_id}': {
    path: {
      assistant_id: string
    }
    body: AssistantPatch
    answer: Assistant
  }
  /**
   * Deletes an assistant with its versions. Runs of it stay
   */
  'DELETE /assistants/{assistant_id}': {
    path: {
      assistant_id: string
    }
    query?: {
      /**
       * Not available in this version. Threads are kept.
       */
      delete_threads?: {
        [k: string]: unknown
      }
    }
    answer: null
  }
  /**
   * Gets an agent
   */
  'GET /assistants/{assistant_id}': {
    path: {
      assistant_id: string
    }
    answer: Assistant
  }
  /**
   * Lets runs use another version of an assistant
   */
  'POST /assistants/{assistant_id}/latest': {
    path: {
      assistant_id: string
    }
    body: AssistantLatest
    answer: Assistant
  }
  /**
   * Writes an item whole
   */
  'PUT /store/items': {
    body: StorePut
    answer: null
  }
  /**
   * Deletes an item, if it is there
   */
  'DELETE /store/items': {
    body: StoreDelete
    answer: null
  }
  /**
   * Gets an item; null if it is not there
   */
  'GET /store/items': {
    query: {
      namespace: string
      key: string
      refresh_ttl?: '0' | '1' | 'false' | 'true'
    }
    answer: StoreItem
  }
  /**
   * Searches the items under a prefix, newest first
   */
  'POST /store/items/search': {
    body: StoreSearch
    answer: {
      items: StoreItem[]
    }
  }
  /**
   * Lists the namespaces that have items
   */
  'POST /store/namespaces': {
    body: StoreNamespaces
    answer: {
      namespaces: string[][]
    }
  }
  /**
   * Makes a cron: runs at times, on a thread
   */
  'POST /threads/{thread_id}/runs/crons': {
    path: {
      thread_id: string
    }
    body: CronCreate
    answer: Cron
  }
  /**
   * Makes a cron: runs at times, each on a new thread
   */
  'POST /runs/crons': {
    body: CronCreate
    answer: Cron
  }
  /**
   * Searches the crons, newest first
   */
  'POST /runs/crons/search': {
    body: CronSearch
    answer: Cron[]
  }
  /**
   * Counts the crons
   */
  'POST /runs/crons/count': {
    body: CronCount
    answer: number
  }
  /**
   * Changes a cron: the fields that are sent
   */
  'PATCH /runs/crons/{cron_id}': {
    path: {
      cron_id: string
    }
    body: CronPatch
    answer: Cron
  }
  /**
   * Gets a cron, and what came of its last time
   */
  'GET /runs/crons/{cron_id}': {
    path: {
      cron_id: string
    }
    answer: Cron
  }
  /**
   * Deletes a cron. Its runs stay
   */
  'DELETE /runs/crons/{cron_id}': {
    path: {
      cron_id: string
    }
    answer: null
  }
  /**
   * Can this process do all of its work?
   */
  'GET /ready': {
    answer: Health
  }
  /**
   * Can this process do all of its work?
   */
  'GET /ok': {
    answer: Health
  }
  /**
   * Can this process go on? If not, only a restart helps it
   */
  'GET /live': {
    answer: Live
  }
  /**
   * Metrics, in the text format of Prometheus
   */
  'GET /metrics': {
    answer: null
  }
  /**
   * What this server is
   */
  'GET /info': {
    answer: ServerInfo
  }
  /**
   * This document: every operation, in OpenAPI 3.1
   */
  'GET /openapi.json': {
    answer: {
      openapi: string
      info: {
        title: string
        version: string
        [k: string]: unknown
      }
      paths: {
        [k: string]: {
          [k: string]: unknown
        }
      }
      [k: string]: unknown
    }
  }
  /**
   * What this server is, where to go on, and what to type: a page, or JSON
   */
  'GET /': {
    header?: {
      /**
       * The `ETag` of an answer that the client has.
       */
      'if-none-match'?: string
    }
    answer: Home
  }
  /**
   * The reference of this API, for people: a page without scripts
   */
  'GET /docs': {
    header?: {
      /**
       * The `ETag` of an answer that the client has.
       */
      'if-none-match'?: string
    }
    answer: null
  }
  /**
   * AG-UI: runs an agent, or lets a run go on, and streams it
   */
  'POST /ag-ui/{agent}': {
    path: {
      agent: string
    }
    body: RunAgentInput
    answer: null
  }
  /**
   * AG-UI: cancels a run by the client's own runId
   */
  'POST /ag-ui/{agent}/runs/{run_id}/cancel': {
    path: {
      agent: string
      run_id: string
    }
    query?: {
      wait?: '0' | '1' | 'false' | 'true'
    }
    answer: Run
  }
  /**
   * AG-UI: cancels all that is open on a thread
   */
  'POST /ag-ui/{agent}/threads/{thread_id}/cancel': {
    path: {
      agent: string
      thread_id: string
    }
    answer: null
  }
  /**
   * A2A: the card of an agent
   */
  'GET /a2a/{agent}/.well-known/agent-card.json': {
    path: {
      agent: string
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: the card of the host, which is that of its first agent
   */
  'GET /.well-known/agent-card.json': {
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: the JSON-RPC binding
   */
  'POST /a2a/{agent}': {
    path: {
      agent: string
    }
    body: {
      [k: string]: unknown
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: lists tasks, newest first
   */
  'GET /a2a/{agent}/tasks': {
    path: {
      agent: string
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: sends a message and waits for what comes of it
   */
  'POST /a2a/{agent}/message:send': {
    path: {
      agent: string
    }
    body: {
      [k: string]: unknown
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: sends a message and streams the task
   */
  'POST /a2a/{agent}/message:stream': {
    path: {
      agent: string
    }
    body: {
      [k: string]: unknown
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: gets a task, or with :subscribe follows it
   */
  'GET /a2a/{agent}/tasks/{run_id}': {
    path: {
      agent: string
      run_id: string
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: cancels a task with :cancel, follows it with :subscribe
   */
  'POST /a2a/{agent}/tasks/{run_id}': {
    path: {
      agent: string
      run_id: string
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A: CreateTaskPushNotificationConfig, which is refused: webhooks and one card are what there is
   */
  'POST /a2a/{agent}/tasks/{task}/pushNotificationConfigs': {
    path: {
      agent: string
      task: string
    }
    answer: null
  }
  /**
   * A2A: ListTaskPushNotificationConfigs, which is refused: webhooks and one card are what there is
   */
  'GET /a2a/{agent}/tasks/{task}/pushNotificationConfigs': {
    path: {
      agent: string
      task: string
    }
    answer: null
  }
  /**
   * A2A: GetTaskPushNotificationConfig, which is refused: webhooks and one card are what there is
   */
  'GET /a2a/{agent}/tasks/{task}/pushNotificationConfigs/{config}': {
    path: {
      agent: string
      task: string
      config: string
    }
    answer: null
  }
  /**
   * A2A: DeleteTaskPushNotificationConfig, which is refused: webhooks and one card are what there is
   */
  'DELETE /a2a/{agent}/tasks/{task}/pushNotificationConfigs/{config}': {
    path: {
      agent: string
      task: string
      config: string
    }
    answer: null
  }
  /**
   * A2A: GetExtendedAgentCard, which is refused: webhooks and one card are what there is
   */
  'GET /a2a/{agent}/extendedAgentCard': {
    path: {
      agent: string
    }
    answer: null
  }
  /**
   * A2A 0.3: sends a message and waits for what comes of it
   */
  'POST /a2a/{agent}/v1/message:send': {
    path: {
      agent: string
    }
    body: {
      [k: string]: unknown
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A 0.3: sends a message and streams the task
   */
  'POST /a2a/{agent}/v1/message:stream': {
    path: {
      agent: string
    }
    body: {
      [k: string]: unknown
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A 0.3: gets a task, or with :subscribe follows it
   */
  'GET /a2a/{agent}/v1/tasks/{run_id}': {
    path: {
      agent: string
      run_id: string
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A 0.3: cancels a task with :cancel, follows it with :subscribe
   */
  'POST /a2a/{agent}/v1/tasks/{run_id}': {
    path: {
      agent: string
      run_id: string
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * A2A 0.3: CreateTaskPushNotificationConfig, which is refused: webhooks and one card are what there is
   */
  'POST /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs': {
    path: {
      agent: string
      task: string
    }
    answer: null
  }
  /**
   * A2A 0.3: ListTaskPushNotificationConfigs, which is refused: webhooks and one card are what there is
   */
  'GET /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs': {
    path: {
      agent: string
      task: string
    }
    answer: null
  }
  /**
   * A2A 0.3: GetTaskPushNotificationConfig, which is refused: webhooks and one card are what there is
   */
  'GET /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs/{config}': {
    path: {
      agent: string
      task: string
      config: string
    }
    answer: null
  }
  /**
   * A2A 0.3: DeleteTaskPushNotificationConfig, which is refused: webhooks and one card are what there is
   */
  'DELETE /a2a/{agent}/v1/tasks/{task}/pushNotificationConfigs/{config}': {
    path: {
      agent: string
      task: string
      config: string
    }
    answer: null
  }
  /**
   * A2A 0.3: GetExtendedAgentCard, which is refused: webhooks and one card are what there is
   */
  'GET /a2a/{agent}/v1/card': {
    path: {
      agent: string
    }
    answer: null
  }
  /**
   * Agent Protocol v2: a command. Refusals are answers too, of type `error`
   */
  'POST /threads/{thread_id}/commands': {
    path: {
      thread_id: string
    }
    header?: {
      /**
       * The same key and body give the same run. An alias of the run id.
       */
      'idempotency-key'?: string
    }
    body: ProtocolCommand
    answer: ProtocolSuccess | ProtocolError
  }
  /**
   * Agent Protocol v2: the events of a thread; `since` resumes after that `seq`
   */
  'POST /threads/{thread_id}/stream/events': {
    path: {
      thread_id: string
    }
    body: EventStreamRequest
    answer: null
  }
  /**
   * Agent Protocol v2 on a WebSocket: commands, and subscriptions to events
   */
  'GET /threads/{thread_id}/stream/events': {
    path: {
      thread_id: string
    }
    answer: null
  }
  /**
   * Agent Protocol v2: the events of a thread; `since` resumes after that `seq`
   */
  'POST /threads/{thread_id}/stream': {
    path: {
      thread_id: string
    }
    body: EventStreamRequest
    answer: null
  }
  /**
   * Streams a thread, whichever run goes on; Last-Event-ID resumes after that frame
   */
  'GET /threads/{thread_id}/stream': {
    path: {
      thread_id: string
    }
    query?: {
      stream_mode?: ('run_modes' | 'lifecycle' | 'state_update')[]
    }
    header?: {
      /**
       * The id of the last frame that the client has.
       */
      'last-event-id'?: string
    }
    answer: null
  }
}
/**
 * Payloads of events, by the type of the event, in their current version.
 */
export interface EventPayloads {
  'run.created': {
    agent: string
    definitionHash: string
    machine: string
    machineVersion: number
    input: {
      id: string
      role: 'user' | 'system'
      parts: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
    }[]
    /**
     * @maxItems 1000
     */
    history?: {
      id: string
      role: 'user' | 'system' | 'assistant'
      parts: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
    }[]
    metadata: {
      [k: string]: unknown
    }
    user?: {
      id: string
      role: string | null
    }
    endUser?: string
    multitask?: 'reject' | 'interrupt' | 'rollback'
    delayMs?: number
    priority?: number
    base?: {
      runId: string
      seq: number
    }
    edit?: {
      /**
       * @maxItems 1000
       */
      messages: {
        id: string
        role: 'user' | 'system' | 'assistant'
        parts: (
          | {
              type: 'text'
              text: string
              meta?: {
                [k: string]: unknown
              }
            }
          | {
              type: 'blob'
              key: string
              bytes: number
              mime: string
              preview: string
            }
        )[]
      }[]
    }
    compact?: {
      instructions?: string
    }
    files?:
      | {
          path: string
          key: string | null
          bytes: number
          mime?: string
          text?: string
          executable?: true
          edit?: {
            key: string
            since: string
          }
        }[]
      | {
          manifest: string
          count: number
        }
    parent?: {
      runId: string
      callId: string
      effectId: string
      rootId: string
      depth: number
    }
    rerun?: {
      runId: string
    }
    retry?: {
      runId: string
    }
    client?: {
      /**
       * @maxItems 16
       */
      streamModes?: string[]
      recursionLimit?: number
    }
    interactive?: false
    fields?: {
      [k: string]: unknown
    }
    title?: 'made' | 'open'
    /**
     * @maxItems 5
     */
    webhooks?: {
      /**
       * @minItems 1
       */
      on: (
        | 'waiting'
        | 'completed'
        | 'safety_stopped'
        | 'refused'
        | 'guardrail_stopped'
        | 'loop_stopped'
        | 'budget_exhausted'
        | 'length_stopped'
        | 'interrupted'
        | 'cancelled'
        | 'rolled_back'
        | 'timed_out'
        | 'failed'
      )[]
      origin: string
      endpoint?: string
      key?: string
    }[]
  }
  'run.admitted': {}
  'model.completed': {
    effectId: string
    attempt: number
    turn: {
      verdict:
        | 'complete'
        | 'length'
        | 'safety'
        | 'refusal'
        | 'interrupted'
        | 'error'
        | 'unknown_terminal'
        | 'guardrail'
      message: {
        id: string
        role: 'assistant'
        parts: (
          | {
              type: 'text'
              text: string
              meta?: {
                [k: string]: unknown
              }
            }
          | {
              type: 'reasoning'
              text: string
              meta?: {
                [k: string]: unknown
              }
            }
          | {
              type: 'blob'
              key: string
              bytes: number
              mime: string
              preview: string
            }
          | {
              type: 'tool_call'
              id: string
              name: string
              args: {
                [k: string]: unknown
              }
              argsHash: string
              invalid?: {
                code: string
                message: string
              }
              meta?: {
                [k: string]: unknown
              }
            }
          | {
              type: 'provider_tool'
              id: string
              name: string
              call: {
                [k: string]: unknown
              }
              result?: {
                [k: string]: unknown
              }
              meta?: {
                [k: string]: unknown
              }
            }
        )[]
      }
      suppressed: {
        name: string
        argsBytes: number
        argsHmac: string
      }[]
      evidence: {
        detector: string
        field: string
        value: string
      }[]
      finish: {
        unified: string
        raw?: string
      } | null
      usage: {
        inputTokens?: number
        outputTokens?: number
        cachedInputTokens?: number
        cacheWriteTokens?: number
        reasoningTokens?: number
        estimated?: true
      }
      error?: {
        class:
          | 'rate_limit'
          | 'quota'
          | 'overloaded'
          | 'network'
          | 'context_overflow'
          | 'safety'
          | 'invalid_request'
          | 'tool_use_failed'
          | 'auth'
          | 'circuit_open'
          | 'unknown'
        kind?:
          | 'auth'
          | 'not_found'
          | 'rate_limit'
          | 'quota'
          | 'overloaded'
          | 'context_overflow'
          | 'tool_use_failed'
          | 'invalid_request'
          | 'safety'
          | 'configuration'
          | 'network'
          | 'timeout'
          | 'protocol'
          | 'circuit_open'
          | 'internal'
          | 'unknown'
        keyEnv?: string
        retryable: boolean
        retryAfterMs?: number
        window?: number
        status?: number
        code?: string
        message: string
        requestId?: string
      }
      trip?: {
        guardrail: {
          id: string
          name: string
        }
        outcome: 'fail' | 'stop'
        feedback: string
        partType: 'text' | 'reasoning' | 'tool_call' | 'error'
        offset: number
      }
      /**
       * @maxItems 64
       */
      redactions?: {
        guardrail: {
          id: string
          name: string
        }
        kind: string
        place: 'text' | 'reasoning' | 'arguments' | 'result'
        callId?: string
        tool?: string
        count: number
      }[]
      cut?: {
        code: string
        detail: string
      }
      provider: string
      model: string
      responseId?: string
    }
    callSet: string
    durationMs: number
    chance?: number
    caller?: {
      user: {
        id: string
        role: string | null
      } | null
      isSubagent: boolean
    }
    granted?: string[]
    promptBytes?: number
    room?: {
      tokens: number
      window?: number
      unsent?: true
      early?: true
      /**
       * @maxItems 12
       */
      cuts: {
        at: {
          runId: string
          seq: number
        }
        turns: number
        kept: number
        results: number
        cleared: number
        inputs: number
        shortened: number
      }[]
    }
  }
  'model.aborted': {
    effectId: string
    attempt: number
  }
  'context.compacted': {
    effectId: string
    attempt: number
    through: {
      runId: string
      seq: number
    }
    keep: {
      runId: string
      seq: number
    }
    /**
     * @minItems 1
     */
    summary: (
      | {
          type: 'text'
          text: string
          meta?: {
            [k: string]: unknown
          }
        }
      | {
          type: 'blob'
          key: string
          bytes: number
          mime: string
          preview: string
        }
    )[]
    appendix: string
    words?: {
      id: string
      parts: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
    }
    earlierWords?: {
      id: string
      parts: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
    }[]
    instructions?: string[]
    instructionsLeftOut?: number
    sources: {
      from: {
        runId: string
        seq: number
      }
      through: {
        runId: string
        seq: number
      }
      events: number
      digest: string
    }
    tokens: {
      before: number
      after: number
      summary: number
    }
    how: 'shared' | 'serialised'
    /**
     * @maxItems 64
     */
    redactions?: {
      guardrail: {
        id: string
        name: string
      }
      kind: string
      place: 'text' | 'reasoning' | 'arguments' | 'result'
      callId?: string
      tool?: string
      count: number
    }[]
    provider: string
    model: string
    usage: {
      inputTokens?: number
      outputTokens?: number
      cachedInputTokens?: number
      cacheWriteTokens?: number
      reasoningTokens?: number
      estimated?: true
    }
    durationMs: number
  }
  'context.unchanged': {
    effectId: string
    attempt: number
    reason:
      | 'failed'
      | 'empty'
      | 'too_long'
      | 'no_gain'
      | 'safety'
      | 'guardrail'
      | 'calls'
      | 'cap'
      | 'aborted'
    error?: {
      class:
        | 'rate_limit'
        | 'quota'
        | 'overloaded'
        | 'network'
        | 'context_overflow'
        | 'safety'
        | 'invalid_request'
        | 'tool_use_failed'
        | 'auth'
        | 'circuit_open'
        | 'unknown'
      kind?:
        | 'auth'
        | 'not_found'
        | 'rate_limit'
        | 'quota'
        | 'overloaded'
        | 'context_overflow'
        | 'tool_use_failed'
        | 'invalid_request'
        | 'safety'
        | 'configuration'
        | 'network'
        | 'timeout'
        | 'protocol'
        | 'circuit_open'
        | 'internal'
        | 'unknown'
      keyEnv?: string
      retryable: boolean
      retryAfterMs?: number
      window?: number
      status?: number
      code?: string
      message: string
      requestId?: string
    }
    guardrail?: {
      id: string
      name: string
    }
    provider?: string
    model?: string
    usage: {
      inputTokens?: number
      outputTokens?: number
      cachedInputTokens?: number
      cacheWriteTokens?: number
      reasoningTokens?: number
      estimated?: true
    }
    durationMs: number
  }
  'tool.completed': {
    effectId: string
    attempt: number
    callId: string
    output: {
      content: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
      isError: boolean
      structured?: {
        [k: string]: unknown
      }
    }
    durationMs: number
    resultHash?: string
    files?:
      | {
          path: string
          key: string | null
          bytes: number
          mime?: string
          text?: string
          executable?: true
          edit?: {
            key: string
            since: string
          }
        }[]
      | {
          manifest: string
          count: number
        }
    sandbox?: {
      adapter: string
      exitCode: number | null
      signal: string | null
      ended: 'exited' | 'timeout' | 'cancelled' | 'output' | 'memory' | 'cpu' | 'lost'
      wallMs: number
      cpuMs: number | null
      maxRssBytes: number | null
      outputBytes: number
      /**
       * @maxItems 32
       */
      egress: {
        host: string
        requests: number
        bytes: number
        verdict: 'allowed' | 'refused'
      }[]
    }
    /**
     * @maxItems 64
     */
    redactions?: {
      guardrail: {
        id: string
        name: string
      }
      kind: string
      place: 'text' | 'reasoning' | 'arguments' | 'result'
      callId?: string
      tool?: string
      count: number
    }[]
    recalled?: {
      runId: string
      seq: number
    }
  }
  'tool.failed': {
    effectId: string
    attempt: number
    callId: string
    error: {
      code: string
      message: string
    }
    durationMs: number
    /**
     * @maxItems 64
     */
    redactions?: {
      guardrail: {
        id: string
        name: string
      }
      kind: string
      place: 'text' | 'reasoning' | 'arguments' | 'result'
      callId?: string
      tool?: string
      count: number
    }[]
    recalled?: {
      runId: string
      seq: number
    }
  }
  'tool.denied': {
    effectId: string
    attempt: number
    callId: string
    tool: string
    answer: {
      effect: 'allow' | 'warn' | 'deny' | 'require_approval'
      /**
       * @maxItems 16
       */
      reasons: {
        code: string
        message: string
      }[]
      policyId: string
      policyDigest: string
    }
    configuration: 'pinned' | 'current'
    recalled?: {
      runId: string
      seq: number
    }
  }
  'tool.aborted': {
    effectId: string
    attempt: number
    callId: string
    reason: 'cancelled' | 'never_started' | 'worker_lost'
  }
  'recall.missed': {
    effectId: string
    attempt: number
    callId: string
    tool: string
    argsHash: string
    reason: 'never_made' | 'used_up' | 'unknown' | 'no_result' | 'erased'
    recorded: number
  }
  'tool.unknown': {
    effectId: string
    attempt: number
    callId: string
    reason: 'worker_lost' | 'not_settled'
  }
  'tool.resolved': {
    effectId: string
    callId: string
    resolution: 'happened' | 'not_happened' | 'retry'
    output?: {
      content: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
      isError: boolean
      structured?: {
        [k: string]: unknown
      }
    }
    note?: string
  }
  'child.started': {
    effectId: string
    attempt: number
    callId: string
    childRunId: string
  }
  'child.ended': {
    effectId: string
    callId: string
    childRunId: string
    outcome:
      | 'completed'
      | 'safety_stopped'
      | 'refused'
      | 'guardrail_stopped'
      | 'loop_stopped'
      | 'budget_exhausted'
      | 'length_stopped'
      | 'interrupted'
      | 'cancelled'
      | 'rolled_back'
      | 'timed_out'
      | 'failed'
    output: {
      content: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
      isError: boolean
      structured?: {
        [k: string]: unknown
      }
    }
    resultHash: string
    spent: {
      turns: number
      calls: number
      tokens: number
      cost: number
      activeMs: number
    }
    /**
     * @maxItems 32
     */
    verdicts: {
      seq: number
      type: string
      tool: string | null
      code: string
    }[]
  }
  'budget.refused': {
    effectId: string
    attempt: number
    callId?: string
    budget: 'turns' | 'calls' | 'tokens' | 'money' | 'time'
    used: number
    limit: number
  }
  'policy.answered': {
    effectId: string
    attempt: number
    decisions: {
      callId: string
      tool: string
      argsHash: string
      answer: {
        effect: 'allow' | 'warn' | 'deny' | 'require_approval'
        /**
         * @maxItems 16
         */
        reasons: {
          code: string
          message: string
        }[]
        policyId: string
        policyDigest: string
      }
      faults: {
        policyId: string
        message: string
      }[]
      /**
       * @maxItems 16
       */
      warnings?: {
        effect: 'allow' | 'warn' | 'deny' | 'require_approval'
        /**
         * @maxItems 16
         */
        reasons: {
          code: string
          message: string
        }[]
        policyId: string
        policyDigest: string
      }[]
      args?: {
        [k: string]: unknown
      }
    }[]
    durationMs: number
    granted?: string[]
  }
  'approval.answered': {
    callId: string
    tool: string
    decision: 'approve' | 'reject' | 'edit'
    argsHash: string
    note?: string
    scope?: 'once' | 'run' | 'always'
    edited?: {
      args: {
        [k: string]: unknown
      }
      argsHash: string
    }
    args?: {
      [k: string]: unknown
    }
    caller?: {
      user: {
        id: string
        role: string | null
      } | null
      isSubagent: boolean
    }
    by?: {
      id: string
      role: string | null
    }
  }
  'input.injected': {
    /**
     * @minItems 1
     * @maxItems 100
     */
    messages: {
      id: string
      role: 'user' | 'system'
      parts: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
    }[]
    bytes: number
    by?: {
      id: string
      role: string | null
    }
  }
  'input.answered': {
    callId: string
    output: {
      content: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
      isError: boolean
      structured?: {
        [k: string]: unknown
      }
    }
    answer?: {
      text?: string
      option?: string
      values?: {
        [k: string]: string | number | boolean | null
      }
      declined?: true
    }
    by?: {
      id: string
      role: string | null
    }
  }
  'cancel.requested': {
    action: 'interrupt' | 'rollback'
    reason?: string
    by?: string
  }
  'timer.fired': {
    timerId: string
  }
  'run.faulted': {
    code: string
    message: string
  }
  'run.transitioned': {
    from: number
    through: number
    path: (
      | 'queued'
      | 'context'
      | 'model'
      | 'safety'
      | 'guardrail'
      | 'approval'
      | 'input'
      | 'tools'
      | 'loop'
      | 'cancelling'
      | 'completed'
      | 'failed'
      | 'cancelled'
    )[]
    outcome:
      | (
          | 'completed'
          | 'safety_stopped'
          | 'refused'
          | 'guardrail_stopped'
          | 'loop_stopped'
          | 'budget_exhausted'
          | 'length_stopped'
          | 'interrupted'
          | 'cancelled'
          | 'rolled_back'
          | 'timed_out'
          | 'failed'
        )
      | null
    effects: (
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          kind: 'model.call'
          turn: number
          retry: number
          tries: number
          model: number
          correction: number
          messageId: string
          shared?: boolean
        }
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          source: string
          callId: string
          tool: string
          argsHash: string
          approval?: number
          edited?: boolean
          shared?: boolean
          kind: 'tool.call'
          toolVersion: string
          timeoutMs: number
        }
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          source: string
          callId: string
          tool: string
          argsHash: string
          approval?: number
          edited?: boolean
          shared?: boolean
          kind: 'run.start'
          agent: string
          depth: number
          left: {
            maxTurns: number
            maxToolCalls: number
            maxTokens: number
            timeoutMs: number
            maxCost: number | null
          }
        }
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          kind: 'policy.evaluate'
          source: string
          callIds: string[]
        }
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          kind: 'webhook.deliver'
          webhook: number
          on:
            | 'waiting'
            | 'completed'
            | 'safety_stopped'
            | 'refused'
            | 'guardrail_stopped'
            | 'loop_stopped'
            | 'budget_exhausted'
            | 'length_stopped'
            | 'interrupted'
            | 'cancelled'
            | 'rolled_back'
            | 'timed_out'
            | 'failed'
        }
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          kind: 'title.make'
          make: 'model' | 'words' | 'untitled'
        }
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          kind: 'context.compact'
          turn: number
          through?: {
            runId: string
            seq: number
          }
          model: number
          overflow?: true
          maxTokens: number
          shared?: boolean
        }
      | {
          id: string
          mode: 'read' | 'idempotent' | 'once'
          queue: string
          delayMs: number
          source: string
          callId: string
          tool: string
          argsHash: string
          approval?: number
          edited?: boolean
          shared?: boolean
          kind: 'tool.recall'
        }
    )[]
    retries: string[]
    timers: {
      id: string
      afterMs: number
    }[]
    clearTimers: string[]
    withoutPolicies?: true
  }
  'safety.suppressed': {
    turn: number
    messageId: string
    evidence: {
      detector: string
      field: string
      value: string
    }[]
    calls: {
      name: string
      argsBytes: number
      argsHmac: string
    }[]
    explanation: string
    context: 'keep' | 'drop-turn' | 'reset-context'
  }
  'turn.cut': {
    turn: number
    messageId: string
    verdict:
      | 'complete'
      | 'length'
      | 'safety'
      | 'refusal'
      | 'interrupted'
      | 'error'
      | 'unknown_terminal'
      | 'guardrail'
    calls: {
      name: string
      argsBytes: number
      argsHmac: string
    }[]
    explanation: string
    context: 'keep' | 'drop-turn' | 'reset-context'
    reason?: {
      code: string
      detail: string
    }
    error?: {
      class:
        | 'auth'
        | 'not_found'
        | 'rate_limit'
        | 'quota'
        | 'overloaded'
        | 'context_overflow'
        | 'tool_use_failed'
        | 'invalid_request'
        | 'safety'
        | 'configuration'
        | 'network'
        | 'timeout'
        | 'protocol'
        | 'circuit_open'
        | 'internal'
        | 'unknown'
      status?: number
      code?: string
      provider: string
      model: string
      keyEnv?: string
      message: string
    }
  }
  'turn.continued': {
    turn: number
    messageId: string
    text: string
  }
  'answer.missing': {
    turn: number
    messageId: string
    text: string
  }
  'guardrail.tripped': {
    turn: number
    correction: number
    messageId: string
    trip: {
      guardrail: {
        id: string
        name: string
      }
      outcome: 'fail' | 'stop'
      feedback: string
      partType: 'text' | 'reasoning' | 'tool_call' | 'error'
      offset: number
    }
    calls: {
      name: string
      argsBytes: number
      argsHmac: string
    }[]
  }
  'guardrail.stopped': {
    turn: number
    corrections: number
    messageId: string
    trip: {
      guardrail: {
        id: string
        name: string
      }
      outcome: 'fail' | 'stop'
      feedback: string
      partType: 'text' | 'reasoning' | 'tool_call' | 'error'
      offset: number
    }
    calls: {
      name: string
      argsBytes: number
      argsHmac: string
    }[]
    explanation: string
  }
  'guardrail.redacted': {
    turn: number
    guardrail: {
      id: string
      name: string
    }
    kind: string
    place: 'text' | 'reasoning' | 'arguments' | 'result'
    callId?: string
    tool?: string
    count: number
  }
  'model.retried': {
    turn: number
    retry: number
    class: string
    message: string
    delayMs: number
    error?: {
      class:
        | 'auth'
        | 'not_found'
        | 'rate_limit'
        | 'quota'
        | 'overloaded'
        | 'context_overflow'
        | 'tool_use_failed'
        | 'invalid_request'
        | 'safety'
        | 'configuration'
        | 'network'
        | 'timeout'
        | 'protocol'
        | 'circuit_open'
        | 'internal'
        | 'unknown'
      status?: number
      code?: string
      provider: string
      model: string
      keyEnv?: string
      message: string
    }
  }
  'model.replaced': {
    turn: number
    from: string
    to: string
    class: string
    message: string
    error?: {
      class:
        | 'auth'
        | 'not_found'
        | 'rate_limit'
        | 'quota'
        | 'overloaded'
        | 'context_overflow'
        | 'tool_use_failed'
        | 'invalid_request'
        | 'safety'
        | 'configuration'
        | 'network'
        | 'timeout'
        | 'protocol'
        | 'circuit_open'
        | 'internal'
        | 'unknown'
      status?: number
      code?: string
      provider: string
      model: string
      keyEnv?: string
      message: string
    }
  }
  'call.denied': {
    callId: string
    tool: string
    code: string
    message: string
    policyId?: string
    policyDigest?: string
    reasons?: {
      code: string
      message: string
    }[]
  }
  'policy.warned': {
    callId: string
    tool: string
    argsHash: string
    code: string
    message: string
    policyId?: string
    policyDigest?: string
    reasons?: {
      code: string
      message: string
    }[]
  }
  'call.flagged': {
    callId: string
    tool: string
    rule: string
    message: string
    policyId?: string
    policyDigest?: string
  }
  'policy.faulted': {
    callId: string
    tool: string
    policyId: string
    message: string
  }
  'approval.requested': {
    callId: string
    tool: string
    argsHash: string
    approvalId: string
    policyId?: string
    policyDigest?: string
    reason: string
    expiresAt: number | null
  }
  'approval.reused': {
    callId: string
    tool: string
    argsHash: string
    scope: 'run' | 'always'
  }
  'approval.skipped': {
    callId: string
    tool: string
    argsHash: string
    policyId?: string
    policyDigest?: string
    reason: string
  }
  'approval.expired': {
    callId: string
    tool: string
    approvalId: string
  }
  'loop.warned': {
    layer: 'identical_call_set' | 'tool_frequency' | 'alternating_cycle' | 'stagnant_results'
    set: string
    tools: string[]
    count: number
    threshold: number
    text: string
  }
  'loop.stopped': {
    layer: 'identical_call_set' | 'tool_frequency' | 'alternating_cycle' | 'stagnant_results'
    set: string
    tools: string[]
    count: number
    threshold: number
    messageId: string
    text: string
  }
  'budget.warned': {
    budget: 'turns' | 'calls' | 'tokens' | 'money' | 'time'
    used: number
    limit: number
    text: string
  }
  'budget.exhausted': {
    budget: 'turns' | 'calls' | 'tokens' | 'money' | 'time'
    used: number
    limit: number
    messageId: string
    text: string
  }
  'rerun.stopped': {
    callId: string
    tool: string
    code: 'call_not_recorded'
    reason: 'never_made' | 'used_up' | 'unknown' | 'no_result' | 'erased'
    recorded: number
    messageId: string
    text: string
  }
  'context.pruned': {
    turn: number
    through: {
      runId: string
      seq: number
    }
    results: number
    inputs: number
    tokens: {
      before: number
      after: number
    }
    rule: {
      minChars: number
      exclude: string[]
      wordsChars: number
      ownChars: number
      readable: boolean
    }
  }
  'context.exhausted': {
    turn: number
    tokens: number | null
    window: number | null
    tried: ('prune' | 'compact')[]
    messageId: string
    text: string
  }
  'todo.written': {
    callId: string
    turn: number
    /**
     * @maxItems 50
     */
    todos: {
      text: string
      status: 'pending' | 'in_progress' | 'completed'
    }[]
    open: number
  }
  'todo.reminded': {
    turn: number
    nth: number
    open: number
    text: string
  }
  'input.requested': {
    callId: string
    argsHash: string
    turn: number
    question: string
    why?: string
    kind: 'text' | 'choice' | 'form'
    options?: string[]
    /**
     * @minItems 1
     * @maxItems 16
     */
    form?: {
      name: string
      label?: string
      type: 'text' | 'number' | 'boolean' | 'choice'
      /**
       * @minItems 1
       * @maxItems 24
       */
      options?: string[]
      required?: boolean
    }[]
    expiresAt: number
  }
  'input.expired': {
    callId: string
    text: string
  }
  'input.taken': {
    turn: number
    through: number
  }
  'input.left': {
    through: number
  }
  'event.ignored': {
    seq: number
    type: string
    state:
      | 'queued'
      | 'context'
      | 'model'
      | 'safety'
      | 'guardrail'
      | 'approval'
      | 'input'
      | 'tools'
      | 'loop'
      | 'cancelling'
      | 'completed'
      | 'failed'
      | 'cancelled'
  }
  'effect.started': {
    attempt: number
    effectId: string
    leaseMs: number
    owner: string
  }
  'tool.late': {
    effectId: string
    attempt: number
    callId: string
    output?: {
      content: (
        | {
            type: 'text'
            text: string
            meta?: {
              [k: string]: unknown
            }
          }
        | {
            type: 'blob'
            key: string
            bytes: number
            mime: string
            preview: string
          }
      )[]
      isError: boolean
      structured?: {
        [k: string]: unknown
      }
    }
    error?: string
  }
  'webhook.delivered': {
    effectId: string
    attempt: number
    durationMs: number
    status: number
  }
  'webhook.failed': {
    effectId: string
    attempt: number
    durationMs: number
    status: number | null
    code: string
    retryMs: number | null
  }
  'webhook.replayed': {
    effectId: string
    attempt: number
  }
  'thread.titled': {
    title: string
    by: 'words' | 'model' | 'user'
    effectId?: string
    attempt?: number
    sources?: {
      from: number
      through: number
    }
    usage?: {
      inputTokens?: number
      outputTokens?: number
      cachedInputTokens?: number
      cacheWriteTokens?: number
      reasoningTokens?: number
      estimated?: true
    }
    provider?: string
    model?: string
    durationMs?: number
  }
  'title.unchanged': {
    effectId: string
    attempt: number
    reason:
      | 'empty'
      | 'too_long'
      | 'lines'
      | 'first_person'
      | 'apology'
      | 'thoughts'
      | 'failed'
      | 'safety'
      | 'guardrail'
      | 'calls'
      | 'cap'
      | 'gone'
      | 'titled'
    guardrail?: {
      id: string
      name: string
    }
    error?:
      | 'rate_limit'
      | 'quota'
      | 'overloaded'
      | 'network'
      | 'context_overflow'
      | 'safety'
      | 'invalid_request'
      | 'tool_use_failed'
      | 'auth'
      | 'circuit_open'
      | 'unknown'
    usage?: {
      inputTokens?: number
      outputTokens?: number
      cachedInputTokens?: number
      cacheWriteTokens?: number
      reasoningTokens?: number
      estimated?: true
    }
    provider?: string
    model?: string
    durationMs?: number
  }
  'payload.erased': {
    seq: number
    reason: string
  }
  'run.hidden': {}
  'thread.hidden': {}
  'state.repaired': {
    seq: number
  }
  'key.created': {
    key: string
    name: string
    scopes: string[]
    expiresAt: number | null
  }
  'key.revoked': {
    key: string
  }
  'definition.used': {
    hash: string
    agent: string
  }
  'assistant.changed': {
    assistant: string
    change: 'created' | 'updated' | 'deleted' | 'latest_set'
    agent?: string
    version: number | null
  }
  'export.made': {
    format: string
    filter: {
      [k: string]: unknown
    }
    events: number | null
  }
  'log.searched': {
    path: string
    hour: number
  }
  'user.pseudonymized': {
    pseudonym: string
  }
  'pause.set': {
    pause: string
    target:
      | {
          agent: string
        }
      | {
          tool: string
        }
      | {
          queue: string
        }
    reason: string
    until?: number
  }
  'pause.lifted': {
    pause: string
    target:
      | {
          agent: string
        }
      | {
          tool: string
        }
      | {
          queue: string
        }
    reason: string
    until?: number
  }
}
