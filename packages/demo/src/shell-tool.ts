/**
 * A tool that a model takes for a shell. It notes each command in the workspace before anything else, which proves later
 * what got as far as here. This being a demo on somebody's machine, it knows one program and refuses the rest.
 */
import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'

/** The command it knows. */
export const harmless = 'node --version'
/** The file of the notes, a line for each command. */
export const noteFile = 'commands.txt'

export const shellTool = defineTool({
  name: 'shell',
  description: 'Runs a command.',
  effect: 'once',
  input: z.object({ command: z.string() }),
  run: async ({ command }, { workspace, signal }) => {
    const before = await workspace.readFile(noteFile)
    const noted = await workspace.writeFile(
      noteFile,
      `${before.ok ? before.value : ''}${command}\n`,
    )
    if (!noted.ok) throw new Error(noted.message)
    if (command !== harmless) throw new Error('This shell knows one command only.')
    const { stdout } = await promisify(execFile)(process.execPath, ['--version'], { signal })
    return stdout.trim()
  },
})
