/**
 * A register that notes which definitions a tenant uses. Each is asked for once per process and tenant, before the first run that
 * uses it is created: a run never has a definition that the ledger does not know.
 */
import {
  type AppendItem,
  type Clock,
  ledgerDraft,
  type Register,
  systemRandom,
} from '@signalbox/engine'

/** Tenants times definitions that are remembered. Beyond it all are forgotten, and asked for again. */
const rememberedMax = 10_000

/** The same register. A create fails if its definition cannot be noted, as it does if the register cannot be reached. */
export function notedDefinitions(register: Register, clock: Pick<Clock, 'now'>): Register {
  const world = { clock, random: systemRandom }
  const noted = new Map<string, Promise<void>>()
  const note = async ({ tenantId, create, facts }: AppendItem): Promise<void> => {
    if (!create) return
    const { definitionHash: hash, agent } = create
    const use = `${hash} ${tenantId}`
    const before = noted.get(use)
    if (before) return before
    const draft = ledgerDraft(world, {
      tenant: tenantId,
      type: 'definition.used',
      payload: { hash, agent },
      actor: facts?.[0]?.actor ?? 'engine',
    })
    const asking = register.useDefinition(hash, draft).then(() => {})
    if (noted.size >= rememberedMax) noted.clear()
    noted.set(use, asking)
    try {
      await asking
    } catch (error) {
      noted.delete(use)
      throw error
    }
  }
  return {
    ...register,
    append: async (item) => {
      await note(item)
      return register.append(item)
    },
    appendMany: async (items) => {
      await Promise.all(items.map(note))
      return register.appendMany(items)
    },
  }
}
