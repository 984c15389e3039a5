/** Personal data by its shape, and by its check digits where it has some. */
import { isDigit, isPlainLetter, unitsOf } from '../border.ts'
import { createSearch, type Finding, type SeenText, undecided } from '../finding.ts'
import type { Guardrail } from '../part.ts'
import type { PiiEntity, PiiSpec } from '@signalbox/core'
import { findCards } from './card-number.ts'
import { findEmails, pendingEmail } from './email.ts'
import { findIbans, pendingIban } from './iban.ts'
import { findIpAddresses, pendingAddress } from './ip-address.ts'
import { findResidentIds, findSsns, pendingNumber, pendingResidentId } from './national-number.ts'
import { findPhones, pendingPhone } from './phone-number.ts'
import { hasNumberSigns, withPlainSigns } from './plain-signs.ts'

/** The longest thing that is caught wherever it is split. Longer e-mail addresses exist; nobody has one. */
const windowChars = 160

interface Entity {
  readonly kind: PiiEntity
  readonly label: string
  /** May one be in a text with these signs? */
  readonly mayBe: (signs: Signs) => boolean
  readonly find: (seen: SeenText) => readonly Finding[]
  /** Where one may have begun that is not over. */
  readonly pending: (text: string, from: number) => number
}

const entities: readonly Entity[] = [
  {
    kind: 'email',
    label: 'an email address',
    mayBe: ({ hasAt }) => hasAt,
    find: findEmails,
    pending: pendingEmail,
  },
  {
    kind: 'phone',
    label: 'a phone number',
    mayBe: ({ together }) => together >= 7,
    find: findPhones,
    pending: pendingPhone,
  },
  {
    kind: 'ssn',
    label: 'a social security number',
    mayBe: ({ together }) => together >= 9,
    find: findSsns,
    pending: pendingNumber,
  },
  {
    kind: 'cn-resident-id',
    label: 'a resident identity number',
    mayBe: ({ together }) => together >= 17,
    find: findResidentIds,
    pending: pendingResidentId,
  },
  {
    kind: 'credit-card',
    label: 'a payment card number',
    mayBe: ({ together }) => together >= 13,
    find: findCards,
    pending: pendingNumber,
  },
  {
    kind: 'iban',
    label: 'a bank account number',
    mayBe: ({ isLed }) => isLed,
    find: findIbans,
    pending: pendingIban,
  },
  {
    kind: 'ip-address',
    label: 'an IP address',
    mayBe: ({ dots, colons }) => dots >= 3 || colons >= 2,
    find: findIpAddresses,
    pending: pendingAddress,
  },
]

const none: readonly Finding[] = []

/** The signs of a text that entities are made of: counted once, before any of them is looked for. */
interface Signs {
  readonly hasAt: boolean
  readonly colons: number
  /** Digits with a full stop behind them. */
  readonly dots: number
  /** Does a digit stand right behind a letter of ASCII? */
  readonly isLed: boolean
  /** The most digits that stand together, with no more than three signs between two of them. */
  readonly together: number
}

function signsOf(text: string): Signs {
  let [colons, dots, together, most, between, before] = [0, 0, 0, 0, 0, 0]
  let [hasAt, isLed] = [false, false]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (isDigit(unit)) {
      if (isPlainLetter(before)) isLed = true
      together += 1
      between = 0
      if (together > most) most = together
    } else {
      if (unit === 0x40) hasAt = true
      else if (unit === 0x3a) colons += 1
      else if (unit === 0x2e && isDigit(before)) dots += 1
      between += 1
      if (between > betweenMax || !isBetween(unit)) together = 0
    }
    before = unit
  }
  return { hasAt, colons, dots, isLed, together: most }
}

/** A bracket, a hyphen, a space and a bracket stand between two digits of a phone number at most. */
const betweenMax = 3

const isBetween = unitsOf(' ()+./-')

/** Is there nothing but words, of which the last may begin an address? All other entities that begin in it begin within that word. */
const isProse = (text: string, from: number): boolean => !hasNumberSigns(text.slice(from))

/** The words that announce a phone number or a version, and the character before a border. */
const lookBack = 64

/** Looks for the entities of the spec in text and reasoning; what it takes out is marked `[redacted:<entity>]`. */
export function createPii(spec: PiiSpec): Guardrail {
  const wanted = entities.filter(({ kind }) => spec.entities.includes(kind))
  const pending = [...new Set(wanted.map((entity) => entity.pending))]
  const hasNames = pending.includes(pendingEmail)
  return createSearch({
    id: spec.id ?? spec.use,
    name: 'Personal data',
    window: windowChars,
    action: spec.action,
    reach: spec,
    watch: () => {
      // Whether something is found is asked after what is pending, about the same text.
      let isQuiet = false
      return {
        pending(text, from) {
          isQuiet = isProse(text, from)
          if (isQuiet && hasNames) return pendingEmail(text, from)
          const plain = withPlainSigns(text)
          return pending.reduce((first, each) => Math.min(first, each(plain, from)), text.length)
        },
        isQuiet: () => isQuiet,
      }
    },
    lookBack,
    find: (seen) => {
      const plain = { ...seen, text: withPlainSigns(seen.text) }
      if (!hasNumberSigns(undecided(plain))) return none
      const signs = signsOf(plain.text)
      return wanted.flatMap(({ mayBe, find }) => (mayBe(signs) ? find(plain) : none))
    },
    label: (kind) => entities.find((entity) => entity.kind === kind)?.label ?? kind,
  })
}
