/**
 * How errors of providers are told apart, as tables. Codes, types and Bedrock exception names are compared whole, in
 * lower case; numbers with four digits are codes of GLM. The first rule that fits wins.
 */
import type { ModelErrorClass } from '@signalbox/core'
import type { ProviderError } from '../provider-error.ts'

/** An error fits if one of codes, words or statuses does. */
export interface Rule {
  readonly class: ModelErrorClass
  readonly codes?: readonly string[]
  readonly words?: readonly RegExp[]
  readonly statuses?: readonly number[]
  /** The rule does not hold for this error. */
  readonly unless?: (error: ProviderError) => boolean
}

/** A quota of the day is an empty account until tomorrow, whatever delay is named beside it. */
const isDaily = ({ quota }: ProviderError): boolean => quota !== undefined && /perday/i.test(quota)

/** In the order in which they are tried. */
export const rules: readonly Rule[] = [
  {
    class: 'quota',
    codes: [
      'insufficient_quota',
      'insufficient_user_quota',
      'exceeded_current_quota_error',
      'billing_hard_limit_reached',
      'billing_not_active',
      'billing_error',
      'arrearage',
      'allocationquota.freetieronly',
      'servicequotaexceededexception',
      '1113',
      '1304',
      '1308',
      '1309',
      '1310',
    ],
    words: [
      /insufficient (account )?(balance|quota|credits?|funds)/i,
      /credit balance is too low/i,
      /used all available credits|monthly spending limit/i,
      /exceeded your current quota, please check/i,
      /余额不足|已欠费/,
    ],
    statuses: [402],
    // Gemini says "exceeded your current quota" also of its limits per minute, and names a delay then.
    unless: (error) => error.retryDelayMs !== undefined && !isDaily(error),
  },
  {
    class: 'auth',
    codes: [
      'invalid_api_key',
      'incorrect_api_key',
      'authentication_error',
      'permission_error',
      'unauthenticated',
      'permission_denied',
      'unrecognizedclientexception',
      'accessdeniedexception',
      'expiredtokenexception',
      'invalidsignatureexception',
      '1000',
      '1001',
      '1002',
      '1003',
      '1004',
      '1110',
      '1111',
      '1112',
      '1220',
    ],
    words: [
      /api key (is )?(not valid|invalid|expired)|(invalid|incorrect) (api|authentication) key/i,
    ],
    statuses: [401, 403],
    unless: ({ code, type }) =>
      [code, type].some((it) => it !== undefined && /^(rate_limit|tool_use_failed)/i.test(it)),
  },
  { class: 'rate_limit', codes: ['limit_burst_rate', 'throttling.burstrate'] },
  {
    class: 'context_overflow',
    codes: ['context_length_exceeded', 'too_many_tokens', 'request_too_large', '1261'],
    words: [
      /prompt is too long|input is too long for requested model/i,
      /input token count.{0,200}(exceeds|only supports up to)/i,
      /maximum context length|exceeds? (the )?context (window|limit|length)/i,
      /maximum prompt length is|range of input length should be/i,
      /exceeds the available context size|greater than the context length/i,
      /context window exceeds limit|exceeded model token limit/i,
      /reduce the length of the messages/i,
      /input tokens exceeded|too many tokens in (the )?prompt/i,
      // More tokens than a minute allows: waiting does not help, whatever its code says.
      /request too large for/i,
    ],
    statuses: [413],
  },
  {
    class: 'tool_use_failed',
    codes: ['tool_use_failed', 'malformed_function_call', 'malformed_tool_use'],
  },
  {
    class: 'rate_limit',
    codes: [
      'rate_limit_exceeded',
      'rate_limit_error',
      'rate_limit_reached_error',
      'resource_exhausted',
      'throttlingexception',
      'throttling',
      'throttling.ratequota',
      'throttling.allocationquota',
      'limit_requests',
      'too_many_requests',
      'rate_limited',
      '1302',
      '1303',
    ],
  },
  {
    class: 'overloaded',
    codes: [
      'overloaded_error',
      'engine_overloaded_error',
      'api_error',
      'server_error',
      'internal_server_error',
      'internal_error',
      'internal',
      'unavailable',
      'service_unavailable',
      'insufficient_system_resource',
      'internalserverexception',
      'serviceunavailableexception',
      'modelerrorexception',
      'modelstreamerrorexception',
      'modelnotreadyexception',
      '1305',
    ],
  },
  {
    class: 'network',
    codes: [
      'timeout_error',
      'deadline_exceeded',
      'modeltimeoutexception',
      'gateway_timeout',
      '1234',
    ],
  },
]

/** What a status says where neither code nor words did. Conflicts and early data may be sent again like a timeout. */
export const statusClasses: ReadonlyMap<number, ModelErrorClass> = new Map([
  [408, 'network'],
  [425, 'network'],
  [429, 'rate_limit'],
  [409, 'overloaded'],
  [424, 'overloaded'],
  [500, 'overloaded'],
  [502, 'overloaded'],
  [503, 'overloaded'],
  [504, 'overloaded'],
  [529, 'overloaded'],
])

/** A server that has no time just now, as servers say it in words alone. */
export const busyWords: readonly RegExp[] = [
  /overloaded|over capacity|at capacity|high demand|(too|currently|very|is) busy/i,
  /temporarily unavailable|(try|retry)( again| your request)? later|service unavailable/i,
  /繁忙|过载|超载|负载过高|请求过多|稍[后後候](再|重)?试|稍后重新|擁擠|壅塞/,
  /混み合|混雑|過負荷|しばらくして|時間をおいて/,
  /과부하|혼잡|잠시 후|나중에 다시/,
  /sobrecargad|saturado|int[eé]nt[ea]\w{0,4}( de nuevo)? m[aá]s tarde|sobrecarregad|tente novamente/i,
  /surcharg[ée]|r[ée]essayer plus tard|r[ée]essayez/i,
  /[üu]berlastet|ausgelastet|sp[äa]ter (noch ?einmal|erneut)/i,
  /sovraccaric|riprova(re)? pi[ùu] tardi/i,
  /перегруж|перегрузк|попробуйте (ещё раз )?позже|повторите (попытку )?позже/i,
]
