/** What the engine of a process stands on. */
import type { Model, Register, WebhookSender } from '@signalbox/engine'
import { createModels } from '@signalbox/models'
import {
  measuredDispatcher,
  measuredModel,
  measuredTools,
  tracedPolicies,
  tracedWebhooks,
} from '../observe/measured-world.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Tracing } from '../observe/tracing.ts'
import type { DatabaseUrls } from './database.ts'
import type { OpenAgents } from './open-agents.ts'
import type { Assembly, EnginePorts, Role } from './start.ts'
import { openTransport, type QueueTransport } from './transport.ts'

/** What was opened before. */
interface Opened {
  readonly roles: readonly Role[]
  readonly open: OpenAgents
  readonly urls: DatabaseUrls
  readonly register: Register
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly webhooks: WebhookSender
}

/** What the engine stands on, each part only where a role of this process needs it. */
export async function portsOf(
  assembly: Assembly,
  opened: Opened,
): Promise<EnginePorts & Pick<QueueTransport, 'asked'>> {
  const { environment, log, closers } = assembly
  const { roles, open, urls, register, metrics, tracing, webhooks } = opened
  const decides = roles.includes('orchestrator')
  const works = roles.includes('worker')
  const transport = await openTransport(
    {
      redisUrl: environment.redisUrl,
      queuePrefix: environment.queuePrefix ?? assembly.config.queue.prefix,
      engineUrl: urls.engine,
      queueUrl: urls.queue,
      decides,
      works,
      log,
    },
    closers,
  )
  return {
    register,
    dispatcher: measuredDispatcher(transport.dispatcher, metrics),
    hintSource: transport.hintSource,
    wakeBus: transport.wakeBus,
    model: decides ? measuredModel(modelsOf(assembly, open.detectors), metrics, tracing) : null,
    tools: works ? measuredTools(open.tools, metrics, tracing) : null,
    policies: tracedPolicies(open.governed.policies, tracing),
    webhooks: tracedWebhooks(webhooks, tracing),
    asked: transport.asked,
  }
}

const modelsOf = ({ options, config, log }: Assembly, detectors: OpenAgents['detectors']): Model =>
  createModels({ env: options.env, scripts: config.scripts, detectors, log })
