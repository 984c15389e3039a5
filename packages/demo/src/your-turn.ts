/** The three lines with which the demo ends. */
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { z } from 'zod'

const run = 'npx signalbox run "How many words has this sentence?"'

/** Only the repository runs its sources. */
const isRepository = extname(import.meta.url) === '.ts'

/** The version of the package that is packed, which names its tarball. */
function version(): string {
  const manifest = readFileSync(new URL('../../cli/package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version
}

/** Commands to type where the demo was started: in a project that has the package, or in the repository, which packs it first. */
export const yourTurn = (): readonly string[] =>
  isRepository
    ? [
        'mkdir -p ../my-agent && npm pack -w signalbox --pack-destination ../my-agent && cd ../my-agent',
        `npm init -y && npm install ./signalbox-${version()}.tgz && npx signalbox init`,
        run,
      ]
    : ['npx signalbox init', run, 'npx signalbox dev']
