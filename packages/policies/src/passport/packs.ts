/**
 * Policy packs of the working draft and the capabilities each of them governs. Limits may stand under either name: the
 * drafts disagree, and a limit that is ignored is a limit that allows.
 */

const packs: ReadonlyMap<string, readonly string[]> = new Map([
  ['system.command.execute', ['system.command.execute']],
  ['data.file.read', ['data.file.read']],
  ['data.file.write', ['data.file.write']],
  ['web.fetch', ['web.fetch']],
  ['web.browser', ['web.browser']],
  ['mcp.tool.execute', ['mcp.tool.execute']],
  ['agent.session.create', ['agent.session.create']],
  ['agent.tool.register', ['agent.tool.register']],
  ['messaging.message.send', ['messaging.send']],
  ['code.repository.merge', ['repo.merge', 'repo.pr.create', 'repo.push']],
  ['code.release.publish', ['repo.release']],
  ['data.export.create', ['data.export']],
  ['data.report.ingest', ['data.report.ingest']],
  ['finance.payment.refund', ['finance.payment.refund']],
  ['finance.payment.charge', ['payments.charge']],
  ['finance.payment.payout', ['payments.payout']],
  ['finance.transaction.execute', ['finance.transaction']],
  ['finance.crypto.trade', ['finance.crypto.trade']],
  ['governance.data.access', ['data.access']],
  ['legal.contract.review', ['legal.contract.review']],
  ['media.image.generate', ['media.image.generate']],
  ['deliverable.task.complete', ['deliverable.task.complete']],
])

const versionless = (name: string): string => name.replace(/\.v\d{1,3}$/, '')

/** The capability by which a call is checked: the first one of a pack, any other name as it is. */
export const checkedAs = (capability: string): string =>
  packs.get(versionless(capability))?.[0] ?? capability

/** Every name under which the limits of a capability may stand: its own, its pack's, and for a pack its capabilities'. */
export function limitNamesOf(capability: string): ReadonlySet<string> {
  const own = versionless(capability)
  const governing = [...packs].filter(([pack, held]) => pack === own || held.includes(own))
  const held = packs.get(own) ?? []
  return new Set([capability, own, ...governing.map(([pack]) => pack), ...held])
}

/** Does the key of a limits object name one of these? `.v1` at its end is the version of a pack. */
export const isNamed = (key: string, names: ReadonlySet<string>): boolean =>
  names.has(key) || names.has(versionless(key))

/** The names of all packs and of the capabilities they govern. */
export const knownNames: ReadonlySet<string> = new Set(
  [...packs].flatMap(([pack, held]) => [pack, ...held]),
)
