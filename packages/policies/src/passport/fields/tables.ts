/**
 * The limits of capabilities that are comparisons of fields, by capability. One table instead of a check per capability:
 * whoever reads a passport can look up here which argument each of its limits is compared with.
 */
import type { Arguments as Args, FieldRule, FieldTable } from './rules.ts'

const allow = (args: Args, code: string): FieldRule => ({ is: 'allow', args, code })
const block = (args: Args, code: string): FieldRule => ({ is: 'block', args, code })
const all = (args: Args, code: string): FieldRule => ({ is: 'all', args, code })
const most = (args: Args, code = 'limit_exceeded'): FieldRule => ({
  is: 'most',
  of: 'number',
  args,
  code,
})
const least = (args: Args, code: string): FieldRule => ({ is: 'least', of: 'number', args, code })
const given = (args: Args, code = 'invalid_context'): FieldRule => ({ is: 'given', args, code })
const yes = (args: Args, code: string): FieldRule => ({ is: 'yes', args, code })
const age = (args: Args, code = 'data_stale'): FieldRule => ({ is: 'age', args, code })
const sum = (args: Args): FieldRule => ({ is: 'sum', args, code: 'limit_exceeded' })
const perHour: FieldRule = { is: 'rate', window: 'hour' }
const perDay: FieldRule = { is: 'rate', window: 'day' }
const elsewhere: FieldRule = { is: 'elsewhere' }

const approval: FieldTable = {
  approval_required: { is: 'approval' },
  require_confirmation: { is: 'approval' },
}
const idempotency: FieldTable = { idempotency_required: given(['idempotency_key']) }
const money: FieldTable = {
  ...approval,
  ...idempotency,
  currency_limits: { is: 'money' },
  supported_currencies: allow(['currency'], 'currency_unsupported'),
  require_assurance_at_least: { is: 'level' },
}

const branches = allow(['branch', 'base_branch', 'target_branch', 'base'], 'branch_not_allowed')
const repositories = allow(['repository', 'repo'], 'repo_not_allowed')
const changedFiles: Args = ['files', 'paths', 'changed_files', 'file_paths']
const repository: FieldTable = {
  ...approval,
  allowed_repos: repositories,
  allowed_repositories: repositories,
  allowed_branches: branches,
  allowed_base_branches: branches,
  allowed_actions: allow(['action'], 'action_not_allowed'),
  path_allowlist: { is: 'paths', args: changedFiles, code: 'path_not_allowed' },
  allowed_paths: { is: 'paths', args: changedFiles, code: 'path_not_allowed' },
  max_files_changed: most(['files_changed', ...changedFiles]),
  max_total_added_lines: most(['added_lines', 'lines_added', 'total_added_lines']),
  max_pr_size_kb: most(['pr_size_kb', 'size_kb']),
  required_labels: all(['labels'], 'missing_required_context'),
  required_reviews: least(['reviews', 'approvals', 'review_count'], 'missing_required_context'),
  require_review: yes(['reviewed', 'review_approved'], 'missing_required_context'),
  max_prs_per_day: elsewhere,
  max_merges_per_day: elsewhere,
  max_pushes_per_day: elsewhere,
}

/** By capability, with the names that `checkedAs` gives. */
const tables: { readonly [capability: string]: FieldTable } = {
  'agent.session.create': {
    ...approval,
    allowed_session_types: allow(['session_type'], 'session_type_not_allowed'),
    max_session_duration: most(
      ['duration', 'session_duration', 'duration_seconds'],
      'duration_limit_exceeded',
    ),
    max_sessions_per_user: perDay,
    max_sessions_per_day: perDay,
    // Sessions of a day instead of those that are open: stricter than it says.
    max_concurrent_sessions: perDay,
    max_concurrent: perDay,
    require_session_names: given(['session_name', 'name']),
  },
  'agent.tool.register': {
    ...approval,
    allowed_tool_types: allow(['tool_type'], 'tool_type_not_allowed'),
    allowed_capabilities: allow(['capabilities'], 'capability_not_allowed'),
    allowed_licenses: allow(['license'], 'license_not_allowed'),
    max_tools_per_agent: perDay,
    max_registrations_per_day: perDay,
    require_schema: given(['schema', 'input_schema']),
    require_version: given(['version']),
    require_repository: given(['repository']),
  },
  'repo.pr.create': { ...repository, max_prs_per_day: perDay },
  'repo.merge': { ...repository, max_merges_per_day: perDay },
  'repo.push': { ...repository, max_pushes_per_day: perDay },
  'repo.release': {
    ...approval,
    allowed_repos: repositories,
    allowed_repositories: repositories,
    allowed_branches: branches,
    allowed_extensions: { is: 'endings', args: ['files', 'artifacts'], code: 'file_forbidden' },
    allowed_formats: allow(['format'], 'format_unsupported'),
    max_releases_per_day: perDay,
    require_signed_artifacts: yes(['signed', 'artifacts_signed'], 'missing_required_context'),
  },
  'data.export': {
    ...approval,
    max_export_rows: most(['rows', 'row_count', 'limit']),
    max_rows: most(['rows', 'row_count', 'limit']),
    allow_pii: {
      is: 'no',
      args: ['include_pii', 'contains_pii', 'pii'],
      code: 'pii_not_allowed',
    },
    allowed_collections: allow(['collection', 'collections'], 'collection_forbidden'),
    allowed_export_types: allow(['export_type'], 'limit_exceeded'),
    allowed_formats: allow(['format'], 'format_unsupported'),
    max_exports_per_day: perDay,
  },
  'data.report.ingest': {
    ...approval,
    approved_sources: allow(['data_source_id'], 'source_unapproved'),
    allowed_report_types: allow(['report_type'], 'report_type_not_allowed'),
    max_data_age_seconds: age(['data_timestamp']),
    max_data_size_mb: most(['data_size_mb'], 'data_size_exceeded'),
    max_ingest_frequency_per_hour: perHour,
    data_quality_threshold: least(
      ['data_quality_score', 'quality_score', 'data_quality'],
      'data_quality_insufficient',
    ),
    required_validation_checks: all(
      ['validation_checks', 'validation_checks_passed'],
      'validation_missing',
    ),
  },
  'finance.payment.refund': {
    ...money,
    refund_reason_codes: allow(['reason_code'], 'invalid_reason_code'),
    reason_codes: allow(['reason_code'], 'invalid_reason_code'),
    regions: allow(['region'], 'region_blocked'),
    refund_amount_max_per_tx: most(['amount']),
    refund_amount_daily_cap: sum(['amount']),
  },
  'payments.charge': {
    ...money,
    allowed_merchant_ids: allow(['merchant_id'], 'merchant_forbidden'),
    allowed_countries: allow(['country', 'region'], 'region_blocked'),
    blocked_categories: block(['items.category', 'category'], 'category_blocked'),
    max_items_per_tx: most(['items']),
  },
  'payments.payout': {
    ...money,
    allowed_destination_types: allow(['destination_type'], 'destination_type_forbidden'),
    allowed_recipients: allow(['destination_id', 'recipient_id'], 'recipient_not_allowed'),
    allowed_payout_methods: allow(['payout_method'], 'payout_method_forbidden'),
    max_payouts_per_day: perDay,
    compliance_checks_required: yes(
      ['compliance_checks_passed', 'compliance_check_passed'],
      'compliance_check_required',
    ),
  },
  'finance.transaction': {
    ...money,
    allowed_transaction_types: allow(['transaction_type'], 'action_forbidden'),
    allowed_asset_classes: allow(['asset_class'], 'asset_class_forbidden'),
    allowed_source_account_types: allow(['source_account_type'], 'account_type_restricted'),
    restricted_source_account_types: block(['source_account_type'], 'account_type_restricted'),
    max_exposure_per_tx_usd: most(['amount_usd', 'exposure_usd']),
    max_exposure_per_counterparty_usd: most(
      ['counterparty_exposure_usd'],
      'counterparty_limit_exceeded',
    ),
  },
  'finance.crypto.trade': {
    ...approval,
    ...idempotency,
    allowed_exchanges: allow(['exchange_id'], 'exchange_forbidden'),
    allowed_tokens: { is: 'pair', args: ['pair'], code: 'token_forbidden' },
    allowed_sides: allow(['side'], 'action_forbidden'),
    max_trade_size_usd: most(['amount_usd']),
    max_hot_wallet_trade_usd: most(['amount_usd']),
    max_daily_trade_volume_usd: sum(['amount_usd']),
    max_trades_per_day: perDay,
  },
  'data.access': {
    ...approval,
    allowed_classifications: allow(['data_classification'], 'classification_forbidden'),
    permissions: { is: 'classes' },
    allowed_entity_types: allow(['accessing_entity_type'], 'entity_type_forbidden'),
    allowed_actions: allow(['action'], 'action_forbidden'),
    allowed_jurisdictions: allow(['jurisdiction'], 'jurisdiction_blocked'),
    allowed_destination_jurisdictions: allow(['destination_jurisdiction'], 'jurisdiction_blocked'),
    max_rows_per_export: most(['row_count', 'rows', 'rows_requested'], 'row_limit_exceeded'),
    balance_inquiry_cap_usd: most(['balance_usd', 'amount_usd'], 'balance_inquiry_forbidden'),
    max_access_attempts_per_hour: perHour,
    max_data_age_seconds: age(['data_timestamp']),
  },
  'legal.contract.review': {
    ...approval,
    ...idempotency,
    allowed_document_types: allow(['document_type'], 'document_type_not_allowed'),
    blocked_document_types: block(['document_type'], 'document_type_not_allowed'),
    allowed_client_ids: allow(['client_id'], 'client_not_allowed'),
    allowed_clients: allow(['client_id'], 'client_not_allowed'),
    allowed_jurisdictions: allow(['jurisdiction'], 'jurisdiction_blocked'),
    allowed_action_types: allow(['action_type'], 'action_forbidden'),
    allowed_actions: allow(['action_type'], 'action_forbidden'),
    max_contract_value_usd: most(['contract_value_usd']),
    max_document_pages: most(['page_count', 'pages']),
    max_reviews_per_day: perDay,
    required_clauses: all(['clauses'], 'missing_required_context'),
    prohibited_clauses: block(['clauses'], 'clause_forbidden'),
    require_conflict_check: yes(['conflict_check_passed'], 'missing_required_context'),
    require_privilege_check: yes(['privilege_check_passed'], 'missing_required_context'),
  },
  'media.image.generate': {
    ...approval,
    allowed_providers: allow(['provider'], 'provider_not_allowed'),
    allowed_output_formats: allow(['output_format'], 'output_format_not_allowed'),
    max_prompt_length: most(['prompt_length'], 'prompt_too_large'),
    max_referenced_images: most(['referenced_image_count'], 'limit_exceeded'),
    max_output_images: most(['output_count'], 'limit_exceeded'),
  },
  'deliverable.task.complete': {
    ...approval,
    acceptance_criteria: { is: 'criteria' },
    require_summary: given(['summary'], 'summary_insufficient'),
    min_summary_words: {
      is: 'least',
      of: 'words',
      args: ['summary'],
      code: 'summary_insufficient',
    },
    require_tests_passing: yes(['tests_passing'], 'tests_not_passing'),
    require_different_reviewer: {
      is: 'other',
      args: ['reviewer_id'],
      code: 'self_review_not_allowed',
    },
    // The patterns are looked for whether or not it is there.
    scan_output: elsewhere,
    blocked_patterns: {
      is: 'texts',
      args: ['output', 'summary', 'content', 'criteria_attestations'],
      code: 'blocked_pattern_detected',
    },
  },
}

/** The limits of a capability; null if its limits are no comparisons of fields, or nobody knows it. */
export const fieldTableOf = (capability: string): FieldTable | null =>
  Object.hasOwn(tables, capability) ? (tables[capability] ?? null) : null

/** Every key that is a limit of any of these capabilities. */
export const fieldLimitNames: ReadonlySet<string> = new Set(
  Object.values(tables).flatMap((table) => Object.keys(table)),
)
