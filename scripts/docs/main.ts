/** `node scripts/docs/main.ts`: writes the client's types and the generated parts of the documentation. Tests compare them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientTypes, clientTypesPath } from './client-types.ts'
import { generatedPages } from './pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
write(clientTypesPath, await clientTypes())
for (const [path, text] of generatedPages(root)) write(path, text)

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text)
  console.log(path)
}
