/** Limits of messaging.send. Every recipient a call names must be allowed; without a list nobody is. */
import { type Json, type JsonObject, type PolicyReason, reason, quoted } from '@signalbox/core'
import { badContext, checkRates, textsUnder, type LimitedCall } from '../limit-check.ts'
import { countOf, listOf } from '../limit-shape.ts'

export const recipientNames = [
  'channel_id',
  'channel',
  'to',
  'recipient',
  'recipients',
  'recipient_id',
  'cc',
  'bcc',
]
const messageNames = ['message', 'text', 'body', 'content']
const messageCharsMax = 2000

/** Refuses what the passport does not allow. */
export function checkMessage(call: LimitedCall): PolicyReason | null {
  const { request } = call
  const recipients = textsUnder(request.args, recipientNames)
  if (recipients === null) {
    const text = 'The call must name whom it goes to in "channel_id", as a text that is not empty.'
    return badContext(text)
  }
  const texts = textsUnder(request.args, messageNames)
  if (texts === null)
    return badContext('The call must have its text in "message", and it must not be empty.')
  if (texts.some((text) => text.length > messageCharsMax))
    return reason('oap.content_too_long', `A message may have ${messageCharsMax} characters.`)
  return (
    checkRecipients(call, recipients) ??
    checkMentions(call, texts) ??
    checkRates(call, ['msgs_per_min', 'msgs_per_hour', 'msgs_per_day'])
  )
}

/** Refuses recipients that the limits of the call do not allow. */
export function checkRecipients(
  { limits }: LimitedCall,
  recipients: readonly string[],
): PolicyReason | null {
  const named = recipientsOf(limits)
  const channels = listOf(limits, 'channels_allowlist') ?? []
  const allowed = [...named.map(({ id }) => id), ...channels]
  const stranger = recipients.find((each) => !allowed.includes('*') && !allowed.includes(each))
  if (stranger !== undefined) {
    const text = `${quoted(stranger)} is not in limits.messaging.send.allowed_recipients or channels_allowlist.`
    return reason('oap.recipient_not_allowed', text)
  }
  const limited = named.find((each) => each.limited && recipients.includes(each.id))
  if (limited !== undefined) {
    const text = `The limits of the recipient ${quoted(limited.id)} cannot be checked here; remove them.`
    return reason('oap.policy_error', text)
  }
  const most = countOf(limits, 'max_recipients')
  if (most !== null && recipients.length > most)
    return reason('oap.limit_exceeded', `limits.messaging.send.max_recipients is ${most}.`)
  return null
}

interface Recipient {
  readonly id: string
  readonly limited: boolean
}

function recipientsOf(limits: JsonObject): readonly Recipient[] {
  const entries = limits['allowed_recipients']
  if (!Array.isArray(entries)) return []
  return entries.flatMap((each: Json): readonly Recipient[] => {
    if (typeof each === 'string') return [{ id: each, limited: false }]
    if (typeof each !== 'object' || each === null || !('id' in each)) return []
    return typeof each.id === 'string' ? [{ id: each.id, limited: 'limits' in each }] : []
  })
}

/** `all` and `everyone` allow every mention, `limited` and `users` those of single people, anything else none. */
function checkMentions(
  { limits, request }: LimitedCall,
  texts: readonly string[],
): PolicyReason | null {
  const policy = limits['mention_policy']
  if (policy === undefined || policy === 'all' || policy === 'everyone') return null
  const listed = request.args['mentions']
  const mentions = Array.isArray(listed) ? listed.map((each) => JSON.stringify(each)) : []
  const some = [...texts, ...mentions].join('\n')
  const forbidden =
    policy === 'limited' || policy === 'users'
      ? /@\s?(?:everyone|here|channel|all)\b|<!/i.test(some)
      : mentions.length > 0 || some.includes('@') || some.includes('<!')
  if (!forbidden) return null
  const text = 'limits.messaging.send.mention_policy does not allow these mentions: leave them out.'
  return reason('oap.mention_not_allowed', text)
}
