/** `node packages/engine/test/support/print-footprints.ts > packages/engine/test/recorded/without-context.json`, in the build that is compared with. */
import { footprints } from './footprint.ts'

console.log(JSON.stringify(await footprints(), null, 2))
