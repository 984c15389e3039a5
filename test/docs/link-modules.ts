/** The packages of the repository, as a project that uses Signalbox has them: under the names that users know. */
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Packages that stand in the repository under a name of its own. */
const known = new Map([['@langchain', new Map([['langgraph-sdk', 'langgraph-sdk-15']])]])

/** Makes `node_modules` of a folder, with a link to each package under `from`. */
export async function linkModules(folder: string, from: string): Promise<void> {
  const to = join(folder, 'node_modules')
  await mkdir(to)
  for (const name of await readdir(from)) {
    const aliases = known.get(name)
    if (!aliases) {
      await symlink(join(from, name), join(to, name))
      continue
    }
    await mkdir(join(to, name))
    for (const each of await readdir(join(from, name)))
      if (!aliases.has(each)) await symlink(join(from, name, each), join(to, name, each))
    for (const [alias, real] of aliases) await symlink(join(from, real), join(to, name, alias))
  }
}
