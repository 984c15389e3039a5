/** Nothing stays when workers die or calls are cancelled, and a command finds nothing of its host. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { givenFiles, marked, play, processesWith, stubborn } from '@signalbox/testing/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ifAlive } from '../../src/sandbox/bubblewrap/argv.ts'
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'
import { findControlGroups } from '../../src/sandbox/bubblewrap/control-groups.ts'
import { isMark } from '../../src/sandbox/bubblewrap/marked.ts'
import { isAlive, temporaryDirectory, until } from '../hosting.ts'
import { bwrapMissing, skipBwrap } from './bwrap-here.ts'
import { endOf, heard, killsOfStarts, killStarts, startWorker } from './killed-workers.ts'

/** The users that run commands of a worker: one for each slot, or, as if the worker were an ordinary user, always the same. */
const usersHere = process.getuid?.() === 0 ? ['', '65534'] : ['']

/** Begins a command whose worker is at the other end of a pipe: one that waits, or one that is gone. */
const begin = async (end: string): Promise<string> => {
  const command = `bash -c '${ifAlive}; echo begun'`
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    `exec 6< <(${end}); sleep 0.3; ${command}; echo $?`,
  ])
  return stdout.trim().replace('\n', ' ')
}

const hasGroups = !skipBwrap && (await findControlGroups(null)) !== null

/** The directories of the control groups of a slot that a process is in, where there are such. */
function groupsOf(pid: number): readonly string[] {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n')
  return lines.flatMap((line) => {
    const [, controllers = '', ...path] = line.split(':')
    const place = join('/sys/fs/cgroup', controllers, path.join(':'))
    return isMark(basename(place)) ? [place] : []
  })
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

const isSleeping = (pid: number): boolean => nameOf(pid) === 'sleep'

const isChildOf =
  (parent: number) =>
  (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`)
    } catch {
      return false
    }
  }

const caretakersHere = (): readonly number[] =>
  processesWith('caretaker-main').filter(isChildOf(process.pid))

async function openDirectory(): Promise<string> {
  const directory = await temporaryDirectory()
  await chmod(directory, 0o755)
  return directory
}

async function opened(concurrency = 4): Promise<BubblewrapSandboxes> {
  const sandboxes = new BubblewrapSandboxes({ directory: await openDirectory(), concurrency })
  onTestFinished(() => sandboxes.close())
  return sandboxes
}

/** A worker's first command sees nothing of the worker before it. */
async function playBareOnce(directory: string): Promise<void> {
  const next = new BubblewrapSandboxes({ directory, concurrency: 1 })
  expect((await play(next, 'ls -A')).stdout).toBe('')
  await next.close()
}

describe.skipIf(skipBwrap)(`the end of commands in bubblewrap${bwrapMissing}`, () => {
  it.each(usersHere)(
    '§7.7 a worker killed with -9 leaves no process after 1 s, and its directory is cleared (user %j)',
    async (users) => {
      const directory = await openDirectory()
      const mark = marked()
      const script = `setsid nohup sleep ${mark} & (sleep ${mark} &) ; echo begun; trap "" TERM; sleep ${mark}`
      const worker = startWorker([directory, script, 'bubblewrap', users])
      await heard(worker, 'begun')
      // Those in the background may begin after the word.
      await until(() => processesWith(mark).filter(isSleeping).length === 3)
      const [running = 0] = processesWith(mark).filter(isSleeping)
      const groups = groupsOf(running)
      expect(groups.length > 0).toBe(hasGroups)
      const killedAt = performance.now()
      worker.kill('SIGKILL')
      await until(() => processesWith(mark).length === 0)
      expect(performance.now() - killedAt).toBeLessThan(1000)
      await until(() => worker.pid !== undefined && !isAlive(worker.pid))
      await until(() => !groups.some((each) => existsSync(each)))
      // Slots with users are taken over by the next worker; what is the worker's own goes with it.
      const slots = users === '' && process.getuid?.() === 0
      if (slots) await playBareOnce(directory)
      const rest = slots ? join(directory, 'signalbox-sandboxes') : directory
      await until(async () => (await readdir(rest)).length === 0)
    },
  )

  it.each(usersHere)(
    `X3 of ${killsOfStarts} workers killed with -9 while they start a command none leaves a process (user %j)`,
    async (users) => {
      const directory = await openDirectory()
      const left = await killStarts(() => {
        const mark = marked()
        const args = [directory, `sleep ${mark}`, 'bubblewrap', users]
        return { args, left: () => processesWith(mark) }
      }, 60)
      expect(left).toEqual([])
    },
  )

  it('a worker with nothing else to do ends when its sandboxes are closed, and not before', async () => {
    expect(await endOf(startWorker([await openDirectory(), ':']))).toBe(0)
  })

  it('C1 a caretaker that was ended is replaced before the next command', async () => {
    await until(() => caretakersHere().length === 0)
    const sandboxes = await opened(1)
    await play(sandboxes, ':')
    const [first = 0] = caretakersHere()
    expect(first).toBeGreaterThan(0)
    process.kill(first, 'SIGKILL')
    await until(() => !isAlive(first))
    // A process that has ended is heard of a little later.
    await new Promise((resolve) => setTimeout(resolve, 200))
    await play(sandboxes, ':')
    expect(caretakersHere()).toHaveLength(1)
    await sandboxes.close()
    await until(() => caretakersHere().length === 0)
  })

  it('X3 a command does not begin under a worker that is dead', async () => {
    expect(await begin('sleep 2')).toBe('begun 0')
    expect(await begin('true')).toBe('70')
  })

  it('§19 200 cancels of process trees: everything is gone when the call settles', async () => {
    const sandboxes = await opened(2)
    const goneMs: number[] = []
    const one = async (n: number): Promise<void> => {
      const mark = marked()
      const [, script = ''] = stubborn[n % stubborn.length] ?? []
      const controller = new AbortController()
      let cancelledAt = 0
      setTimeout(
        () => {
          cancelledAt = performance.now()
          controller.abort()
        },
        20 + (n % 10) * 15,
      )
      const { ended, files } = await play(
        sandboxes,
        `echo x > f; ${script.replaceAll('%', mark)}`,
        {
          signal: controller.signal,
        },
      )
      goneMs.push(performance.now() - cancelledAt)
      expect([ended.ended, files, processesWith(mark)]).toEqual(['cancelled', {}, []])
    }
    for (let n = 0; n < 200; n += 2) await Promise.all([one(n), one(n + 1)])
    const sorted = goneMs.toSorted((a, b) => a - b)
    // An aim beside the speed of the machine, so it is told, and bounded by far more.
    console.info(
      `cancel to gone: p50 ${sorted[100]?.toFixed(1)} ms, p99 ${sorted[197]?.toFixed(1)} ms`,
    )
    expect(sorted[197]).toBeLessThan(2000)
  })

  it.each(hasGroups ? ['cgroups'] : [])(
    'G1 a command and all that it starts are in the groups of its slot (%s)',
    async () => {
      const mark = marked()
      const controller = new AbortController()
      const script = `setsid nohup sleep ${mark} & (sleep ${mark} &); sleep ${mark}`
      const played = play(await opened(1), script, { signal: controller.signal })
      await until(() => processesWith(mark).filter(isSleeping).length === 3)
      const groups = processesWith(mark).filter(isSleeping).map(groupsOf)
      expect(groups[0]).not.toEqual([])
      expect(new Set(groups.flat()).size).toBe(groups[0]?.length)
      controller.abort()
      await played
    },
  )

  it('C11 more calls than slots wait for each other', async () => {
    const sandboxes = await opened(2)
    const played = await Promise.all(
      Array.from({ length: 7 }, (_, n) => play(sandboxes, `echo ${n}; sleep 0.1`)),
    )
    expect(played.map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: 7 }, (_, n) => `${n}\n`),
    )
  })
})

describe.skipIf(skipBwrap)(`what a command finds of its host${bwrapMissing}`, () => {
  it.each(usersHere)(
    'X4 no descriptor: neither one that the worker was started with, nor one that starts the command (user %j)',
    async (users) => {
      const directory = await openDirectory()
      const secret = join(directory, 'secret')
      await writeFile(secret, 'a canary')
      const [clean, dirty] = [marked(), marked()]
      const script = `
        found=$(cat <&251; cat /proc/*/fd/251; ls -l /proc/*/fd | grep -E 'secret|tasks|cgroup')
        if [ -z "$found" ]; then sleep ${clean}; else sleep ${dirty}; fi`
      const worker = startWorker([directory, script, 'bubblewrap', users], `exec 251< ${secret}`)
      const running = () => [clean, dirty].map((mark) => processesWith(mark).some(isSleeping))
      await until(() => running().includes(true))
      expect(running()).toEqual([true, false])
      worker.kill('SIGKILL')
      await until(() => processesWith(clean).length === 0)
    },
  )

  it('§19 none of 30 planted canaries', async () => {
    const word = `canary${marked().replace('.', '')}`
    const directory = await openDirectory()
    const sandboxes = new BubblewrapSandboxes({ directory, concurrency: 3 })
    onTestFinished(() => sandboxes.close())
    // In the environment, under names that programs look for.
    const names = [
      'DATABASE_URL',
      'REDIS_URL',
      'OPENAI_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'SIGNALBOX_API_KEY',
      'SSH_AUTH_SOCK',
      'GITHUB_TOKEN',
      'USER',
      'LOGNAME',
      'XDG_RUNTIME_DIR',
    ]
    const before = names.map((name) => [name, process.env[name]] as const)
    for (const name of names) process.env[name] = `${word}-${name}`
    onTestFinished(() => {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    })
    // In files of the host: its home, its temporary directories, beside the slots.
    const places = [homedir(), '/tmp', '/var/tmp', directory, '/dev/shm', join(directory, 'deep')]
    await mkdir(join(directory, 'deep'), { recursive: true })
    for (const place of places) {
      const path = join(place, `.${word}`)
      await writeFile(path, word, { mode: 0o644 })
      onTestFinished(() => rm(path, { force: true }))
    }
    // On sockets: of the machine's loopback, and by a path.
    const listeners = await Promise.all(
      [{ port: 0, host: '127.0.0.1' }, { path: join(directory, `${word}.sock`) }].map(
        async (where) => {
          const server = createServer((socket) => socket.end(word))
          await new Promise<void>((resolve) => server.listen(where, resolve))
          onTestFinished(() => void server.close())
          return server.address()
        },
      ),
    )
    const [first] = listeners
    const port = typeof first === 'object' && first ? first.port : 0
    // In the command lines, the files and the temporary directories of other calls: of this tenant and of another.
    const mark = marked()
    const others = ['tenant', 'other'].map((tenantId) =>
      play(
        sandboxes,
        `echo ${word} > made; echo ${word} > /tmp/made; export X=${word}; echo ready; bash -c "sleep ${mark}; : ${word}"`,
        { tenantId, files: givenFiles({ [`${word}-file`]: word }), timeoutMs: 6000 },
      ),
    )
    await until(() => processesWith(mark).length >= 2)
    const script = String.raw`
      W=$(echo "$HINT" | rev)
      {
        env; cat /proc/*/environ /proc/*/cmdline /proc/*/maps /proc/*/mountinfo /proc/mounts
        ls -laR /tmp /var /home /root /run /dev/shm /dev /etc /workspace /opt /srv /mnt /media
        cat /tmp/.* /tmp/* /var/tmp/* /dev/shm/* /proc/net/unix /proc/net/tcp /etc/* /root/.*
        ls -la / /proc/1/root/ /proc/1/cwd/ /proc/self/fd/
        cat /proc/1/root/tmp/*; for f in /proc/[0-9]*/fd/*; do timeout 1 cat "$f"; done
        cat < /dev/tcp/127.0.0.1/$PORT
        grep -r "$W" / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr --exclude-dir=lib --exclude-dir=lib64 --exclude-dir=bin
      } 2>/dev/null < /dev/null | tr '\000' '\n' | grep -a -f <(printf '%s\n' "$W") | head -40
      echo searched`
    const found = await play(sandboxes, script, {
      env: { HINT: Array.from(word).toReversed().join(''), PORT: String(port) },
      timeoutMs: 20_000,
    })
    expect(found.stdout).toBe('searched\n')
    for (const other of await Promise.all(others)) expect(other.ended.ended).toBe('timeout')
  })
})
