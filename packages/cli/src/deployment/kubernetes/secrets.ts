/** The Secrets of an installation, from the files that `deploy secrets` made: one per role, and the one that Prometheus shows. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes } from '../../exit-codes.ts'
import { Failure, usageFailure } from '../../failure.ts'
import { deployedRoles } from '../role-secrets.ts'
import { type Installed, type Manifest, manifestMetadata } from './manifest.ts'

const metricsKey = 'SIGNALBOX_METRICS_KEY'

/** @throws Failure for a file that is not there, or holds what is no variable */
export async function secretsIn(
  folder: string,
  installed: Installed,
): Promise<readonly Manifest[]> {
  const secrets: Manifest[] = []
  for (const role of deployedRoles) {
    const variables = await variablesIn(join(folder, `${role}.env`))
    secrets.push(secretOf(role, variables, installed))
    const key = variables[metricsKey]
    if (role === 'api' && key !== undefined)
      secrets.push(secretOf('metrics', { [metricsKey]: key }, installed))
  }
  return secrets
}

const secretOf = (
  component: string,
  stringData: Readonly<Record<string, string>>,
  installed: Installed,
): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: manifestMetadata(component, installed),
  type: 'Opaque',
  stringData,
})

async function variablesIn(file: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Failure(
      'not_readable',
      `${file} cannot be read. Make it with: signalbox deploy secrets`,
      { exitCode: exitCodes.usage, cause },
    )
  })
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line, n) => {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw usageFailure(`${file}: its variable ${n + 1} is not written as NAME=value.`)
      return [name, value] as const
    }),
  )
}
