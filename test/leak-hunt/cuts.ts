/** How each provider ends an answer whose call must not execute, in its own shape, with a canary where arguments stand. */
import type { ScriptedTurn } from '@signalbox/models'
import { wireOf, type Wire } from '../../packages/models/src/observer/wires.ts'
import { jsonReply, type Provider, streamReply } from '../../packages/models/test/support/call.ts'
import type { Reply } from '../../packages/models/test/support/loopback.ts'
import type { Event } from '../../packages/models/test/support/wire-bytes.ts'
import {
  built,
  canary as builtCanary,
  chatDelta,
  goodEnding,
  saying,
  terminal,
} from '../../packages/models/test/support/wire-events.ts'

/** The tool that every provider calls. */
export const hunted = 'save_note'

export const cuts = [
  'a stop signal in the call',
  'a stop signal after the call',
  'an API error that echoes the call',
  'an error in the stream that quotes the call',
  'a broken connection in the call',
] as const

/** More ways, of which a commit plays a part: see `leak-hunt.test.ts`. */
export const moreCuts = [
  'an end of file in the call',
  'an end of file after the call',
  'the length reached in the call',
  'an error in the stream in the call',
  'an error 400 that shows what it could not parse',
  'an error 422 that shows what it could not parse',
  'an error 500 that shows what it could not parse',
  'half a secret, then the length',
  'half a secret, then the end of the file',
  'half a secret, then a filter',
  'half a secret, then a broken connection',
  'half a secret, then a cancel',
  'a cancel in the call',
] as const
export type Cut = (typeof cuts | typeof moreCuts)[number]

/** What a run ends as that was cut that way. */
export const outcomes: Readonly<Record<Cut, string>> = {
  'a stop signal in the call': 'safety_stopped',
  'a stop signal after the call': 'safety_stopped',
  'an API error that echoes the call': 'safety_stopped',
  'an error in the stream that quotes the call': 'failed',
  'a broken connection in the call': 'interrupted',
  'an end of file in the call': 'interrupted',
  'an end of file after the call': 'interrupted',
  'the length reached in the call': 'length_stopped',
  'an error in the stream in the call': 'failed',
  'an error 400 that shows what it could not parse': 'failed',
  'an error 422 that shows what it could not parse': 'failed',
  'an error 500 that shows what it could not parse': 'failed',
  'half a secret, then the length': 'length_stopped',
  'half a secret, then the end of the file': 'interrupted',
  'half a secret, then a filter': 'safety_stopped',
  'half a secret, then a broken connection': 'interrupted',
  'half a secret, then a cancel': 'cancelled',
  'a cancel in the call': 'cancelled',
}

/** Cut by whoever watches, as soon as something was said. */
export const isCancelled = (cut: Cut): boolean => outcomes[cut] === 'cancelled'

/** What a guardrail was holding when a text was cut: the beginning of something that it takes out. */
export const halves = ['token', 'address', 'card'] as const
export type Half = (typeof halves)[number]

/** A token in GitHub's format, all of it a canary. */
export const tokenOf = (canary: string): string => `ghp_${canary}00`
/** An e-mail address whose name is a canary. */
export const addressOf = (canary: string): string => `${canary}@example.com`

/** So much of it that the canary is found, and too little to be what it is the beginning of. */
const cutOff: Readonly<Record<Half, (canary: string) => string>> = {
  token: (canary) => tokenOf(canary).slice(0, 34),
  address: (canary) => addressOf(canary).slice(0, -'ple.com'.length),
  card: (canary) => canary.slice(0, 14),
}

const pieceChars = 11

const argsOf = (canary: string): string =>
  JSON.stringify({ path: '/a.md', content: `${canary} and "more"\n` })

const piecesOf = (text: string): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / pieceChars) }, (_, n) =>
    text.slice(n * pieceChars, (n + 1) * pieceChars),
  )

/** The events of a call: as the models' own tests build them, with another canary. */
function callEvents(wire: Wire, canary: string, part: 'cutCall' | 'wholeCall'): readonly Event[] {
  if (wire !== 'chat') return put(built[wire][part], canary)
  const args = argsOf(canary)
  const start = { index: 0, id: 'call_a', type: 'function' }
  const sent = part === 'wholeCall' ? args : args.slice(0, -6)
  return [
    chatDelta({ tool_calls: [{ ...start, function: { name: hunted, arguments: '' } }] }),
    ...piecesOf(sent).map((piece) =>
      chatDelta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    ),
  ]
}

function put(events: readonly Event[], canary: string): readonly Event[] {
  const text = JSON.stringify(events)
  if (!text.includes(builtCanary)) throw new Error('the events hold no canary to replace')
  return JSON.parse(text.replaceAll(builtCanary, canary).replaceAll('write_file', hunted))
}

const safety: Readonly<Record<Wire, string>> = {
  chat: 'content_filter',
  messages: 'refusal',
  gemini: 'SAFETY',
  responses: 'content_filter',
  converse: 'guardrail_intervened',
}

/** The answer of a provider that is called over HTTP. `half`: what the canary is, where only a half of it is said. */
export function cutReply(provider: Provider, cut: Cut, canary: string, half: Half): Reply {
  const wire = wireOf(provider)
  const { open } = built[wire]
  const whole = [...open, ...callEvents(wire, canary, 'wholeCall')]
  const begun = [...open, ...callEvents(wire, canary, 'cutCall')]
  switch (cut) {
    case 'a stop signal in the call':
      return streamReply(wire, [...begun, ...terminal(wire, safety[wire])])
    case 'a stop signal after the call':
      return streamReply(wire, [...whole, ...terminal(wire, safety[wire])])
    case 'an API error that echoes the call':
      return filterError(provider, `The model wrote ${argsOf(canary)}`)
    case 'an error in the stream that quotes the call':
      return streamReply(wire, [...whole, quotingError(wire, argsOf(canary))])
    case 'a broken connection in the call':
      return streamReply(wire, begun, { open: true, end: 'reset' })
    case 'an end of file in the call':
      return streamReply(wire, begun, { open: true })
    case 'an end of file after the call':
      return streamReply(wire, whole, { open: true })
    case 'the length reached in the call':
      return streamReply(wire, [...begun, ...terminal(wire, lengths[wire])])
    case 'an error in the stream in the call':
      return streamReply(wire, [...begun, quotingError(wire, argsOf(canary))], { open: true })
    case 'an error 400 that shows what it could not parse':
      return parseError(provider, 400, canary)
    case 'an error 422 that shows what it could not parse':
      return parseError(provider, 422, canary)
    case 'an error 500 that shows what it could not parse':
      return parseError(provider, 500, canary)
    case 'a cancel in the call':
      return streamReply(wire, begun, { open: true, end: 'hang' })
    default: {
      const said = saying(wire, ['Take ', ...piecesOf(cutOff[half](canary))])
      return halfReply(wire, cut, said)
    }
  }
}

/** A text that is cut in the middle of a token. */
function halfReply(
  wire: Wire,
  cut: Extract<Cut, `half a secret${string}`>,
  said: readonly Event[],
): Reply {
  switch (cut) {
    case 'half a secret, then the length':
      return streamReply(wire, [...said, ...terminal(wire, lengths[wire])])
    case 'half a secret, then the end of the file':
      return streamReply(wire, said, { open: true })
    case 'half a secret, then a filter':
      return streamReply(wire, [...said, ...terminal(wire, safety[wire])])
    case 'half a secret, then a broken connection':
      return streamReply(wire, said, { open: true, end: 'reset' })
    case 'half a secret, then a cancel':
      return streamReply(wire, said, { open: true, end: 'hang' })
  }
}

const lengths: Readonly<Record<Wire, string>> = {
  chat: 'length',
  messages: 'max_tokens',
  gemini: 'MAX_TOKENS',
  responses: 'max_output_tokens',
  converse: 'max_tokens',
}

/** A server that parses the calls itself, in the shape of each provider's errors. */
function parseError(provider: Provider, status: number, canary: string): Reply {
  const message = `error parsing tool call: raw='${argsOf(canary).slice(0, -2)}', err=unexpected end`
  switch (provider) {
    case 'anthropic':
      return jsonReply(status, { type: 'error', error: { type: 'api_error', message } })
    case 'google':
      return jsonReply(status, { error: { code: status, status: 'INTERNAL', message } })
    case 'amazon-bedrock':
      return jsonReply(status, { message })
    case 'openai-compatible':
      return jsonReply(status, { error: message })
    default:
      return jsonReply(status, { error: { type: 'server_error', message, param: message } })
  }
}

/** The answer of a provider that calls the tool and closes as it should. */
export function goodReply(provider: Provider, canary: string): Reply {
  const wire = wireOf(provider)
  const call = callEvents(wire, canary, 'wholeCall')
  return streamReply(wire, [...built[wire].open, ...call, ...goodEnding(wire)])
}

/** The error of the provider's filter, which shows what was filtered. */
function filterError(provider: Provider, echo: string): Reply {
  switch (provider) {
    case 'anthropic': {
      const message = `Output blocked by content filtering policy. ${echo}`
      return jsonReply(400, { type: 'error', error: { type: 'invalid_request_error', message } })
    }
    case 'google':
      return streamReply('gemini', [
        { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: echo } },
      ])
    case 'amazon-bedrock':
      return jsonReply(400, { message: `The request was blocked by the guardrail. ${echo}` })
    case 'azure': {
      const innererror = { code: 'ResponsibleAIPolicyViolation', content_filter_result: { echo } }
      return jsonReply(400, { error: { code: 'content_filter', message: echo, innererror } })
    }
    case 'openai-compatible':
      return jsonReply(400, { error: { code: '1301', message: echo }, contentFilter: [{ echo }] })
    default: {
      const error = { code: 'content_policy_violation', type: 'invalid_request_error' }
      return jsonReply(400, { error: { ...error, message: echo, param: echo } })
    }
  }
}

/** An error that shows the arguments, as they are and escaped once more. */
function quotingError(wire: Wire, args: string): Event {
  const message = `Could not read ${args}, that is ${JSON.stringify(args)}`
  switch (wire) {
    case 'chat':
      return { error: { code: 'tool_use_failed', message, failed_generation: args } }
    case 'messages':
      return { type: 'error', error: { type: 'api_error', message } }
    case 'gemini':
      return { error: { code: 400, status: 'INVALID_ARGUMENT', message } }
    case 'responses':
      return { type: 'error', code: args, message, param: args, sequence_number: 9 }
    case 'converse':
      return { validationException: { message } }
  }
}

/** The same from a script. Its second call keeps the first one whole: scripts cut the last call of an answer. */
export function cutScript(cut: Cut, canary: string, half: Half): ScriptedTurn {
  const call = { name: hunted, args: argsOf(canary) }
  const said = { text: 'I write. ', chunkSize: pieceChars, delayMs: 40 }
  const begun = { text: `Take ${cutOff[half](canary)}`, chunkSize: pieceChars }
  switch (cut) {
    case 'a stop signal in the call':
      return { ...said, calls: [call], ending: 'content_filter' }
    case 'a stop signal after the call':
      return { ...said, calls: [call, call], ending: 'content_filter' }
    case 'an API error that echoes the call':
      return { status: { code: 400, error: { code: 'content_filter', message: call.args } } }
    case 'an error in the stream that quotes the call':
      return { ...said, calls: [call, call], ending: 'error' }
    case 'a broken connection in the call':
    case 'an end of file in the call':
      return { ...said, calls: [call], ending: 'reset' }
    case 'an end of file after the call':
      return { ...said, calls: [call, call], ending: 'reset' }
    case 'the length reached in the call':
      return { ...said, calls: [call], ending: 'length' }
    case 'an error in the stream in the call':
      return { ...said, calls: [call], ending: 'error' }
    case 'an error 400 that shows what it could not parse':
      return { status: { code: 400, error: { message: parsing(call.args) } } }
    case 'an error 422 that shows what it could not parse':
      return { status: { code: 422, error: { message: parsing(call.args) } } }
    case 'an error 500 that shows what it could not parse':
      return { status: { code: 500, error: { message: parsing(call.args) } } }
    case 'half a secret, then the length':
      return { ...begun, ending: 'length' }
    case 'half a secret, then a filter':
      return { ...begun, ending: 'content_filter' }
    case 'half a secret, then the end of the file':
    case 'half a secret, then a broken connection':
      return { ...begun, ending: 'reset' }
    // A script does not hang: a call that goes on for long, cancelled in the middle, is what there is of both.
    case 'half a secret, then a cancel':
    case 'a cancel in the call':
      return { ...said, calls: [{ name: hunted, args: longArgsOf(canary) }], ending: 'length' }
  }
}

const longArgsOf = (canary: string): string =>
  JSON.stringify({ content: canary, more: 'and so on '.repeat(400) })

const parsing = (args: string): string =>
  `error parsing tool call: raw='${args}', err=unexpected end`
