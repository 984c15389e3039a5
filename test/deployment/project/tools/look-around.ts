import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defineTool, z } from 'signalbox'

const folder = process.env['SHOP_FOLDER'] ?? '.'

/** Writes down all that a tool of this process, and a program that it starts, find of environments. */
export const lookAround = defineTool({
  name: 'look_around',
  description: 'Looks around.',
  effect: 'read',
  input: z.object({}),
  async run() {
    const seen = [
      JSON.stringify(process.env),
      await readFile('/proc/self/environ', 'utf8'),
      await readFile(`/proc/${process.ppid}/environ`, 'utf8').catch(String),
    ]
    await writeFile(join(folder, 'seen-by-tool'), seen.join('\n'))
    const script = 'env; cat /proc/self/environ /proc/$PPID/environ; cat /proc/$PPID/cmdline'
    const { stdout } = await promisify(execFile)('bash', ['-c', script])
    await writeFile(join(folder, 'seen-by-bash'), stdout)
    return 'looked'
  },
})
