/**
 * The words of policies outside of the core, as answers. One reader for servers and modules: a boolean, `{ allow }`, or
 * `{ effect }` (`{ decision }` is the same), with `reasons` and `policyId` where there are some. Whatever else it is,
 * it is no answer, and no answer never allows.
 */
import { type PolicyAnswer, PolicyEffectWord, type PolicyReason } from '@signalbox/core'
import { sanitiseText } from '@signalbox/engine'
import { z } from 'zod'

const GivenReason = z.union([
  z.string(),
  z.object({ code: z.string().optional(), message: z.string().optional() }),
])
const GivenDecision = z.object({
  allow: z.boolean().optional(),
  decision: PolicyEffectWord.optional(),
  effect: PolicyEffectWord.optional(),
  reasons: z.array(GivenReason).optional(),
  policyId: z.string().optional(),
})
const Given = z.union([z.boolean(), GivenDecision])
type GivenDecision = z.infer<typeof GivenDecision>
type GivenReason = z.infer<typeof GivenReason>

/** The policy in whose name an answer is given. */
export interface Named {
  readonly id: string
  readonly digest: string
}

/** Reason code and words where a policy gives none of its own. */
const ownWords: Readonly<Record<PolicyEffectWord, PolicyReason>> = {
  allow: { code: 'oap.allowed', message: 'The policy allows it.' },
  warn: { code: 'oap.warned', message: 'The policy warns of it and gives no reason.' },
  deny: { code: 'oap.denied', message: 'The policy denies it and gives no reason.' },
  require_approval: { code: 'approval_required', message: 'The policy asks for approval.' },
}

/** Reads an answer and cuts it to the limits of `PolicyAnswer`. Throws on anything that is none. */
export function readAnswer(policy: Named, value: unknown): PolicyAnswer {
  const given = Given.safeParse(value)
  if (!given.success) throw new TypeError('The answer is neither a boolean nor a decision.')
  if (typeof given.data === 'boolean') return policyAnswer(policy, given.data ? 'allow' : 'deny')
  const { reasons = [], policyId } = given.data
  const word = wordOf(given.data)
  const named = policyId === undefined || policyId === '' ? policy : { ...policy, id: policyId }
  return policyAnswer(named, word, reasons)
}

/** An answer in the name of a policy, within the limits; the effect's own words if there are no reasons. */
export function policyAnswer(
  policy: Named,
  effect: PolicyEffectWord,
  reasons: readonly GivenReason[] = [],
): PolicyAnswer {
  const words = ownWords[effect]
  const given = reasons.length === 0 ? [words] : reasons
  return {
    effect,
    reasons: given.slice(0, 16).map((reason) => ({
      code: cut(typeof reason === 'string' ? words.code : reason.code || words.code, 100),
      message: cut(typeof reason === 'string' ? reason : (reason.message ?? ''), 500),
    })),
    policyId: cut(policy.id, 200),
    policyDigest: cut(policy.digest, 200),
  }
}

/** A denial with one reason. */
export const denial = (policy: Named, code: string, message: string): PolicyAnswer =>
  policyAnswer(policy, 'deny', [{ code, message }])

/** The denial of a call whose arguments are too large to ask about; null if they are not. */
export function tooLargeToAsk(policy: Named, args: object, bytesMax: number): PolicyAnswer | null {
  const bytes = Buffer.byteLength(JSON.stringify(args))
  if (bytes <= bytesMax) return null
  const message = `The arguments are ${bytes} bytes; the policy is asked about at most ${bytesMax}.`
  return denial(policy, 'oap.context_too_large', message)
}

/** `allow: true` beside a request for approval is no contradiction: both say yes, one of them with a condition. */
function wordOf({ allow, decision, effect }: GivenDecision): PolicyEffectWord {
  const word = effect ?? decision
  if (word === undefined) {
    if (allow === undefined) throw new TypeError('The answer has no decision.')
    return allow ? 'allow' : 'deny'
  }
  const isOther = decision !== undefined && decision !== word
  if (isOther || (allow !== undefined && allow !== (word !== 'deny'))) {
    throw new TypeError('The answer contradicts itself.')
  }
  return word
}

const cut = (text: string, charsMax: number): string => sanitiseText(text.slice(0, charsMax))
