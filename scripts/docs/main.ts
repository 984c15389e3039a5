/** `node scripts/docs/main.ts`: writes the generated parts of the documentation. A test compares them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedPages } from './pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
for (const [path, text] of generatedPages(root)) {
  writeFileSync(join(root, path), text)
  console.log(path)
}
