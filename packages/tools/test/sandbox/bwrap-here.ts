/** Is bubblewrap on this machine? Where everything is required, its tests fail without it instead of being left out. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const isHere =
  process.platform === 'linux' &&
  (process.env['PATH'] ?? '').split(delimiter).some((each) => existsSync(join(each, 'bwrap')))

export const skipBwrap = !isHere && process.env['SIGNALBOX_REQUIRE_ALL'] !== '1'
export const bwrapMissing = skipBwrap ? ' [skipped: bwrap is not installed]' : ''

/** For `it.each`: tests of what root alone can do. An ordinary user has none of them; CI plays the suite as both. */
export const asRoot = process.getuid?.() === 0 ? ['root'] : []
