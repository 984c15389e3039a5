/** What a configuration takes from modules of the user's own. Each module is imported once. */
import { resolve } from 'node:path'
import { explainImport } from '../explain-import.ts'
import { fail } from '../fail.ts'
import { importWithin } from '../import-within.ts'
import { suggestion } from '../nearest.ts'

export class Modules {
  readonly #dir: string
  readonly #loaded = new Map<string, Promise<object>>()

  /** Paths are relative to `dir`, the folder of the configuration. */
  constructor(dir: string) {
    this.#dir = dir
  }

  /** The export that `./file.ts#export` names. @throws ConfigError */
  async load(path: string, field: string): Promise<unknown> {
    const at = path.lastIndexOf('#')
    const [file, name] = [resolve(this.#dir, path.slice(0, at)), path.slice(at + 1)]
    const loading = this.#loaded.get(file) ?? importObject(file)
    this.#loaded.set(file, loading)
    const module = await loading.catch(async (cause: unknown) => {
      const why = await explainImport(cause, { file, from: this.#dir })
      return fail('config_unreadable', field, {
        message: `${file} cannot be imported: ${why}`,
        cause,
      })
    })
    if (Object.hasOwn(module, name)) return Reflect.get(module, name)
    const message = `${file} has no export "${name}".${suggestion(name, Object.keys(module))}`
    return fail('config_invalid', field, message)
  }
}

async function importObject(file: string): Promise<object> {
  const module: unknown = await importWithin(file)
  return Object(module)
}
