/** Policies as an agent pins them: resolved, self-contained, without secrets. */
import { z } from 'zod'
import { JsonObjectSchema } from '../../json.ts'

const named = {
  /** Names the policy in events and answers. */
  id: z.string().min(1).max(200),
  /** `sha256:<hex>` over what follows, made when the configuration was read. */
  digest: z.string().max(200).default(''),
}

/** Lists of tool names: null allows all, `[]` none; deny wins. */
export const AllowlistSpec = z.object({
  ...named,
  use: z.literal('allowlist'),
  allowedTools: z.array(z.string()).nullable().default(null),
  deniedTools: z.array(z.string()).default([]),
  /** Tools that a human must approve, call by call. */
  approvalTools: z.array(z.string()).default([]),
})

/** An Open Agent Passport as it was when the run began. Its live status is asked again before each execution. */
export const PassportSpec = z.object({
  ...named,
  use: z.literal('passport'),
  passport: JsonObjectSchema,
  /** Tool name to capability, over the built-in map. `exempt`: the passport says nothing about it. */
  capabilities: z.record(z.string(), z.string()).default({}),
  /** Where the living passport is read: a file path or an http(s) address; null if this one is all there is. */
  source: z.string().nullable().default(null),
  /** The absolute path that relative paths of calls are relative to. Without it they match relative limits only. */
  root: z.string().optional(),
  /**
   * Which edition of the checks judges by it: 2 where nothing unknown counts as harmless. Absent, the first: what was
   * decided under it is decided the same for as long as its runs are kept.
   */
  edition: z.union([z.literal(1), z.literal(2)]).optional(),
  /**
   * What follows for a call with an argument that looks like a path, an address or a recipient, and that its tool does not
   * declare. Absent, nothing: so was it before tools could declare.
   */
  undeclaredArguments: z.enum(['ignore', 'warn', 'deny']).optional(),
})

/** Cedar policies by id, as text; any error while evaluating is a denial. */
export const CedarSpec = z.object({
  ...named,
  use: z.literal('cedar'),
  policies: z.record(z.string(), z.string()),
  /** A Cedar schema as text; requests are validated against it. */
  schema: z.string().nullable().default(null),
  /** Policy id to reason code. */
  codes: z.record(z.string(), z.string()).default({}),
  /** Matching permits whose ids are listed here ask a human. */
  approval: z.array(z.string()).default([]),
  /** Matching permits whose ids are listed here warn, unless another one permits. */
  warn: z.array(z.string()).optional(),
})

/** A policy server with an OPA-compatible data API: `POST {url}` with `{input}`, `{result}` in the answer. */
export const HttpPolicySpec = z.object({
  ...named,
  use: z.literal('http'),
  url: z.string(),
  timeoutMs: z.number().int().min(1).max(60_000).default(2000),
  /** Name of the environment variable that holds a bearer token. */
  tokenEnv: z.string().optional(),
})

/** A policy of the user's own, `./file.ts#export`; it may do I/O. */
export const ModulePolicySpec = z.object({
  ...named,
  use: z.literal('module'),
  path: z.string(),
  config: JsonObjectSchema.optional(),
  timeoutMs: z.number().int().min(1).max(60_000).default(2000),
})

/**
 * The audit of the scripts that the tool `bash` is given: rules of the engine's own, which refuse or flag. A run pins their edition, and
 * `digest` names the set of them.
 */
export const BashAuditSpec = z.object({
  ...named,
  use: z.literal('bash-audit'),
  edition: z.literal(1),
  /** `flag`: what would be refused is flagged as well, and runs. */
  mode: z.enum(['enforce', 'flag']),
  /** The tool whose scripts are judged; they stand in its argument `command`. */
  tool: z.string().min(1).max(200),
  /** Do scripts see neither a host nor a network? Then rules about these flag. */
  isolated: z.boolean(),
})

/** A policy as an agent pins it. */
export const PolicySpec = z.discriminatedUnion('use', [
  AllowlistSpec,
  PassportSpec,
  CedarSpec,
  HttpPolicySpec,
  ModulePolicySpec,
  BashAuditSpec,
])

export type AllowlistSpec = z.infer<typeof AllowlistSpec>
/** An edition of the checks of passports. */
export type PassportEdition = 1 | 2

export type PassportSpec = z.infer<typeof PassportSpec>
export type CedarSpec = z.infer<typeof CedarSpec>
export type HttpPolicySpec = z.infer<typeof HttpPolicySpec>
export type BashAuditSpec = z.infer<typeof BashAuditSpec>
export type ModulePolicySpec = z.infer<typeof ModulePolicySpec>
export type PolicySpec = z.infer<typeof PolicySpec>

/** Does asking it take I/O? Then it is an effect whose answer is a fact. */
export const needsIo = (spec: PolicySpec): spec is HttpPolicySpec | ModulePolicySpec =>
  spec.use === 'http' || spec.use === 'module'
