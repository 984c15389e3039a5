/**
 * Cedar as a pure policy. A call becomes:
 *
 *   principal  User::"<user id>", or Agent::"<agent>" for a run that works for no user
 *   action     Action::"call"
 *   resource   Tool::"<tool>"
 *   context    { args, agent, isSubagent, role, at }   `role` only where the user has one; `at` in milliseconds
 *
 * C1 Nothing allows but a permit: no policy that matches is a denial.
 * C2 A policy that errors never counts as one that does not match: a forbid that is skipped would allow. The evaluator
 *    throws, and its caller denies.
 * C3 The same request gets the same answer to the letter, reasons in order of policy ids: decisions are replayed (I16).
 * C4 No argument stands in an answer or an error: Cedar's own words may quote them.
 */
import type { CedarSpec, PolicyAnswer, PolicyRequest, PureEvaluator } from '@signalbox/core'
import type { Response } from '@cedar-policy/cedar-wasm/nodejs'
import { policyAnswer, denial, tooLargeToAsk } from '../answer.ts'
import { bounds } from '../bounds.ts'
import type { Cedar } from './load.ts'
import { holdPolicies, policySetOf } from './policy-set.ts'
import { toRecord } from './values.ts'

/** The evaluator of a spec that was checked. It throws when Cedar cannot answer. */
export function cedarEvaluator(cedar: Cedar, spec: CedarSpec): PureEvaluator {
  const set = policySetOf(spec)
  const schema =
    spec.schema === null ? {} : { preparsedSchemaName: set.id, validateRequest: true as const }
  return (request) => {
    const large = tooLargeToAsk(spec, request.args, bounds.cedarArgsBytesMax)
    if (large !== null) return large
    holdPolicies(cedar, set)
    const authorization = cedar.statefulIsAuthorized({
      principal:
        request.user === null
          ? { type: 'Agent', id: request.agent }
          : { type: 'User', id: request.user.id },
      action: { type: 'Action', id: 'call' },
      resource: { type: 'Tool', id: request.tool },
      context: contextOf(request),
      preparsedPolicySetId: set.id,
      entities: [],
      ...schema,
    })
    if (authorization.type === 'failure') {
      throw new Error('Cedar refused the request. Does the schema fit the call?')
    }
    return toAnswer(spec, authorization.response)
  }
}

function contextOf(request: PolicyRequest) {
  const { args, agent, isSubagent, at, user } = request
  const role = user?.role ?? null
  return { args: toRecord(args), agent, isSubagent, at, ...(role === null ? {} : { role }) }
}

function toAnswer(spec: CedarSpec, { decision, diagnostics }: Response): PolicyAnswer {
  if (diagnostics.errors.length > 0) {
    const ids = diagnostics.errors.map((error) => error.policyId).sort()
    throw new Error(`Cedar could not evaluate ${ids.join(', ').slice(0, 300)}.`)
  }
  const determining = diagnostics.reason.toSorted()
  if (determining.length === 0) return denial(spec, 'oap.denied', 'No policy permits this call.')
  const effect = decision === 'allow' ? effectOf(spec, determining) : decision
  const verb = {
    allow: 'permits',
    warn: 'warns of',
    require_approval: 'asks for approval of',
    deny: 'forbids',
  }
  return policyAnswer(
    spec,
    effect,
    determining.map((id) => ({
      ...(Object.hasOwn(spec.codes, id) ? { code: spec.codes[id] } : {}),
      message: `Policy ${id} ${verb[effect]} this call.`,
    })),
  )
}

/** The mildest of the permits counts: each of them alone would let the call pass. */
function effectOf(
  { approval, warn = [] }: CedarSpec,
  permits: readonly string[],
): 'allow' | 'warn' | 'require_approval' {
  if (permits.some((id) => !approval.includes(id) && !warn.includes(id))) return 'allow'
  return permits.some((id) => !approval.includes(id)) ? 'warn' : 'require_approval'
}
