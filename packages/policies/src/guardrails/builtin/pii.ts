/** Personal data by its shape, and by its check digits where it has some. */
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
  readonly find: (seen: SeenText) => readonly Finding[]
  /** Where one may have begun that is not over. */
  readonly pending: (text: string, from: number) => number
}

const entities: readonly Entity[] = [
  { kind: 'email', label: 'an email address', find: findEmails, pending: pendingEmail },
  { kind: 'phone', label: 'a phone number', find: findPhones, pending: pendingPhone },
  { kind: 'ssn', label: 'a social security number', find: findSsns, pending: pendingNumber },
  {
    kind: 'cn-resident-id',
    label: 'a resident identity number',
    find: findResidentIds,
    pending: pendingResidentId,
  },
  { kind: 'credit-card', label: 'a payment card number', find: findCards, pending: pendingNumber },
  { kind: 'iban', label: 'a bank account number', find: findIbans, pending: pendingIban },
  { kind: 'ip-address', label: 'an IP address', find: findIpAddresses, pending: pendingAddress },
]

/** Every entity has one of these in it, or another sign for it; prose seldom has. */
const anySign = /[0-9@:]/

/** The shortest entity of digits has four of them, an address with colons two of those. */
const mayHold = (text: string): boolean =>
  text.includes('@') || /(?:[0-9][^0-9]*){4}|:[^:]*:/.test(text)

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
      return anySign.test(undecided(plain)) && mayHold(plain.text)
        ? wanted.flatMap(({ find }) => find(plain))
        : []
    },
    label: (kind) => entities.find((entity) => entity.kind === kind)?.label ?? kind,
  })
}
