/**
 * The word of a passport about a call. A passport is data, not a language: each limit has a check of its own here, and
 * what cannot be checked is denied.
 *
 * Order: readable, status, expiry, capability, assurance, context and limits. The first refusal is the answer.
 */
import {
  alwaysCounted,
  type JsonObject,
  noCalls,
  type PassportEdition,
  type PassportSpec,
  type PolicyAnswer,
  type PolicyReason,
  type PolicyRequest,
  type RateState,
  reason,
  quoted,
  type CallTally,
} from '@signalbox/core'
import { isAssured, requiredAssurance } from './assurance.ts'
import { capabilityOf, exempt } from './capabilities.ts'
import { checkCommandCall } from './command/check-command.ts'
import { checkFields } from './fields/check-fields.ts'
import { talliesOf } from './fields/money.ts'
import { fieldTableOf } from './fields/tables.ts'
import { checkFileCall } from './files/check-file.ts'
import { checkDeclared, checkUndeclared } from './declared/check-declared.ts'
import { renamed } from './declared/rename.ts'
import { badContext, type LimitCheck, type LimitedCall } from './limit-check.ts'
import { holdsUnsafeNumber, limitsInForce, passportProblem } from './limits-in-force.ts'
import { isChecked, limitsOf, misshapen, ownLimitsOf, unknownFlatLimit } from './limit-shape.ts'
import { checkMcpCall } from './mcp/check-mcp.ts'
import { checkMessage } from './messaging/check-message.ts'
import { checkedAs } from './packs.ts'
import { readPassport, type Passport, type PassportReading } from './read-passport.ts'
import { checkBrowserCall } from './web/check-browser.ts'
import { checkFetchCall } from './web/check-fetch.ts'

const checks: ReadonlyMap<string, LimitCheck> = new Map([
  ['system.command.execute', checkCommandCall],
  ['data.file.read', checkFileCall],
  ['data.file.write', checkFileCall],
  ['web.fetch', checkFetchCall],
  ['web.browser', checkBrowserCall],
  ['mcp.tool.execute', checkMcpCall],
  ['messaging.send', checkMessage],
])

/**
 * The passport's answer. `recent` holds the calls of the run before this one; without it, nothing counts as called.
 * Allowed arguments are not safe arguments: a program or a server that is on a list may do all it can.
 */
export function evaluatePassport(
  spec: PassportSpec,
  request: PolicyRequest,
  recent: RateState = noCalls,
): PolicyAnswer {
  const answer = (effect: PolicyAnswer['effect'], why: PolicyReason): PolicyAnswer => ({
    effect,
    reasons: [why],
    policyId: spec.id,
    policyDigest: spec.digest,
  })
  const reading = readOnce(spec.passport)
  if (!reading.ok) {
    const text = `The passport cannot be read: ${reading.problems.join('; ')}.`
    return answer('deny', reason('oap.passport_invalid', text))
  }
  const { passport } = reading
  const edition = spec.edition ?? 1
  const capability = capabilityOf(spec.capabilities, request.tool)
  const judge = edition === 1 ? refusedByLimits : refusedStrictly
  const judged = { passport, spec, request, recent }
  const refused =
    refusedAltogether(passport, request.at) ??
    (capability === exempt
      ? null
      : refusedCapability(passport, request.tool, { capability, edition })) ??
    (capability === null || capability === exempt ? null : judge(capability, judged))
  if (refused) return answer('deny', refused)
  const { undeclaredArguments = 'ignore' } = spec
  const undeclared =
    undeclaredArguments === 'ignore' || capability === null || capability === exempt
      ? null
      : checkUndeclared({ ...callOf(capability, judged), limits: {}, passport })
  if (undeclared && undeclaredArguments === 'deny') return answer('deny', undeclared)
  if (capability !== null && asksAPerson(passport, capability, edition)) {
    const text = `The passport asks for a person's approval of each use of ${capability}.`
    return answer('require_approval', reason('approval_required', text))
  }
  if (undeclared) return answer('warn', undeclared)
  return answer('allow', reason('oap.allowed', `The passport allows ${quoted(request.tool)}.`))
}

const readings = new WeakMap<JsonObject, PassportReading>()

/** A pinned passport is the same object for many calls, and reading it takes longer than all the checks. */
function readOnce(held: JsonObject): PassportReading {
  const known = readings.get(held)
  if (known) return known
  const reading = readPassport(held)
  readings.set(held, reading)
  return reading
}

function refusedAltogether(passport: Passport, at: number): PolicyReason | null {
  if (passport.status !== 'active') {
    const text = `The passport is not active: its status is ${quoted(passport.status)}.`
    return reason('oap.passport_suspended', text)
  }
  if (passport.expiresAt !== null && passport.expiresAt <= at)
    return reason('oap.passport_suspended', 'The passport has expired: see its field expires_at.')
  return null
}

function refusedCapability(
  passport: Passport,
  tool: string,
  {
    capability,
    edition,
  }: { readonly capability: string | null; readonly edition: PassportEdition },
): PolicyReason | null {
  if (capability === null) {
    const text = `No capability is mapped to the tool ${quoted(tool)}; map it in "capabilities" of the policy.`
    return reason('oap.unknown_capability', text)
  }
  if (!passport.capabilities.includes(capability)) {
    const text = `The passport does not hold the capability ${capability}, which ${quoted(tool)} needs.`
    return reason('oap.unknown_capability', text)
  }
  const required = requiredAssurance(edition === 1 ? capability : checkedAs(capability))
  if (isAssured(passport.assurance, required)) return null
  const text = `${capability} needs assurance_level ${required}; the passport has ${quoted(passport.assurance)}.`
  return reason('oap.assurance_insufficient', text)
}

interface Judged {
  readonly passport: Passport
  readonly spec: PassportSpec
  readonly request: PolicyRequest
  readonly recent: RateState
}

/** The second edition: limits are found under every name they may have, and what is unknown denies. */
function refusedStrictly(
  capability: string,
  { passport, spec, request, recent }: Judged,
): PolicyReason | null {
  const problem = passportProblem(passport)
  if (problem) return problem
  const inForce = limitsInForce(passport, capability)
  if (!inForce.ok) return inForce.why
  if (holdsUnsafeNumber(request.args))
    return badContext('A number in the arguments is larger than 2^53 - 1: write it as a text.')
  const call = callOf(capability, { passport, spec, request, recent })
  const { judged } = request
  const limits = inForce.limits
  const args = judged ? renamed(call.capability, judged, request.args) : request.args
  const own = { ...call, limits, request: { ...request, args } }
  const table = fieldTableOf(call.capability)
  return (
    (table
      ? checkFields(table, { ...own, assurance: passport.assurance })
      : checks.get(call.capability)?.(own)) ??
    (judged ? checkDeclared({ ...call, limits, passport }) : null)
  )
}

/** The call as the second edition of the checks sees it; its limits are to be found. */
const callOf = (
  capability: string,
  { spec, request, recent }: Judged,
): Omit<LimitedCall, 'limits'> => ({
  capability: checkedAs(capability),
  request,
  root: spec.root ?? null,
  recent,
  edition: 2,
})

/** The amounts that a call of the tool adds to the counts and sums of its run, under a passport. */
export function passportTallies(
  spec: PassportSpec,
  { tool, args, judged = {} }: Pick<PolicyRequest, 'tool' | 'args' | 'judged'>,
): readonly CallTally[] {
  const capability = capabilityOf(spec.capabilities, tool)
  if (capability === null) return []
  if (spec.edition !== 2) return alwaysCounted(capability)
  const name = checkedAs(capability)
  const table = fieldTableOf(name)
  if (!table) return alwaysCounted(name)
  const reading = readOnce(spec.passport)
  const inForce = reading.ok ? limitsInForce(reading.passport, capability) : null
  return inForce?.ok
    ? talliesOf(name, { table, limits: inForce.limits }, renamed(name, judged, args))
    : []
}

/** The first edition, as it was: limits of seven capabilities, under their own names. */
function refusedByLimits(
  capability: string,
  { passport, spec, request, recent }: Judged,
): PolicyReason | null {
  const check = checks.get(capability)
  if (!check || !isChecked(capability)) {
    const limited = Object.keys(ownLimitsOf(passport.limits, capability)).length > 0
    if (!limited && unknownFlatLimit(passport.limits) === null) return null
    const text = `The limits of ${capability} cannot be checked here; remove them, or ask a policy server.`
    return reason('oap.policy_error', text)
  }
  const wrong = misshapen(passport.limits, capability)
  if (wrong) return wrong
  const limits = limitsOf(passport.limits, capability)
  return check({ capability, limits, request, root: spec.root ?? null, recent, edition: 1 })
}

function asksAPerson(passport: Passport, capability: string, edition: PassportEdition): boolean {
  const inForce = edition === 1 ? null : limitsInForce(passport, capability)
  const limits = inForce?.ok ? inForce.limits : limitsOf(passport.limits, capability)
  return limits['approval_required'] === true || limits['require_confirmation'] === true
}
