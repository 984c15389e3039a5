/** Every page that is made, or has a part that is made, by a program. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configSchema, configSchemaPath } from './config-schema.ts'
import { configurationTable } from './configuration.ts'
import { eventsPage } from './events.ts'
import { fill } from './markdown.ts'
import { problemTable } from './problems.ts'

/** Paths from the root of the repository, with what the files must hold. */
export function generatedPages(root: string): ReadonlyMap<string, string> {
  const stands = (path: string): string => readFileSync(join(root, path), 'utf8')
  return new Map([
    ['docs/events.md', eventsPage(root)],
    [configSchemaPath, configSchema(root)],
    [
      'docs/configuration.md',
      fill(stands('docs/configuration.md'), 'configuration keys', configurationTable(root)),
    ],
    ['docs/api.md', fill(stands('docs/api.md'), 'problem codes', problemTable())],
  ])
}
