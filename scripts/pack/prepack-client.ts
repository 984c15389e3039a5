/**
 * Before `npm pack -w @signalbox/client`: compiles the client, and puts what is shipped into `packages/client/dist/packed`.
 * `postpack-client.ts` takes the packed manifest back; an interrupted pack is taken back by the next one.
 */
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { client } from './layout.ts'
import { restore } from './restore.ts'
import { rewrite } from './rewrite.ts'
import { compile, dress, write } from './stage.ts'

const dist = join(client.folder, 'dist')
const packed = join(dist, 'packed')

restore(client)
compile([client.folder])
rmSync(packed, { recursive: true, force: true })
for (const source of globSync('**/*.ts', { cwd: join(client.folder, 'src') })) {
  for (const extension of ['.js', '.d.ts']) {
    const file = source.replace(/\.ts$/, extension)
    // Of the workspace it needs nothing, so there are no doors.
    const text = rewrite(join(packed, file), readFileSync(join(dist, file), 'utf8'), new Map())
    write(join(packed, file), text)
  }
}
dress(client, './dist/packed')
