/**
 * The pods: one Deployment per role, one per queue of workers, a Job for the schema.
 *
 * P1 Each has the Secret of its role alone, as variables, which the process takes out of its own environment: a file would be
 *    readable for every tool.
 * P2 Nothing of a pod runs as root, may change its image or speak to Kubernetes.
 * P3 A pod is waited for longer than its process waits for the longest call of its queue.
 */
import {
  type Installed,
  labelsOf,
  type Manifest,
  manifestMetadata,
  componentName,
  port,
} from './manifest.ts'

/** A Deployment of ours. */
export interface Workload {
  readonly component: string
  /** The role whose Secret it has. */
  readonly role: string
  readonly args: readonly string[]
  /** Null: the autoscaler says how many. */
  readonly replicas: number | null
  /** How long the process waits for what is under way. Seconds. */
  readonly graceSeconds: number
  /** How long it goes on as before when it is told to go, until no balancer sends it anything any more. Seconds. */
  readonly lingerSeconds: number
}

/** Seconds in which a process that has waited closes what it has. */
const closingSeconds = 30

export function deployment(workload: Workload, installed: Installed): Manifest {
  const { component, replicas, graceSeconds, lingerSeconds } = workload
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: manifestMetadata(component, installed),
    spec: {
      ...(replicas === null ? {} : { replicas }),
      selector: { matchLabels: labelsOf(component) },
      // None is taken away before another one is ready.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: labelsOf(component) },
        spec: {
          ...podOf(containerOf(workload, installed)),
          terminationGracePeriodSeconds: lingerSeconds + graceSeconds + closingSeconds,
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: labelsOf(component) },
            },
          ],
        },
      },
    },
  }
}

/** Brings the schema up to date, as the administrator. Until it has, new pods start again and again, and old ones go on. */
export function migrateJob(installed: Installed): Manifest {
  const component = 'migrate'
  const container = { ...bareContainer(installed.image, component), args: ['migrate'] }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: manifestMetadata(component, installed),
    spec: {
      backoffLimit: 6,
      ttlSecondsAfterFinished: 3_600,
      template: {
        metadata: { labels: labelsOf(component) },
        spec: { ...podOf(container), restartPolicy: 'OnFailure' },
      },
    },
  }
}

function podOf(container: object) {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // The first process of the pod takes away what tools leave behind; ours would not.
    shareProcessNamespace: true,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      { name: 'data', emptyDir: {} },
    ],
  }
}

function bareContainer(image: string, role: string) {
  return {
    name: 'signalbox',
    image,
    envFrom: [{ secretRef: { name: componentName(role) } }],
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'data', mountPath: '/data' },
    ],
  }
}

function containerOf(workload: Workload, { image }: Installed) {
  const { role, args, graceSeconds, lingerSeconds } = workload
  const linger = { preStop: { exec: { command: ['sleep', String(lingerSeconds)] } } }
  return {
    ...bareContainer(image, role),
    args,
    env: [
      { name: 'HOST', value: '0.0.0.0' },
      { name: 'PORT', value: String(port) },
      { name: 'SIGNALBOX_GRACE_MS', value: String(graceSeconds * 1_000) },
    ],
    ports: [{ name: 'http', containerPort: port }],
    startupProbe: { ...probe('/live'), periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...probe('/live'), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe('/ready'), periodSeconds: 5 },
    ...(lingerSeconds === 0 ? {} : { lifecycle: linger }),
  }
}

const probe = (path: string) => ({ httpGet: { path, port: 'http' }, timeoutSeconds: 5 })
