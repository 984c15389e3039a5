/**
 * The contract of every adapter of the port `Sandboxes` with its users (context-systems §7.7). Everything is real: scripts run, and what they
 * leave is looked for on this machine. A script that starts processes marks them, so that they are found wherever they went.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type {
  EndedCommand,
  FileOfSet,
  FileSet,
  Network,
  Sandboxes,
  SandboxLimits,
} from '@signalbox/tools'
import { describe, expect, onTestFinished, test } from 'vitest'

const mebibyte = 1024 * 1024

export const contractLimits: SandboxLimits = {
  wallMs: 20_000,
  cpuMs: 20_000,
  memoryBytes: 512 * mebibyte,
  processes: 64,
  fileBytes: 16 * mebibyte,
  tmpBytes: 32 * mebibyte,
  outputBytes: mebibyte,
  openFiles: 256,
}

/** Files in memory, as a call would find them, and which of them were read. */
export interface GivenFiles extends FileSet {
  readonly reads: string[]
}

export function givenFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  executables: readonly string[] = [],
): GivenFiles {
  const bytesOf = (path: string): Uint8Array | null => {
    const content = files[path]
    return typeof content === 'string' ? Buffer.from(content) : (content ?? null)
  }
  const reads: string[] = []
  const list = Object.keys(files)
    .toSorted()
    .map((path): FileOfSet => {
      const bytes = bytesOf(path)?.length ?? 0
      return { path, bytes, executable: executables.includes(path), state: `${path}:${bytes}` }
    })
  return {
    reads,
    list: async () => list,
    read: async (path) => {
      reads.push(path)
      return bytesOf(path)
    },
    take: async () => null,
  }
}

/** A script and its circumstances. */
export interface Played {
  readonly files?: FileSet
  readonly limits?: Partial<SandboxLimits>
  readonly tenantId?: string
  readonly network?: Network
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly cwd?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** The outcome of a script: the end, its texts, and the files by path (`null`: gone; `+x`: a program), or why none were kept. */
export interface Outcome {
  readonly ended: EndedCommand
  readonly stdout: string
  readonly stderr: string
  readonly files: Readonly<Record<string, string | null>> | string
  readonly programs: readonly string[]
  readonly chunks: readonly string[]
}

/** Plays one script in a sandbox of its own. */
export async function play(
  sandboxes: Sandboxes,
  script: string,
  played: Played = {},
): Promise<Outcome> {
  const { signal = new AbortController().signal, timeoutMs = 20_000, stdin, cwd } = played
  const sandbox = await sandboxes.open({
    tenantId: played.tenantId ?? 'tenant',
    threadId: 'thread',
    runId: 'run',
    callId: 'call',
    files: played.files ?? givenFiles({}),
    mounts: [],
    limits: { ...contractLimits, ...played.limits },
    network: played.network ?? { kind: 'none' },
    env: played.env ?? {},
  })
  try {
    const chunks: string[] = []
    const command = {
      script,
      timeoutMs,
      ...(stdin === undefined ? {} : { stdin }),
      ...(cwd === undefined ? {} : { cwd }),
    }
    const ended = await sandbox.exec(command, signal, (stream, chunk) => {
      chunks.push(`${stream}:${Buffer.from(chunk).toString('utf8')}`)
    })
    const changes = await sandbox.changes()
    const files = changes.ok
      ? Object.fromEntries(
          changes.value.map(({ path, bytes }): [string, string | null] => [
            path,
            bytes && Buffer.from(bytes).toString('utf8'),
          ]),
        )
      : changes.code
    const programs = changes.ok
      ? changes.value.filter(({ executable }) => executable).map(({ path }) => path)
      : []
    return {
      ended,
      stdout: utf8(ended.stdout),
      stderr: utf8(ended.stderr),
      files,
      programs,
      chunks,
    }
  } finally {
    await sandbox.close()
  }
}

const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

async function unreadable(): Promise<never> {
  throw new Error('this row cannot be read')
}

/** A number of seconds that nothing else sleeps. */
export const marked = (): string => `3${randomBytes(4).readUInt32BE() % 1_000_000}.5`

/** Processes of this machine whose command line holds a text, more than zombies. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        const isDead = /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
        return !isDead && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        return false
      }
    })
}

/** Plays the suite. */
export function sandboxContract(name: string, make: () => Promise<Sandboxes>): void {
  const open = async (): Promise<Sandboxes> => {
    const sandboxes = await make()
    onTestFinished(() => sandboxes.close())
    return sandboxes
  }

  describe(`Sandboxes contract: ${name}`, () => {
    test('its probe says that it is usable', async () => {
      const { usable, findings } = await (await open()).probe()
      expect({ usable, failed: findings.filter(({ status }) => status === 'fail') }).toEqual({
        usable: true,
        failed: [],
      })
    })

    test.each([
      ['true', 0],
      ['exit 3', 3],
      ['exit 255', 255],
      ['no-such-program', 127],
      ['false', 1],
    ])('§7.7 exit codes: %s', async (script, exitCode) => {
      const { ended } = await play(await open(), script)
      expect(ended).toMatchObject({ ended: 'exited', exitCode, signal: null })
    })

    test('§7.7 both outputs are kept apart, each in order, and told as they come', async () => {
      const { stdout, stderr, chunks, ended } = await play(
        await open(),
        'echo one; echo eins >&2; echo two; echo zwei >&2; exit 7',
      )
      expect([stdout, stderr, ended.exitCode]).toEqual(['one\ntwo\n', 'eins\nzwei\n', 7])
      const told = (stream: string): string =>
        chunks
          .filter((chunk) => chunk.startsWith(stream))
          .map((chunk) => chunk.slice(stream.length + 1))
          .join('')
      expect([told('stdout'), told('stderr')]).toEqual([stdout, stderr])
    })

    test('§7.7 no output, an empty tree', async () => {
      const { stdout, stderr, files, ended } = await play(await open(), ':')
      expect({ stdout, stderr, files, bytes: ended.usage.outputBytes }).toEqual({
        stdout: '',
        stderr: '',
        files: {},
        bytes: 0,
      })
    })

    test('§7.7 standard input is closed, behind what it was given', async () => {
      const sandboxes = await open()
      expect((await play(sandboxes, 'cat; echo over')).stdout).toBe('over\n')
      expect((await play(sandboxes, 'cat', { stdin: 'grüße\n' })).stdout).toBe('grüße\n')
    })

    test('§7.7 UTF-8 comes out whole', async () => {
      const { stdout } = await play(await open(), 'printf "%s" "héllo 😀 שלום"')
      expect(stdout).toBe('héllo 😀 שלום')
    })

    test('§7.7 10 MB of output are stopped at the limit, and nothing is changed', async () => {
      const { ended, files } = await play(
        await open(),
        'echo x > made; for i in 1 2 3 4 5 6; do seq 1 250000; done',
        // The limit of its output ends it: not the clock, however much else the machine has to do.
        { limits: { wallMs: 120_000, cpuMs: 120_000 }, timeoutMs: 120_000 },
      )
      expect(ended).toMatchObject({ ended: 'output', exitCode: null })
      expect(ended.stdout.length + ended.stderr.length).toBeLessThanOrEqual(mebibyte)
      expect(files).toEqual({})
    })

    test('X5 the wall clock ends it, with its words and without its files', async () => {
      const script = 'echo x > made; echo before; sleep 30; echo after'
      const { ended, files } = await play(await open(), script, { timeoutMs: 400 })
      expect(ended).toMatchObject({ ended: 'timeout', exitCode: null })
      expect(ended.usage.wallMs).toBeGreaterThanOrEqual(390)
      expect(files).toEqual({})
    })

    test('X5 a loop that never waits ends by the wall clock', async () => {
      const { ended } = await play(await open(), 'while :; do :; done', { timeoutMs: 500 })
      expect(ended.ended).toBe('timeout')
    })

    test.each([0, 1, 10, 100])('X1, X2 a cancel after %d ms: cancelled, no files', async (ms) => {
      const controller = new AbortController()
      if (ms === 0) controller.abort()
      else setTimeout(() => controller.abort(), ms)
      const script = 'echo x > made; while :; do :; done'
      const played = await play(await open(), script, { signal: controller.signal })
      expect(played.ended).toMatchObject({ ended: 'cancelled', exitCode: null })
      expect(played.files).toEqual({})
    })

    test('X1, X2 a cancel at the moment of exit is one or the other, never in between', async () => {
      const sandboxes = await open()
      const bare = await play(sandboxes, 'echo x > made')
      for (const part of [0.6, 0.9, 1, 1.1]) {
        const controller = new AbortController()
        setTimeout(() => controller.abort(), bare.ended.usage.wallMs * part)
        const { ended, files } = await play(sandboxes, 'echo x > made', {
          signal: controller.signal,
        })
        expect([
          ['exited', { made: 'x\n' }],
          ['cancelled', {}],
        ]).toContainEqual([ended.ended, files])
      }
    })

    test('files: read, changed, made, removed, renamed, made a program', async () => {
      const files = givenFiles(
        { a: 'alpha\n', 'dir/b': 'beta\n', 'dir/c': 'gamma\n', old: 'x', tool: 'echo ran\n' },
        ['tool'],
      )
      const script = [
        'cat a',
        'echo more >> a',
        'rm old',
        'mkdir new && mv dir new/dir',
        'echo run > run.sh && chmod +x run.sh',
        'chmod -x tool',
      ].join('\n')
      const played = await play(await open(), script, { files })
      expect(played.stderr).toBe('')
      expect(played.stdout).toBe('alpha\n')
      expect(played.files).toEqual({
        a: 'alpha\nmore\n',
        old: null,
        'dir/b': null,
        'dir/c': null,
        'new/dir/b': 'beta\n',
        'new/dir/c': 'gamma\n',
        'run.sh': 'run\n',
        tool: 'echo ran\n',
      })
      expect(played.programs).toEqual(['run.sh'])
    })

    test('files that were written as they were are no change, nor are those that were looked at', async () => {
      const files = givenFiles({ a: 'alpha\n', b: 'beta\n' })
      const script = 'cat b > /dev/null; ls -l; echo alpha > a'
      expect((await play(await open(), script, { files })).files).toEqual({})
    })

    test('a file becomes a directory, and a directory a file', async () => {
      const files = givenFiles({ file: 'x', 'dir/below': 'y' })
      const script = 'rm file && mkdir file && echo in > file/in; rm -r dir && echo out > dir'
      expect((await play(await open(), script, { files })).files).toEqual({
        file: null,
        'file/in': 'in\n',
        'dir/below': null,
        dir: 'out\n',
      })
    })

    test('names of all kinds come back; those that no workspace takes refuse the whole', async () => {
      const sandboxes = await open()
      const names = ['ünï', '😀', "it's", 'a b', '-rf', '.hidden']
      const script = names.map((each) => `echo "${each}" > "./${each}"`).join('\n')
      const { files } = await play(sandboxes, script)
      expect(files).toEqual(Object.fromEntries(names.map((each) => [each, `${each}\n`])))
      for (const bad of ["$'new\\nline'", '"a:b"', '"ends."'])
        expect((await play(sandboxes, `echo x > good; echo x > ${bad}`)).files).toBe('bad_path')
    })

    test('2,000 files are made, and come back in the next call', async () => {
      const sandboxes = await open()
      const made = await play(sandboxes, 'for i in $(seq 1 2000); do echo $i > f$i; done')
      expect(made.ended.ended).toBe('exited')
      const files = typeof made.files === 'string' ? {} : made.files
      expect(Object.keys(files)).toHaveLength(2000)
      const found = givenFiles(
        Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text ?? ''])),
      )
      const counted = await play(sandboxes, 'ls | wc -l; cat f1999; rm f7; echo 0 > f8', {
        files: found,
      })
      expect(counted.stdout.split('\n').map((line) => line.trim())).toEqual(['2000', '1999', ''])
      expect(counted.files).toEqual({ f7: null, f8: '0\n' })
    })

    test('links lead nowhere and are not kept; second names are files', async () => {
      const files = givenFiles({ real: 'real\n' })
      const script =
        'ln -s /etc/passwd passwd; ln -s ../.. up; ln -s real soft; ln real hard; cat passwd; cat soft'
      const { files: kept, stdout } = await play(await open(), script, { files })
      expect(stdout).toBe('real\n')
      expect(kept).toEqual({ hard: 'real\n' })
    })

    test('X4 the variables are four, and those that were given', async () => {
      const { stdout } = await play(
        await open(),
        'echo "$HOME|$LANG|$TERM|$GIVEN|$SIGNALBOX_CANARY|$DATABASE_URL|$USER"; pwd',
        { env: { GIVEN: 'given' } },
      )
      expect(stdout).toBe('/tmp|C.UTF-8|dumb|given|||\n/workspace\n')
    })

    test('X4 nothing of the host is read, and nothing outside is written', async () => {
      const script = [
        'cat /etc/passwd /etc/shadow /etc/hostname /root/.bashrc /home/*/.profile',
        `cat ${process.cwd()}/package.json`,
        'ls /root /home /var /opt /srv /run /mnt',
        'echo x > /usr/made; echo x > /made; echo x > /etc/made',
      ].join(' 2>/dev/null; ')
      const { stdout, files } = await play(await open(), `${script}; exit 0`)
      expect(stdout).toBe('')
      expect(files).toEqual({})
    })

    test('the directory for a command is the workspace, or one in it', async () => {
      const files = givenFiles({ 'dir/b': 'beta\n' })
      const { stdout } = await play(await open(), 'pwd; cat b', { files, cwd: 'dir' })
      expect(stdout).toBe('/workspace/dir\nbeta\n')
    })

    test('two calls of two tenants at once see nothing of each other', async () => {
      const sandboxes = await open()
      const calls = ['one', 'two'].map((tenantId) =>
        play(
          sandboxes,
          `echo ${tenantId} > /tmp/x; echo ${tenantId} > made; sleep 0.3; cat /tmp/x made; ls /tmp .`,
          {
            tenantId,
            files: givenFiles({ [tenantId]: tenantId }),
          },
        ),
      )
      const [one, two] = await Promise.all(calls)
      expect(one?.stdout).toMatch(/^one\none\n/)
      expect(two?.stdout).toMatch(/^two\ntwo\n/)
      expect(one?.stdout).not.toContain('two')
      expect(two?.stdout).not.toContain('one')
    })

    test('what a call left in /tmp is gone in the next one', async () => {
      const sandboxes = await open()
      await play(sandboxes, 'echo x > /tmp/left')
      expect((await play(sandboxes, 'cat /tmp/left')).stdout).toBe('')
    })

    test('a file that cannot be read, not for now but at all, ends the command, and nothing is kept', async () => {
      const files = { ...givenFiles({ 'kept.txt': '0' }), read: unreadable }
      const script = 'printf 1 >> kept.txt; echo x > made; exit 0'
      const { ended, files: left } = await play(await open(), script, { files })
      expect([ended.ended, ended.reason, left]).toEqual([
        'lost',
        expect.stringContaining('this row cannot be read'),
        {},
      ])
    })

    test('a file that comes late is waited for, beyond the time of the command itself', async () => {
      const given = givenFiles({ 'kept.txt': '0' })
      const read = async (path: string): Promise<Uint8Array | null> => {
        await new Promise((resolve) => setTimeout(resolve, 2_500))
        return given.read(path)
      }
      const files = { ...given, read }
      const script = 'printf 1 >> kept.txt; cat kept.txt'
      const { stdout, files: left } = await play(await open(), script, { files, timeoutMs: 2_000 })
      expect([stdout, left]).toEqual(['01', { 'kept.txt': '01' }])
    })
  })
}
