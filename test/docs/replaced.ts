/** Commands that the documentation shows and the tests do not run, each with the reason. Everything else is run as it stands. */

interface Replaced {
  /** First word of the command. */
  readonly program: string
  /** What follows it, as a pattern of bash. */
  readonly args: string
  readonly reason: string
}

/** Commands that do nothing in the tests. */
const replaced: readonly Replaced[] = [
  {
    program: 'npm',
    args: 'ci',
    reason: 'It installs what stands in the lockfile; the tests run in what it has installed.',
  },
  {
    program: 'npm',
    args: 'install signalbox*',
    reason:
      'test/package installs the packed tarball into an empty folder; here a link stands for it.',
  },
  {
    program: 'npm',
    args: 'install @langchain/*',
    reason: 'The tests run with the packages of the lockfile, and install none.',
  },
  {
    program: 'npm',
    args: 'run demo',
    reason:
      'The demo has tests of its own in packages/cli, and takes as long as the rest of this page.',
  },
  {
    program: 'docker',
    args: 'compose *',
    reason: 'It needs a Docker engine. test/deployment checks the compose file.',
  },
  {
    program: 'docker',
    args: 'build *',
    reason: 'The same. test/package lays the tree of the image as its Dockerfile says.',
  },
  {
    program: 'docker',
    args: 'push *',
    reason: 'The same.',
  },
  {
    program: 'kubectl',
    args: '*',
    reason: 'It needs a cluster. test/deployment holds the objects against the published schemas.',
  },
  {
    program: 'pg_dump',
    args: '*',
    reason: 'It must be as new as the server; the embedded server brings no clients along.',
  },
  {
    program: 'pg_restore',
    args: '*',
    reason:
      'As for pg_dump. What must be done after it is run against a database in the same state.',
  },
]

/**
 * Installed already, `npx signalbox` is the program of that name in `node_modules/.bin`, which is on the path here. npm
 * takes longer to find that out than most commands take; `test/package` runs the real one.
 */
const shortcut = 'npx() { if [ "$1" = signalbox ]; then command "$@"; else command npx "$@"; fi; }'

/** Functions of bash that stand before the programs, and pass on every call that is not replaced. */
export function replacements(): string {
  const programs = Map.groupBy(replaced, ({ program }) => program)
  const functions = [...programs].map(([program, entries]) => {
    const cases = entries.map(({ args }) => `${args.replaceAll(' ', '\\ ')}) return 0 ;;`)
    return `${program}() { case "$*" in ${cases.join(' ')} esac; command ${program} "$@"; }`
  })
  return [...functions, shortcut].join('\n')
}
