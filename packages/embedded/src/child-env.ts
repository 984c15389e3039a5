/** Environment of the programs: none of our secrets, none of the PG* variables that would change what they do. */
function childEnv(): NodeJS.ProcessEnv {
  const passed = ['PATH', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP'] as const
  const kept = passed.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

/** How the programs are run: in a session of their own, so that a Ctrl-C at the terminal reaches the owner only. */
export const ownSession = () =>
  ({ cwd: '/', env: childEnv(), detached: true, windowsHide: true }) as const
