/**
 * Keys that have no format of their own, beside the name of their service: `ASANA=…`, `"datadogKey": "…"`. One expression for all
 * services.
 */
import type { MatchPlace } from '../matches.ts'
import { type LedValue, quoteBefore, run } from './led-value.ts'
import { entropy } from './randomness.ts'

/** Services whose keys scanners look for beside their names. */
const vendors =
  'adafruit|adobe|airtable|algolia|alibaba|asana|atlassian|beamer|bitbucket|bittrex|cloudflare|codecov|cohere|coinbase|' +
  'confluence|confluent|contentful|datadog|deepgram|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub|' +
  'flickr|freshbooks|gitlab|gitter|gocardless|heroku|hubspot|intercom|jfrog|artifactory|bintray|jira|kraken|kucoin|' +
  'launchdarkly|linear|linked[_-]?in|lob|mailchimp|mailgun|mapbox|mattermost|meraki|message[_-]?bird|netlify|new[_-]?relic|' +
  'nytimes|okta|plaid|private[_-]?ai|rapidapi|sendbird|sentry|sidekiq|snyk|sonar|squarespace|sumo|telegram|travis|trello|twilio|twitch|' +
  'twitter|volcengine|wandb|yandex|zendesk|zhipu'

/** The name that is given the value which begins there. */
const nameBefore = /([\w.-]{1,80})\\{0,8}["'`]?\s{0,4}(?:=>|:=|[:=])\s{0,4}\\{0,8}["'`]?$/

/** Last words of names that hold no key: `SENTRY_RELEASE`, `travisCommit`, `GITLAB_PROJECT_ID`, `asana.url`. */
const holdsNothing: ReadonlySet<string> = new Set(
  (
    'release version commit sha hash digest checksum build branch ref tag trace id ids gid uid uuid guid url uri host endpoint ' +
    'domain region env environment path file image dsn time date email user username name slug project pub public'
  ).split(' '),
)

/** Last words of names about a secret: `token_type`, `secretName`, `private_key_path`. */
const isAbout: ReadonlySet<string> = new Set(
  (
    'name names ref refs algorithm url uri endpoint path file filename type policy arn version tokenizer expiry expires ttl at ' +
    'length count size manager provider field'
  ).split(' '),
)

const lastWord = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[._-]+/)
    .at(-1) ?? ''

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const nameOf = (text: string, start: number): string =>
  nameBefore.exec(text.slice(Math.max(0, start - 90), start))?.[1] ?? ''

/** Does a name only speak of a secret, by its last word? */
export const speaksOfSecret = (name: string): boolean => isAbout.has(lastWord(name))

/** The same of the name that is given the value which begins there. */
export const isAboutSecret = (text: string, start: number): boolean =>
  speaksOfSecret(nameOf(text, start))

/**
 * Is the value that begins there made by chance, and its name one that may hold a key? Words with a number in them are none
 * (`Standard_D4s_v5`), dates and identifiers neither.
 */
function isVendorKey(text: string, start: number, value: string): boolean {
  const digits = value.replaceAll(/[^0-9]/g, '').length
  return (
    !holdsNothing.has(lastWord(nameOf(text, start))) &&
    digits >= 2 &&
    /[A-Za-z]/.test(value) &&
    (value.length >= 32 || /^[A-Za-z0-9]+$/.test(value)) &&
    !uuid.test(value) &&
    !/^[0-9]{4}-[0-9]{2}-[0-9]{2}|^https?:/.test(value)
  )
}

function accept(text: string, place: MatchPlace): MatchPlace | null {
  const value = text.slice(place.start, place.end)
  return entropy(value) >= 3 && isVendorKey(text, place.start, value) ? place : null
}

export const vendorValue: LedValue = {
  lead: `(?i)(?:${vendors})[\\w.-]*${quoteBefore}\\s{0,4}(?:=>|:=|[:=])\\s{0,4}${quoteBefore}`,
  form: run('[A-Za-z0-9_.=\\/+%-]', 14, 128),
  accept,
}
