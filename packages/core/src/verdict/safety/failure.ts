/**
 * Why a model call failed, in our words: what events, documents, streams, terminals and logs show of it.
 *
 * F1 No word of the provider: it may quote the prompt, arguments or a key. A code is shown only if it is one short word.
 * F2 A turn of a build that did not name the kind of its failure has none: what it decided then is decided so again.
 */
import type { FailureClass, ModelFailure, ModelTurn } from '../../turn.ts'

type About = Omit<ModelFailure, 'message'>

/** The failure of a turn; null where the model answered, and by F2. */
export function failureOf({ error, verdict, provider, model }: ModelTurn): ModelFailure | null {
  if (error?.kind === undefined) return null
  const { kind, status, code, keyEnv } = error
  const about: About = {
    class: kind,
    ...(status === undefined ? {} : { status }),
    ...(code !== undefined && isWord(code) ? { code } : {}),
    provider,
    model,
    ...(keyEnv === undefined ? {} : { keyEnv }),
  }
  const answered = verdict === 'interrupted'
  return { ...about, message: `${kind}: ${sentences[kind](about, answered)}` }
}

/** A name as programs give them. Keys of the well-known vendors begin otherwise, and are longer. */
const isWord = (code: string): boolean =>
  /^(?!(sk|pk|rk)-)([A-Za-z_][\w.:-]{0,47}|\d{1,6})$/.test(code)

/** `401 from openai (OPENAI_API_KEY)`, or the code where there is no status. */
function from({ status, code, provider, keyEnv }: About): string {
  const key = keyEnv === undefined ? '' : ` (${keyEnv})`
  return `${status ?? code ?? 'an error'} from ${provider}${key}`
}

const coded = ({ code }: About): string => (code === undefined ? '' : ` (${code})`)

/** The cause of a failure and what to do about it. `answered`: the provider had begun to answer. */
const sentences: Readonly<Record<FailureClass, (about: About, answered: boolean) => string>> = {
  auth: authSentence,
  not_found: (about) => `${from(about)}: check the model "${about.model}" and the base URL`,
  rate_limit: (about) => `${from(about)}: too many requests, try again later`,
  quota: (about) => `${from(about)}: the account has no credit left, or its quota is used up`,
  overloaded: (about) => `${from(about)}: the provider is overloaded or broken, try again later`,
  context_overflow: (about) =>
    `${from(about)}: the conversation is too long for the model "${about.model}"`,
  tool_use_failed: (about) =>
    `${from(about)}: the model "${about.model}" wrote a call that its provider could not read`,
  invalid_request: (about) =>
    `${from(about)}: the provider refused the request, check the model "${about.model}" and its options`,
  safety: (about) => `${from(about)}: its filter refused the request`,
  configuration: ({ provider, model }) =>
    `the settings of ${provider} "${model}" cannot be used: check the agent's model in the configuration`,
  network: networkSentence,
  timeout: (about) =>
    about.status === undefined
      ? `no answer from ${about.provider} in time${coded(about)}: try again, or raise model.idleTimeoutMs`
      : `${from(about)}: it did not answer in time, try again`,
  protocol: (about) =>
    `the answer of ${about.provider} is incomplete, or not of its API${coded(about)}: check the base URL, or try again`,
  circuit_open: ({ provider, model }) =>
    `${provider} "${model}" failed too often, and is not asked for a while: try again later`,
  internal: () => 'the call could not be made: see the log of the server',
  unknown: (about) => `${from(about)}: the provider gave no reason that is known here`,
}

function authSentence(about: About): string {
  const { status, code, provider, model, keyEnv } = about
  if (code === 'configuration')
    return `${provider} has no key: set the environment variable ${keyEnv ?? 'of its key'}`
  if (keyEnv === undefined)
    return `${from(about)}: it asks for a key, name its environment variable in model.apiKeyEnv`
  return status === 403
    ? `${from(about)}: check what the key may do, and the model "${model}"`
    : `${from(about)}: check the key`
}

function networkSentence(about: About, answered: boolean): string {
  const { status, code = '', provider } = about
  if (status !== undefined) return `${from(about)}: try again`
  if (answered) return `the connection to ${provider} broke${coded(about)}: try again`
  const none = `no connection to ${provider}${coded(about)}`
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code))
    return `${none}: the name of its host is not found, check the base URL and the network`
  if (/CERT|SSL|TLS|SIGNATURE|ISSUER/.test(code))
    return `${none}: its certificate is not trusted, or it does not speak TLS, check the base URL`
  return `${none}: check the base URL and the network, and that its server runs`
}
