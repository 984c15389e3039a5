/** Environment of the programs: none of our secrets, none of the PG* variables that would change what they do. */
export function childEnv(): NodeJS.ProcessEnv {
  const passed = ['PATH', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP'] as const
  const kept = passed.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}
