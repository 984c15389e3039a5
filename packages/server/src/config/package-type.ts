/** What Node takes a `.ts` or `.js` file for: the nearest `package.json` says so. */
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** The nearest `package.json`, and the `type` that it holds: null for none. */
export interface PackageType {
  readonly file: string
  readonly type: string | null
}

/** Looks in a folder and above it; null where there is no `package.json` at all. */
export async function packageTypeOf(folder: string): Promise<PackageType | null> {
  for (let dir = resolve(folder); ; dir = dirname(dir)) {
    const file = join(dir, 'package.json')
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text !== null) return { file, type: typeIn(text) }
    if (dirname(dir) === dir) return null
  }
}

function typeIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    const type: unknown = typeof value === 'object' && value ? Reflect.get(value, 'type') : null
    return typeof type === 'string' ? type : null
  } catch {
    return null
  }
}
