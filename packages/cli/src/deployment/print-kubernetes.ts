/** Prints the objects of Kubernetes that deploy a project, as YAML. */
import { resolve } from 'node:path'
import { loadConfig } from '@signalbox/server'
import { stringify } from 'yaml'
import { usageFailure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Shell } from '../shell.ts'
import type { Installed, Manifest } from './kubernetes/manifest.ts'
import { manifestsOf } from './kubernetes/manifests.ts'
import { secretsIn } from './kubernetes/secrets.ts'
import { plannedQueues } from './plan.ts'

export interface KubernetesOptions extends Installed {
  /** Prints the Secrets of this folder, and nothing else. */
  readonly secrets?: string
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** @throws Failure, ConfigError */
export async function printKubernetes(
  shell: Shell,
  terminal: Terminal,
  options: KubernetesOptions,
): Promise<void> {
  const { image, namespace, prometheus, secrets } = options
  if (!label.test(namespace))
    throw usageFailure(`--namespace: "${namespace}" is no name of a namespace.`)
  if (!/^\S+$/.test(image)) throw usageFailure('--image: takes the name of an image.')
  const installed = { image, namespace, prometheus }
  const manifests =
    secrets === undefined
      ? manifestsOf(plannedQueues((await loadConfig(shell)).config), installed)
      : await secretsIn(resolve(shell.cwd, secrets), installed)
  terminal.document(manifests)
  terminal.text(manifests.map(yamlOf).join('---\n'))
}

/** Every object stands for itself: an alias would be no YAML that people want to read. */
const yamlOf = (manifest: Manifest): string =>
  stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 })
