/** Objects of Kubernetes, and what all of ours have in common. */

/** Where an installation stands, and of what it is made. */
export interface Installed {
  readonly image: string
  readonly namespace: string
  /** Address of Prometheus, for the autoscaler. */
  readonly prometheus: string
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Metadata
  readonly [part: string]: unknown
}

interface Metadata {
  readonly name: string
  readonly namespace?: string
  readonly labels: Readonly<Record<string, string>>
}

/** The port of every role. */
export const port = 7420

/** What finds every pod of an installation. */
export const commonLabels = { 'app.kubernetes.io/name': 'signalbox' } as const

/** What finds the pods of one component. */
export const labelsOf = (component: string) => ({
  ...commonLabels,
  'app.kubernetes.io/component': component,
})

export const componentName = (component: string): string => `signalbox-${component}`

export const manifestMetadata = (component: string, { namespace }: Installed): Metadata => ({
  name: componentName(component),
  namespace,
  labels: labelsOf(component),
})
