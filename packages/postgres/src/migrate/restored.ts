import { withClient } from '../client.ts'

/** The result of the repair of a restored feed. */
export interface RestoreReport {
  /** Events that got another position. 0: none was ahead of the cluster, and positions that consumers kept still hold. */
  readonly moved: number
  /** Stretches of 4096 events that were surveyed. */
  readonly stretches: number
}

/**
 * Repairs the feed of a register that was restored from a dump, as the user of `adminUrl`: see `restore_feed()` in the migration.
 * The schema must be the newest. Appends wait meanwhile. Repeating it changes nothing.
 */
export async function restoreFeed(adminUrl: string): Promise<RestoreReport> {
  const config = { connectionString: adminUrl, application_name: 'signalbox-migrate' }
  return withClient(config, async (client) => {
    await client.query('set role signalbox_owner')
    const { rows } = await client.query<{ moved: string; stretches: number }>(
      'select moved, stretches from signalbox.restore_feed()',
    )
    const [report] = rows
    return { moved: Number(report?.moved ?? 0), stretches: report?.stretches ?? 0 }
  })
}
