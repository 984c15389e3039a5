/** Which arguments the limits of a capability look at by their names, and what kind each of them is. */
import { environmentNames, directoryNames } from '../command/environment.ts'
import { commandNames } from '../command/check-command.ts'
import { argumentNamesOf } from '../fields/argument-names.ts'
import { fieldTableOf } from '../fields/tables.ts'
import { pathNames } from '../files/check-file.ts'
import { recipientNames } from '../messaging/check-message.ts'
import { urlNames } from '../web/check-fetch.ts'

/** The name under which a check finds an argument of a kind; a host is made an address. */
const ownNames: { readonly [capability: string]: { readonly [kind: string]: string } } = {
  'data.file.read': { path: 'path', readPath: 'path' },
  'data.file.write': { path: 'path' },
  'web.fetch': { url: 'url', host: 'url' },
  'web.browser': { url: 'url', host: 'url' },
  'messaging.send': { recipient: 'recipient' },
  'system.command.execute': { command: 'command' },
}

/** Arguments of the tables of limits that a kind stands for, besides the one of its own name. */
const inTables: { readonly [kind: string]: readonly string[] } = {
  path: ['files'],
  readPath: ['files'],
  recipient: ['recipient_id'],
  repository: ['repository'],
  amount: ['amount', 'amount_usd'],
  currency: ['currency'],
}

/** The names under which the checks of a capability find what is declared as a kind; none if they do not look for it. */
export function ownNamesOf(capability: string, kind: string): readonly string[] {
  const table = fieldTableOf(capability)
  if (table === null) {
    const name = ownNames[capability]?.[kind]
    // A method, a message: not only what is a kind has a name of its own.
    return name === undefined ? [] : [name]
  }
  const known = argumentNamesOf(table)
  return (inTables[kind] ?? [kind]).filter((name) => known.includes(name))
}

const lookedAt: { readonly [capability: string]: readonly string[] } = {
  'data.file.read': pathNames,
  'data.file.write': pathNames,
  'web.fetch': [...urlNames, 'headers'],
  'web.browser': urlNames,
  'messaging.send': recipientNames,
  'system.command.execute': [
    ...commandNames,
    'args',
    'shell',
    ...directoryNames,
    ...environmentNames,
  ],
}

/** The arguments that the checks of a capability look at, whatever a tool declares. */
export function lookedAtBy(capability: string): readonly string[] {
  const table = fieldTableOf(capability)
  return table === null ? (lookedAt[capability] ?? []) : argumentNamesOf(table)
}

/** Names that are judged wherever they are known, unless the tool says that they are something else. */
export const usualNames: ReadonlySet<string> = new Set([
  ...pathNames,
  ...urlNames,
  ...recipientNames,
  ...commandNames,
])

/** The capability whose limits say which values of a kind are allowed, where the call's own has none of that kind. */
export const homes: { readonly [kind: string]: readonly string[] } = {
  path: ['data.file.write'],
  readPath: ['data.file.read'],
  url: ['web.fetch', 'web.browser'],
  host: ['web.fetch', 'web.browser'],
  recipient: ['messaging.send'],
  command: ['system.command.execute'],
  repository: ['repo.merge', 'repo.push', 'repo.pr.create', 'repo.release'],
}
