/**
 * Reads Open Agent Passports of the OAP 1.0 working draft, leniently: fields of both published schemas, unknown fields
 * ignored. What is read must be right, though: a passport whose expiry cannot be read is no passport.
 */
import { z } from 'zod'
import { type JsonObject, JsonObjectSchema, quoted } from '@signalbox/core'
import { millisecondsOf } from './timestamp.ts'

/** A passport as far as we check it. */
export interface Passport {
  readonly id: string
  /** As written. Only `active` may act. */
  readonly status: string
  /** As written; `L0` if it says nothing. */
  readonly assurance: string
  readonly capabilities: readonly string[]
  /** Limits as written: by capability, or flat as older passports have them. */
  readonly limits: JsonObject
  /** Milliseconds since the epoch; null: it never expires. */
  readonly expiresAt: number | null
  /** Limits that stand beside a capability, as its `params`. */
  readonly parameters: readonly { readonly id: string; readonly value: JsonObject }[]
  /** Objects and lists of objects in fields that no published form has. They may have been meant as limits. */
  readonly unknown: readonly string[]
}

/** A passport, or everything that is wrong with it, field by field. */
export type PassportReading =
  | { readonly ok: true; readonly passport: Passport }
  | { readonly ok: false; readonly problems: readonly string[] }

const id = z.string().min(1).max(200)
const Fields = z.looseObject({
  passport_id: id.nullish(),
  // The older registry form names the agent instead.
  agent_id: id.nullish(),
  spec_version: z.string().nullish(),
  status: z.string(),
  assurance_level: z.string().nullish(),
  capabilities: z.array(z.union([id, z.looseObject({ id })])).max(200),
  limits: JsonObjectSchema.nullish(),
  expires_at: z.string().nullish(),
  never_expires: z.boolean().nullish(),
  // The older registry form has the MCP allow lists here.
  mcp: z
    .looseObject({ servers: z.array(z.string()).nullish(), tools: z.array(z.string()).nullish() })
    .nullish(),
})

/** Reads a passport. It does not ask whether the passport may act: that is `evaluatePassport`. */
export function readPassport(value: unknown): PassportReading {
  const parsed = Fields.safeParse(value)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || 'passport'}: ${issue.message}`,
    )
    return { ok: false, problems }
  }
  const fields = parsed.data
  const name = fields.passport_id ?? fields.agent_id
  const expiry = fields.expires_at == null ? null : millisecondsOf(fields.expires_at)
  const problems: string[] = []
  if (name == null) problems.push('passport_id: must be there')
  if (fields.spec_version != null && !/^oap\/1\.\d{1,4}$/.test(fields.spec_version))
    problems.push(`spec_version: must be "oap/1.0", is ${quoted(fields.spec_version)}`)
  if (fields.expires_at != null && expiry === null)
    problems.push(`expires_at: must be an RFC 3339 time, is ${quoted(fields.expires_at)}`)
  if (fields.never_expires === false && fields.expires_at == null)
    problems.push('expires_at: must be there, as never_expires is false')
  if (name == null || problems.length > 0) return { ok: false, problems }
  const passport: Passport = {
    id: name,
    status: fields.status,
    assurance: fields.assurance_level ?? 'L0',
    capabilities: fields.capabilities.map((each) => (typeof each === 'string' ? each : each.id)),
    limits: limitsWith(fields.limits ?? {}, fields.mcp ?? {}),
    expiresAt: fields.never_expires === true ? null : expiry,
    parameters: fields.capabilities.flatMap((each) => {
      if (typeof each === 'string') return []
      const given = JsonObjectSchema.safeParse(each['params'])
      return given.success ? [{ id: each.id, value: given.data }] : []
    }),
    unknown: unknownOf(fields),
  }
  return { ok: true, passport }
}

/** Fields with objects in them that limit nothing: who made the passport, what it was signed with, remarks. */
const described = new Set([
  'assurance',
  'assurance_evidence',
  'attestations',
  'categories',
  'contact',
  'evidence',
  'framework',
  'integrations',
  'links',
  'metadata',
  'owner',
  'proof',
  'signature',
  'verification',
])
const read = new Set(['capabilities', 'limits', 'mcp'])

function unknownOf(fields: z.infer<typeof Fields>): readonly string[] {
  const top = Object.entries(fields).flatMap(([key, value]) =>
    read.has(key) || described.has(key) || !holdsObject(value) ? [] : [key],
  )
  const mcp = Object.keys(fields.mcp ?? {}).filter((key) => key !== 'servers' && key !== 'tools')
  const beside = fields.capabilities.flatMap((each, n) =>
    Object.entries(typeof each === 'string' ? {} : each).flatMap(([key, value]) => {
      const isRead = key === 'params' && JsonObjectSchema.safeParse(value).success
      const isWord = value === null || typeof value === 'string'
      return isRead || isWord ? [] : [`capabilities[${n}].${key}`]
    }),
  )
  return [...top, ...mcp.map((key) => `mcp.${key}`), ...beside]
}

const holdsObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (!Array.isArray(value) || value.some((each) => holdsObject(each)))

/** Limits, with the MCP lists of the older form where those of today stand. They never widen a list that is there. */
function limitsWith(
  limits: JsonObject,
  mcp: {
    readonly servers?: string[] | null | undefined
    readonly tools?: string[] | null | undefined
  },
): JsonObject {
  return {
    ...(mcp.servers ? { allowed_servers: mcp.servers } : {}),
    ...(mcp.tools ? { allowed_tools: mcp.tools } : {}),
    ...limits,
  }
}
