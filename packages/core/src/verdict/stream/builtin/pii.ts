/** Personal data by its shape, and by its check digits where it has some. */
import { createSearch, type Finding, type Seen } from '../finding.ts'
import type { Guardrail } from '../part.ts'
import type { PiiEntity, PiiSpec } from '../spec.ts'
import { findCards } from './card-number.ts'
import { findEmails } from './email.ts'
import { findIbans } from './iban.ts'
import { findIpAddresses } from './ip-address.ts'
import { findResidentIds, findSsns } from './national-number.ts'
import { findPhones } from './phone-number.ts'

/** The longest thing that is caught wherever it is split. Longer e-mail addresses exist; nobody has one. */
const windowChars = 160

interface Entity {
  readonly kind: PiiEntity
  readonly label: string
  readonly find: (seen: Seen) => readonly Finding[]
}

const entities: readonly Entity[] = [
  { kind: 'email', label: 'an email address', find: findEmails },
  { kind: 'phone', label: 'a phone number', find: findPhones },
  { kind: 'ssn', label: 'a social security number', find: findSsns },
  {
    kind: 'cn-resident-id',
    label: 'a resident identity number',
    find: findResidentIds,
  },
  { kind: 'credit-card', label: 'a payment card number', find: findCards },
  { kind: 'iban', label: 'a bank account number', find: findIbans },
  { kind: 'ip-address', label: 'an IP address', find: findIpAddresses },
]

/** Looks for the entities of the spec in text and reasoning; what it takes out is marked `[redacted:<entity>]`. */
export function createPii(spec: PiiSpec): Guardrail {
  const wanted = entities.filter(({ kind }) => spec.entities.includes(kind))
  return createSearch({
    id: spec.id ?? spec.use,
    name: 'Personal data',
    window: windowChars,
    action: spec.action,
    reach: spec,
    find: (seen) => wanted.flatMap(({ find }) => find(seen)),
    label: (kind) => entities.find((entity) => entity.kind === kind)?.label ?? kind,
  })
}
