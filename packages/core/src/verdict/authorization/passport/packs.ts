/**
 * The registered policy packs and the capabilities that each of them is about. Passports in the field name their limits by
 * either. Source: the packs of aporthq/aport-policies, by the capability each requires.
 */

/** Packs whose id is another than the capability they require. */
const renamed: ReadonlyMap<string, readonly string[]> = new Map([
  ['messaging.message.send', ['messaging.send']],
  ['code.repository.merge', ['repo.pr.create', 'repo.merge', 'repo.push']],
  ['code.release.publish', ['repo.release']],
  ['data.export.create', ['data.export']],
  ['finance.payment.charge', ['payments.charge']],
  ['finance.payment.payout', ['payments.payout']],
  ['finance.transaction.execute', ['finance.transaction']],
  ['governance.data.access', ['data.access']],
])

/** Packs whose id is the capability. */
const plain: readonly string[] = [
  'system.command.execute',
  'data.file.read',
  'data.file.write',
  'web.fetch',
  'web.browser',
  'mcp.tool.execute',
  'agent.session.create',
  'agent.tool.register',
  'data.report.ingest',
  'finance.payment.refund',
  'finance.crypto.trade',
  'legal.contract.review',
  'media.image.generate',
  'deliverable.task.complete',
]

/** Every id that limits may stand under: packs, and the capabilities they require. */
export const limitIds: ReadonlySet<string> = new Set([
  ...plain,
  ...renamed.keys(),
  ...[...renamed.values()].flat(),
])

/** Packs that are about a capability, under another id. */
export const packsOf = (capability: string): readonly string[] =>
  [...renamed].flatMap(([pack, capabilities]) => (capabilities.includes(capability) ? [pack] : []))
