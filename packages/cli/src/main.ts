/** The `signalbox` command. Loads what the command at hand needs, and turns every end into an exit code. */
import { enableCompileCache } from 'node:module'
import process from 'node:process'
import { quietWarnings } from './quiet-warnings.ts'

// Halves the time a short command takes, from its second use on.
enableCompileCache()
// Before anything is loaded: what is loaded warns.
quietWarnings()
const lingerMs = 1_000
// `signalbox events | head`: whoever has read enough closes the pipe, and that is no mistake.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})
const { runCommandLine } = await import('./command-line.ts')
const code = await runCommandLine(process.argv.slice(2))
process.exitCode = code
// A timer or a connection of a user's own module does not keep a command that has ended.
setTimeout(() => process.stdout.write('', () => process.exit(code)), lingerMs).unref()
