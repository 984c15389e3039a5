/** Limits of web.browser. */
import { type PolicyReason, reason, quoted } from '@signalbox/core'
import { badContext, checkRates, firstOf, textsUnder, type LimitedCall } from '../limit-check.ts'
import { listOf } from '../limit-shape.ts'
import { urlNames } from './check-fetch.ts'
import { checkUrl } from './check-host.ts'

const navigates = new Set(['navigate', 'goto', 'open'])
const submits = new Set(['submit', 'form_submit', 'submit_form'])

/**
 * Refuses what the passport does not allow. The limits of screenshots and navigations are compared with all actions of
 * the hour: stricter than they say, as actions are counted together.
 */
export function checkBrowserCall(call: LimitedCall): PolicyReason | null {
  const { args } = call.request
  const { action } = args
  if (typeof action !== 'string' || action === '')
    return badContext('The call must have an action in "action", for example "navigate".')
  const named = urlNames.some((name) => Object.hasOwn(args, name))
  const urls = textsUnder(args, urlNames)
  if (urls === null && (named || navigates.has(action.toLowerCase())))
    return badContext('The call must have an address in "url", as a text that is not empty.')
  return firstOf(
    // Without an address the action is on a page that was allowed when it was opened.
    ...(urls ?? []).map((url) => () => checkUrl(call, url)),
    () => checkAction(call, action),
    () => checkRates(call, ['max_actions_per_minute']),
    () =>
      navigates.has(action.toLowerCase()) ? checkRates(call, ['max_navigations_per_hour']) : null,
    () => (takesPicture(call, action) ? checkRates(call, ['max_screenshots_per_hour']) : null),
  )
}

const takesPicture = ({ request }: LimitedCall, action: string): boolean =>
  action.toLowerCase() === 'screenshot' ||
  (request.args['screenshot'] !== undefined && request.args['screenshot'] !== false)

function checkAction({ limits }: LimitedCall, action: string): PolicyReason | null {
  const allowed = listOf(limits, 'allowed_actions')
  if (allowed !== null && !allowed.includes('*') && !allowed.includes(action)) {
    const text = `The action ${quoted(action)} is not in limits.web.browser.allowed_actions.`
    return reason('oap.action_not_allowed', text)
  }
  if (limits['allow_form_submission'] !== false || !submits.has(action.toLowerCase())) return null
  return reason('oap.form_submission_blocked', 'limits.web.browser.allow_form_submission is false.')
}
