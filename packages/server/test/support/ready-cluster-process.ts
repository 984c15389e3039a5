/** Makes the cluster that `ready-cluster.ts` copies. */
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { parseConfig, startSignalbox } from '@signalbox/server'
import { serveRun } from '../../../../test/support/serve-run.ts'

const nothing = (): void => {}

await serveRun(async (folder) => {
  const agents = { nobody: { model: { provider: 'scripted', model: 'nobody' } } } as const
  const scripts = { nobody: () => ({ text: '' }) }
  const signalbox = await startSignalbox({
    loaded: { config: parseConfig({ agents, scripts }), file: 'test', dir: folder },
    env: {},
    roles: ['orchestrator'],
    dataDir: folder,
    embedded: startEmbeddedPostgres,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })
  await signalbox.stop()
  return async () => {}
})
