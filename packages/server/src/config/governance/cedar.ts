/** Cedar policies as an agent pins them: the texts of files read once. */
import { resolve } from 'node:path'
import { CedarSpec } from '@signalbox/core'
import type { CedarProvider } from '../provider-schema.ts'
import { digestOf } from './digest.ts'
import { readFileText } from './read-source.ts'

/** Whether Cedar can parse them is for the policy host to say. @throws ConfigError */
export async function resolveCedar(
  { policies, files, schema, schemaFile, codes, approval, warn }: CedarProvider,
  { id, dir, field }: { readonly id: string; readonly dir: string; readonly field: string },
): Promise<CedarSpec> {
  const texts: Record<string, string> = { ...policies }
  for (const [name, file] of Object.entries(files))
    texts[name] = await readFileText(resolve(dir, file), `${field}.files.${name}`)
  const types =
    schemaFile === undefined
      ? (schema ?? null)
      : await readFileText(resolve(dir, schemaFile), `${field}.schemaFile`)
  const warned = warn.length > 0 ? { warn } : {}
  const content = { policies: texts, schema: types, codes, approval, ...warned }
  return CedarSpec.parse({ use: 'cedar', id, digest: digestOf(content), ...content })
}
