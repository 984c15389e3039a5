/** The three lines with which the demo ends. */
import { extname } from 'node:path'
import { version } from '../version.ts'

const run = 'npx signalbox run "How many words has this sentence?"'

/** Only the repository runs its sources. */
const isRepository = extname(import.meta.url) === '.ts'

/** Commands to type where the demo was started: in a project that has the package, or in the repository, which packs it first. */
export const yourTurn = (): readonly string[] =>
  isRepository
    ? [
        'mkdir -p ../my-agent && npm pack -w signalbox --pack-destination ../my-agent && cd ../my-agent',
        `npm init -y && npm install ./signalbox-${version()}.tgz && npx signalbox init`,
        run,
      ]
    : ['npx signalbox init', run, 'npx signalbox dev']
