/** What must come of a play, told from the bytes alone. */
import { isDeepStrictEqual } from 'node:util'
import { argsHash, callsOf, type Provider } from '../../packages/models/test/support/call.ts'
import type { Play } from './plan.ts'
import type { Heard } from './play.ts'
import { saidBy } from './said.ts'

type Allowed = 'nothing' | 'all' | 'nothing or all' | 'names' | 'unexecuted'

/** What is wrong with it; nothing for a play that went as it must. */
export function violationsOf(play: Play, heard: Heard): readonly string[] {
  const rule = allowedOf(play)
  return [...wrongCalls(play, heard, rule), ...wrongWords(play, heard, rule), ...leaks(play, heard)]
}

/** Which calls may be handed out. */
function allowedOf({ stream, cut, close }: Play): Allowed {
  const { derived, bytes, ends, untilLastWord, ownFrames } = stream
  // A connection that was reset is no end, whatever came before.
  if (close === 'reset') return 'nothing'
  const whole = ends.filter((end) => end <= cut).length
  // Where its blank line is CRLF, an event is whole for some readers with the CR.
  const isInCrLf = bytes[cut - 1] === 0x0d && bytes[cut] === 0x0a
  const read = isInCrLf ? ends.filter((end) => end <= cut + 1).length : whole
  if (read < untilLastWord) return 'nothing'
  const isBorder = close === 'clean' && whole === read && ends.includes(cut)
  const rule = read <= ownFrames ? 'same' : derived.rule
  switch (rule) {
    case 'same':
      return isBorder ? 'all' : 'nothing or all'
    case 'either':
      return 'nothing or all'
    case 'second':
      return whole === ends.length ? 'nothing' : 'nothing or all'
    case 'names':
    case 'unexecuted':
      return rule
    case 'none':
      return 'nothing'
  }
}

function wrongCalls(
  { stream, cut, close }: Play,
  { turn }: Heard,
  rule: Allowed,
): readonly string[] {
  const { calls: wanted, verdict } = stream.of
  const handed = callsOf(turn)
  const runs = handed.filter(({ invalid }) => !invalid)
  const isAll =
    turn.verdict === verdict &&
    handed.length === runs.length &&
    isDeepStrictEqual(
      runs.map(({ name, args }) => ({ name, args })),
      wanted,
    ) &&
    runs.every((call) => call.argsHash === argsHash(call.args))
  // What a stream begins with may be a whole answer, of which nothing is executed.
  const mayClose = stream.derived.rule === 'none' && cut < stream.bytes.length && close !== 'reset'
  const isNothing = handed.length === 0 && (mayClose || turn.verdict !== 'complete')
  const said = `${turn.verdict}, ${JSON.stringify(handed.map(({ name, args, invalid }) => ({ name, args, invalid })))}`
  switch (rule) {
    case 'nothing':
      return isNothing ? [] : [`nothing may be executed here: ${said}`]
    case 'all':
      return isAll
        ? []
        : [`all must be executed here: ${said}, ${turn.cut?.code ?? turn.error?.code}`]
    case 'nothing or all':
      return isAll || runs.length === 0 ? [] : [`a part, or something else: ${said}`]
    case 'unexecuted':
      return runs.length === 0 ? [] : [`nothing may be executed here: ${said}`]
    case 'names': {
      const names = handed.map(({ name }) => name)
      const isWhole = isDeepStrictEqual(
        names,
        wanted.map(({ name }) => name),
      )
      return runs.length === 0 || isWhole ? [] : [`other calls: ${said}`]
    }
  }
}

function wrongWords({ stream }: Play, { turn, shown }: Heard, rule: Allowed): readonly string[] {
  const said = saidBy(stream.of.wire, stream.derived.frames)
  return (['text', 'reasoning'] as const).flatMap((type) => {
    const kept = turn.message.parts
      .flatMap((part) => (part.type === type && 'text' in part ? [part.text] : []))
      .join('')
    const problems = []
    if (!said[type].startsWith(kept)) problems.push(`${type} that was not said: ${kept}`)
    if (kept !== shown[type]) problems.push(`other ${type} was shown than is kept`)
    const isRead = type === 'text' || readsReasoning(stream.provider)
    if (rule === 'all' && isRead && kept !== said[type]) problems.push(`${type} is lost`)
    return problems
  })
}

/** OpenAI has no reasoning on the chat wire, so neither has its package. */
const readsReasoning = (provider: Provider): boolean =>
  provider !== 'openai' && provider !== 'azure'

/** Arguments of a call that is not handed out stand nowhere. */
function leaks({ stream }: Play, { turn }: Heard): readonly string[] {
  if (callsOf(turn).length > 0) return []
  const parts = turn.message.parts.map((part) =>
    part.type === 'text' || part.type === 'reasoning' ? { ...part, text: '' } : part,
  )
  const recorded = JSON.stringify({ ...turn, message: { ...turn.message, parts } })
  return stream.of.canaries
    .filter((canary) => recorded.includes(canary))
    .map((canary) => `arguments of a suppressed call are in the turn: ${canary}`)
}
