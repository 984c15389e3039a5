/** All objects of an installation, in the order in which they are needed. */
import type { QueuePlan } from '../plan.ts'
import { commonLabels, type Installed, type Manifest } from './manifest.ts'
import {
  apiService,
  disruptionBudget,
  metricsService,
  prometheusRule,
  scaledObject,
  serviceMonitor,
} from './reached.ts'
import { deployment, migrateJob, type Workload } from './workloads.ts'

const roles: readonly Workload[] = [
  {
    component: 'api',
    role: 'api',
    args: ['serve', '--roles', 'api', '--no-migrate'],
    replicas: 2,
    // Streams are ended at once, and their clients connect elsewhere.
    graceSeconds: 5,
    lingerSeconds: 5,
  },
  {
    component: 'orchestrator',
    role: 'orchestrator',
    args: ['serve', '--roles', 'orchestrator', '--no-migrate'],
    replicas: 2,
    // A model call that is cut is made again.
    graceSeconds: 20,
    lingerSeconds: 0,
  },
]

const workerOf = ({ queue, graceMs }: QueuePlan): Workload => ({
  component: `worker-${queue}`,
  role: 'worker',
  args: ['worker', '--queues', queue, '--no-migrate'],
  replicas: null,
  graceSeconds: Math.ceil(graceMs / 1_000),
  lingerSeconds: 0,
})

/** What `kubectl apply` gets. The Secrets are made apart from it. */
export function manifestsOf(
  queues: readonly QueuePlan[],
  installed: Installed,
): readonly Manifest[] {
  const workloads = [...roles, ...queues.map(workerOf)]
  return [
    namespaceOf(installed),
    migrateJob(installed),
    ...workloads.map((workload) => deployment(workload, installed)),
    ...workloads.map(({ component }) => disruptionBudget(component, installed)),
    apiService(installed),
    metricsService(installed),
    ...queues.map((plan) => scaledObject(plan, installed)),
    serviceMonitor(installed),
    prometheusRule(installed),
  ]
}

/** In which no pod may run that could change more than itself. */
const namespaceOf = ({ namespace }: Installed): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: namespace,
    labels: { ...commonLabels, 'pod-security.kubernetes.io/enforce': 'restricted' },
  },
})
