/**
 * The schemas that Kubernetes, KEDA and the Prometheus operator publish, as npm packages compile them. They let fields pass that they do
 * not know, as the servers do with a warning; so what a schema never looked at is found as well.
 */
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Namespace, Secret, Service } from 'kubernetes-models/v1'
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1'
import {
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import { z } from 'zod'

const models = new Map<string, { new (): object }>(
  [
    Deployment,
    Job,
    Namespace,
    PodDisruptionBudget,
    PrometheusRule,
    ScaledObject,
    Secret,
    Service,
    ServiceMonitor,
  ].map((model) => [`${model.apiVersion} ${model.kind}`, model]),
)

const Typed = z.looseObject({ apiVersion: z.string(), kind: z.string() })

/** What is wrong with an object: by its schema, or a field that the schema does not know. */
export function faultsOf(object: unknown): readonly string[] {
  const { apiVersion, kind } = Typed.parse(object)
  const model = models.get(`${apiVersion} ${kind}`)
  if (model === undefined) return [`there is no schema of ${apiVersion} ${kind}`]
  const unread = new Set<string>()
  const made: { validate(): void } = Reflect.construct(model, [watched(object, '', unread)])
  try {
    made.validate()
  } catch (error) {
    return [String(error)]
  }
  return [...unread].map((path) => `${path} is not known`)
}

/** A prototype that no plain object has. */
const notPlain = Object.create({})

/** The same value; `unread` loses the path of each field that somebody reads. */
function watched(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const inner = new Map<PropertyKey, unknown>()
  for (const [key, each] of Object.entries(value)) {
    const at = `${path}/${key}`
    unread.add(at)
    inner.set(key, watched(each, at, unread))
  }
  return new Proxy(value, {
    // Models copy what is a plain object, which would read all of it.
    getPrototypeOf: (target) => (Array.isArray(target) ? Array.prototype : notPlain),
    get(target, key, receiver) {
      if (!inner.has(key)) return Reflect.get(target, key, receiver)
      unread.delete(`${path}/${String(key)}`)
      return inner.get(key)
    },
  })
}
