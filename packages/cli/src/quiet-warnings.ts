/**
 * Node warns that parts of it are young, and that a `package.json` without a type makes it read a file twice. Both are
 * true, and of no use to somebody who runs a command. That a file is taken for CommonJS is told with the error that follows.
 * Every other warning stays.
 */
import process from 'node:process'

const useless = (warning: Error & { readonly code?: string }): boolean =>
  warning.code === 'MODULE_TYPELESS_PACKAGE_JSON' ||
  warning.message.startsWith('Failed to load the ES module: ') ||
  (warning.name === 'ExperimentalWarning' &&
    /SQLite|Type Stripping|stripTypeScriptTypes/i.test(warning.message))

/** Takes those warnings out of what Node prints. */
export function quietWarnings(): void {
  const printers = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (useless(warning)) return
    for (const print of printers) print(warning)
  })
}
