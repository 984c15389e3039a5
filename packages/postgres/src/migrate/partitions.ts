import { withClient } from '../client.ts'
import { lifelines } from '../pool.ts'

/**
 * Makes the missing partitions of this month and the next three, as `signalbox_maintenance` or an owner of the schema.
 * Answers how many were made. Call it daily: a month without a partition lands in the default one and has to be moved.
 */
export async function ensurePartitions(maintenanceUrl: string): Promise<number> {
  const config = {
    connectionString: maintenanceUrl,
    application_name: 'signalbox-maintenance',
    ...lifelines,
    // A partition that has to be moved takes its time.
    query_timeout: 600_000,
  }
  return withClient(config, async (client) => {
    const result = await client.query<{ made: number }>(
      'select signalbox.ensure_partitions() as made',
    )
    return result.rows[0]?.made ?? 0
  })
}
