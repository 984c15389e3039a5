/**
 * The limits we know, by capability, and the shape each must have.
 *
 * L1 A limit that is there in the wrong shape denies; it never counts as absent.
 * L2 A key that is a limit by its name but unknown to us denies: a misspelt `blocked_pattern` must not pass for none.
 *    Other unknown keys (descriptions, vendor fields) are ignored.
 */
import { type Json, type JsonObject, type PolicyReason, reason, quoted } from '@signalbox/core'
import { isObject, isTexts } from './fields/values.ts'

type Shape = 'list' | 'count' | 'flag' | 'word' | 'recipients'
type Shapes = { readonly [key: string]: Shape }

const web: Shapes = {
  allowed_domains: 'list',
  blocked_domains: 'list',
  block_private_ips: 'flag',
  approval_required: 'flag',
}
const files: Shapes = {
  allowed_paths: 'list',
  blocked_paths: 'list',
  blocked_patterns: 'list',
  allowed_extensions: 'list',
  max_file_size_mb: 'count',
  approval_required: 'flag',
}

const shapes: { readonly [capability: string]: Shapes } = {
  'system.command.execute': {
    allowed_commands: 'list',
    blocked_patterns: 'list',
    allowed_working_directories: 'list',
    blocked_env_vars: 'list',
    max_execution_time: 'count',
    require_confirmation: 'flag',
    approval_required: 'flag',
  },
  'data.file.read': files,
  'data.file.write': {
    ...files,
    max_writes_per_hour: 'count',
    writes_per_hour: 'count',
    create_dirs: 'flag',
    allow_create_dirs: 'flag',
  },
  'web.fetch': {
    ...web,
    allowed_methods: 'list',
    blocked_headers: 'list',
    requests_per_hour: 'count',
    max_requests_per_hour: 'count',
    max_requests_per_min: 'count',
    max_requests_per_minute: 'count',
    max_requests_per_day: 'count',
  },
  'web.browser': {
    ...web,
    allowed_actions: 'list',
    allow_form_submission: 'flag',
    max_actions_per_minute: 'count',
    max_screenshots_per_hour: 'count',
    max_navigations_per_hour: 'count',
  },
  'mcp.tool.execute': {
    allowed_servers: 'list',
    allowed_tools: 'list',
    allowed_tool_prefixes: 'list',
    blocked_tools: 'list',
    max_calls_per_minute: 'count',
    max_calls_per_hour: 'count',
    max_calls_per_day: 'count',
    max_timeout: 'count',
    max_parameter_size: 'count',
    // Every run is a session of its own, and all of it is in the register.
    require_session_tracking: 'flag',
    approval_required: 'flag',
  },
  'messaging.send': {
    msgs_per_min: 'count',
    msgs_per_hour: 'count',
    msgs_per_day: 'count',
    allowed_recipients: 'recipients',
    channels_allowlist: 'list',
    mention_policy: 'word',
    max_recipients: 'count',
    approval_required: 'flag',
  },
}

const isShaped: { readonly [shape in Shape]: (value: Json) => boolean } = {
  list: isTexts,
  count: (value) => typeof value === 'number' && value >= 0,
  flag: (value) => typeof value === 'boolean',
  word: (value) => typeof value === 'string',
  recipients: (value) =>
    Array.isArray(value) &&
    value.every(
      (each) => typeof each === 'string' || (isObject(each) && typeof each['id'] === 'string'),
    ),
}

const asWords: { readonly [shape in Shape]: string } = {
  list: 'a list of texts',
  count: 'a number of 0 or more',
  flag: 'true or false',
  word: 'a text',
  recipients: 'a list of texts or of objects with an id',
}

const limitByName = /^(?:allow|block|den|forbid|max|min|require|restrict)|_per_/

/** Is there a check for the limits of this capability? */
export const isChecked = (capability: string): boolean => Object.hasOwn(shapes, capability)

/**
 * The limits of a capability: those under its id, or under its dotted path, over those that stand flat at the root, as
 * older passports have them.
 */
export function limitsOf(limits: JsonObject, capability: string): JsonObject {
  const flat = Object.entries(limits).filter(([, value]) => !isObject(value))
  return { ...Object.fromEntries(flat), ...ownLimitsOf(limits, capability) }
}

/** Only those limits that name the capability. */
export function ownLimitsOf(limits: JsonObject, capability: string): JsonObject {
  const direct = Object.hasOwn(limits, capability) ? limits[capability] : undefined
  if (isObject(direct)) return direct
  let at: Json | undefined = limits
  for (const step of capability.split('.'))
    at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  return isObject(at) ? at : {}
}

/** A flat limit that belongs to no capability we can check, as older passports have for payments; null if there is none. */
export function unknownFlatLimit(limits: JsonObject): string | null {
  const known = new Set(Object.values(shapes).flatMap((each) => Object.keys(each)))
  const found = Object.entries(limits).find(([key, value]) => !isObject(value) && !known.has(key))
  return found?.[0] ?? null
}

/** Limits that came with the second edition; to the first they are unknown, and an unknown limit denies. */
const laterShapes: { readonly [capability: string]: Shapes } = {
  'system.command.execute': { allowed_env: 'list' },
  'data.file.write': { allowed_startup_files: 'list' },
}

const shapeOf = (capability: string, key: string): Shape | null => {
  const known = { ...shapes[capability], ...laterShapes[capability] }
  return Object.hasOwn(known, key) ? (known[key] ?? null) : null
}

/** Is the key a limit of this capability? */
export const isCheckedLimit = (capability: string, key: string): boolean =>
  isChecked(capability) && shapeOf(capability, key) !== null

/** The shape that the value of a limit must have, in words; null if it has it. */
export function checkedShapeProblem(capability: string, key: string, value: Json): string | null {
  const shape = isChecked(capability) ? shapeOf(capability, key) : null
  return shape === null || isShaped[shape](value) ? null : asWords[shape]
}

/** Every key that is a limit of one of these capabilities. */
export const checkedLimitNames: ReadonlySet<string> = new Set(
  [...Object.values(shapes), ...Object.values(laterShapes)].flatMap((each) => Object.keys(each)),
)

const wrong = (text: string): PolicyReason => reason('oap.policy_error', text)

/** The fault of the limits of a checked capability; null if they have none. */
export function misshapen(limits: JsonObject, capability: string): PolicyReason | null {
  const known = shapes[capability] ?? {}
  if (Object.hasOwn(limits, capability) && !isObject(limits[capability]))
    return wrong(`limits.${capability} must be an object.`)
  for (const [key, value] of Object.entries(limitsOf(limits, capability))) {
    const shape = Object.hasOwn(known, key) ? known[key] : undefined
    if (shape !== undefined && !isShaped[shape](value))
      return wrong(`limits.${capability}.${key} must be ${asWords[shape]}.`)
  }
  const unknown = Object.keys(ownLimitsOf(limits, capability)).find(
    (key) => !Object.hasOwn(known, key) && limitByName.test(key),
  )
  if (unknown === undefined) return null
  const what = 'cannot be checked; remove or correct it'
  return wrong(`The limit ${quoted(unknown)} of ${capability} ${what}.`)
}

/** A list of texts; null if the passport has none of that name. */
export function listOf(limits: JsonObject, key: string): readonly string[] | null {
  const value = limits[key]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null
}

/** A number; null if the passport has none of that name. */
export function countOf(limits: JsonObject, key: string): number | null {
  const value = limits[key]
  return typeof value === 'number' ? value : null
}

/** Endings of names in lower case, each with its dot. */
export const endingsOf = (list: readonly string[]): readonly string[] =>
  list.map((each) => (each.startsWith('.') ? each : `.${each}`).toLowerCase())
