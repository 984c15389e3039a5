/**
 * Ends child process groups when this process dies, in whatever way, `kill -9` included.
 *
 * One small shell per process waits on a pipe. It learns the groups that live; when the pipe ends, because its writer
 * is gone, it ends what is left of them. POSIX only.
 */
import { spawn, type ChildProcess } from 'node:child_process'

const script = `
groups=''
while read -r op id; do
  case "$op" in
    add) groups="$groups $id" ;;
    drop) kept=''; for g in $groups; do [ "$g" = "$id" ] || kept="$kept $g"; done; groups="$kept" ;;
  esac
done
[ -n "$groups" ] || exit 0
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
sleep 1
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
exit 0
`

let shell: ChildProcess | null = null
const groups = new Set<number>()

/** From now on this process group does not outlive this process. */
export function guardGroup(pgid: number): void {
  groups.add(pgid)
  if (shell === null) start()
  else shell.stdin?.write(`add ${pgid}\n`)
}

/** The group has ended. */
export function releaseGroup(pgid: number): void {
  if (!groups.delete(pgid)) return
  shell?.stdin?.write(`drop ${pgid}\n`)
  if (groups.size > 0) return
  shell?.stdin?.end()
  shell = null
}

function start(): void {
  // Detached: a Ctrl-C at the terminal must reach us, and not the one who cleans up after us.
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  })
  shell = child
  const gone = (): void => {
    if (shell === child) shell = null
  }
  child.on('error', gone)
  child.on('exit', gone)
  child.stdin.on('error', gone)
  child.unref()
  for (const pgid of groups) child.stdin.write(`add ${pgid}\n`)
}
