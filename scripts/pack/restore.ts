import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { borrowed, cli, savedManifest } from './layout.ts'

/** Takes back what packing put beside the sources. Does nothing where nothing was put. */
export function restore(): void {
  if (existsSync(savedManifest)) {
    writeFileSync(join(cli, 'package.json'), readFileSync(savedManifest))
    rmSync(savedManifest)
  }
  for (const file of borrowed) rmSync(join(cli, file), { force: true })
}
