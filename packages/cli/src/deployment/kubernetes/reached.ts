/** How pods are reached, watched, spared and multiplied. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { QueuePlan } from '../plan.ts'
import {
  commonLabels,
  type Installed,
  labelsOf,
  type Manifest,
  manifestMetadata,
  componentName,
  port,
} from './manifest.ts'

const rules = new URL('../../../../../deploy/prometheus/signalbox.rules.yml', import.meta.url)

/** The API, for those who ask it. */
export const apiService = (installed: Installed): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: manifestMetadata('api', installed),
  spec: {
    selector: labelsOf('api'),
    ports: [{ name: 'http', port: 80, targetPort: 'http' }],
  },
})

/** Every pod, those that are leaving included: for Prometheus. */
export const metricsService = (installed: Installed): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: manifestMetadata('metrics', installed),
  spec: {
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: commonLabels,
    ports: [{ name: 'http', port, targetPort: 'http' }],
  },
})

export const serviceMonitor = (installed: Installed): Manifest => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: manifestMetadata('metrics', installed),
  spec: {
    selector: { matchLabels: labelsOf('metrics') },
    endpoints: [
      {
        port: 'http',
        path: '/metrics',
        interval: '15s',
        authorization: {
          type: 'Bearer',
          credentials: { name: componentName('metrics'), key: 'SIGNALBOX_METRICS_KEY' },
        },
      },
    ],
  },
})

/** The alerts of docs/operations.md. */
export function prometheusRule(installed: Installed): Manifest {
  const file: unknown = parse(readFileSync(rules, 'utf8'))
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: manifestMetadata('alerts', installed),
    spec: file,
  }
}

/** A drain of nodes takes one pod of a component after the other. */
export const disruptionBudget = (component: string, installed: Installed): Manifest => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: manifestMetadata(component, installed),
  spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(component) } },
})

/** As many workers as there are calls that wait, by the register itself: the queue only has hints. */
export function scaledObject(plan: QueuePlan, installed: Installed): Manifest {
  const component = `worker-${plan.queue}`
  const { namespace, prometheus } = installed
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: manifestMetadata(component, installed),
    spec: {
      scaleTargetRef: { name: componentName(component) },
      pollingInterval: 15,
      // Longer than a call takes, so that workers do not come and go with each.
      cooldownPeriod: Math.max(300, Math.ceil(plan.longestMs / 1_000)),
      minReplicaCount: 1,
      maxReplicaCount: 20,
      advanced: {
        horizontalPodAutoscalerConfig: {
          behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
        },
      },
      triggers: [
        {
          type: 'prometheus',
          metadata: {
            serverAddress: prometheus,
            // Every process that says it says the same: see docs/operations.md.
            query: `max(signalbox_effects_waiting{namespace="${namespace}",queue="${plan.queue}"}) or vector(0)`,
            threshold: String(plan.concurrency),
          },
        },
      ],
    },
  }
}
