import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Packing } from './layout.ts'

/** Takes back what packing put beside the sources. Does nothing where nothing was put. */
export function restore({ folder, savedManifest, borrowed }: Packing): void {
  if (existsSync(savedManifest)) {
    writeFileSync(join(folder, 'package.json'), readFileSync(savedManifest))
    rmSync(savedManifest)
  }
  for (const file of Object.keys(borrowed)) rmSync(join(folder, file), { force: true })
}
