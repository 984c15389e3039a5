/** The part of the contract of sandboxes that is about programs: signals, trees of processes, limits of the kernel, devices. */
import type { Sandboxes } from '@signalbox/tools'
import { describe, expect, onTestFinished, test } from 'vitest'
import { marked, play, processesWith } from './sandbox-contract.ts'

const mebibyte = 1024 * 1024

/** Ways to stay when told to go. Each `%` is a sleep that is found again. */
export const stubborn: readonly (readonly [name: string, script: string])[] = [
  ['setsid', 'setsid sleep % & sleep %'],
  ['nohup', 'nohup sleep % >/dev/null 2>&1 & sleep %'],
  ['a double fork', '( ( sleep % & ) & ); sleep %'],
  [
    'traps for every signal',
    "trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM; while :; do sleep %; done",
  ],
  ['a stopped process', 'sleep % & kill -STOP $!; kill -STOP $$; sleep %'],
  ['setsid nohup, outputs closed', 'setsid nohup sleep % <&- >&- 2>&- & disown; sleep %'],
]

/** Plays that part. */
export function sandboxProgramsContract(name: string, make: () => Promise<Sandboxes>): void {
  const open = async (): Promise<Sandboxes> => {
    const sandboxes = await make()
    onTestFinished(() => sandboxes.close())
    return sandboxes
  }

  describe(`Sandboxes contract, programs: ${name}`, () => {
    test.each([
      ['kill -9 $$', 137],
      ['kill -TERM $$', 143],
      ['bash -c "kill -SEGV \\$\\$"', 139],
    ])('§7.7 signals: %s', async (script, exitCode) => {
      const { ended } = await play(await open(), script)
      expect(ended).toMatchObject({ ended: 'exited', exitCode })
    })

    test('§7.7 bytes that are no text come out as they are', async () => {
      const { ended } = await play(await open(), String.raw`printf '\377\376\000a'`)
      expect(Array.from(ended.stdout)).toEqual([0xff, 0xfe, 0, 0x61])
    })

    test.each(stubborn)('X1 a cancel ends a tree with %s', async (_name, script) => {
      const mark = marked()
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 150)
      const played = await play(await open(), `echo x > made; ${script.replaceAll('%', mark)}`, {
        signal: controller.signal,
      })
      expect(processesWith(mark)).toEqual([])
      expect(played.ended.ended).toBe('cancelled')
      expect(played.files).toEqual({})
    })

    test.each([1, 5, 10, 20, 40])('X1 a cancel after %d ms leaves nothing', async (ms) => {
      const mark = marked()
      const controller = new AbortController()
      setTimeout(() => controller.abort(), ms)
      const script = `setsid nohup sleep ${mark} & sleep ${mark}`
      const { ended } = await play(await open(), script, { signal: controller.signal })
      expect(processesWith(mark)).toEqual([])
      expect(ended.ended).toBe('cancelled')
    })

    test('X3 what runs in the background ends with its call, and its files are kept as they are', async () => {
      const mark = marked()
      const { ended, files } = await play(
        await open(),
        `setsid nohup sleep ${mark} >/dev/null 2>&1 & echo x > made`,
      )
      expect(ended).toMatchObject({ ended: 'exited', exitCode: 0 })
      expect(processesWith(mark)).toEqual([])
      expect(files).toEqual({ made: 'x\n' })
    })

    test('X5 processor time', async () => {
      const { ended, files } = await play(await open(), 'echo x > made; while :; do :; done', {
        limits: { cpuMs: 1000 },
      })
      expect(ended).toMatchObject({ ended: 'cpu', exitCode: null, signal: 'SIGXCPU' })
      expect(files).toEqual({})
    })

    test('X5 a script may exit with the code of that end', async () => {
      const { ended, files } = await play(await open(), 'echo x > made; exit 152')
      expect(ended).toMatchObject({ ended: 'exited', exitCode: 152, signal: null })
      expect(files).toEqual({ made: 'x\n' })
    })

    test('X5 memory: whoever wants more than there is gets none', async () => {
      const script = `head -c 400000000 /dev/zero | tail -c 400000000 | wc -c; echo "\${PIPESTATUS[1]}"`
      const { stdout, ended } = await play(await open(), script, {
        limits: { memoryBytes: 128 * mebibyte },
      })
      // With a limit for all of it the call is ended; with one for each process, the one fails.
      const hadIt = stdout.startsWith('400000000\n0\n')
      expect([ended.ended, hadIt]).toEqual([expect.stringMatching(/^(?:exited|memory)$/), false])
    })

    test('X5 processes: a fork bomb ends by the wall clock, and leaves nothing', async () => {
      const mark = marked()
      const script = `for i in $(seq 1 200); do sleep ${mark} & done 2>/tmp/err; grep -c . /tmp/err; jobs -p | wc -l`
      const { stdout, ended } = await play(await open(), script, {
        limits: { processes: 30 },
        timeoutMs: 4000,
      })
      expect(processesWith(mark)).toEqual([])
      expect(ended.ended === 'timeout' || Number(stdout.split('\n').at(-2)) < 40).toBe(true)
      const bomb = await play(await open(), ':(){ :|:& };:; sleep 20', {
        limits: { processes: 40 },
        timeoutMs: 1500,
      })
      expect(bomb.ended.ended).toBe('timeout')
    })

    test('X5 the size of a file', async () => {
      const { stdout } = await play(
        await open(),
        'head -c 3000000 /dev/zero > big; stat -c %s big; exit 0',
        { limits: { fileBytes: mebibyte } },
      )
      expect(Number(stdout)).toBeLessThanOrEqual(mebibyte)
    })

    test('X5 /tmp and /dev/shm are as large as they are said to be; / and /dev take nothing', async () => {
      const script = [
        'for i in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero > /tmp/$i; done',
        'for i in 1 2 3 4 5 6 7 8; do head -c 1000000 /dev/zero > /dev/shm/$i; done',
        'echo x > /dev/x; echo x > /x',
        'cat /tmp/* | wc -c; cat /dev/shm/* | wc -c; ls /dev/x /x',
      ].join('\n')
      const { stdout } = await play(await open(), `exec 2>/dev/null\n${script}\nexit 0`, {
        limits: { tmpBytes: 4 * mebibyte },
      })
      const [tmp = '', shm = '', ...rest] = stdout.trim().split('\n')
      expect(Number(tmp)).toBeLessThanOrEqual(4 * mebibyte)
      expect(Number(shm)).toBeLessThanOrEqual(4 * mebibyte)
      expect(rest).toEqual([])
    })

    test('X5 open files', async () => {
      const script =
        'for i in $(seq 10 100); do eval "exec $i>/tmp/f" || break; done 2>/dev/null; ls /proc/self/fd | wc -l; ulimit -n'
      const { stdout } = await play(await open(), script, { limits: { openFiles: 40 } })
      const [open1 = '', most = ''] = stdout.trim().split('\n')
      expect([Number(open1) <= 40, most]).toEqual([true, '40'])
    })

    test('pipes, sockets and devices that a command leaves are not kept', async () => {
      const script = 'mkfifo pipe; mknod null c 1 3; echo x > made; ls'
      const { files } = await play(await open(), `exec 2>/dev/null\n${script}`)
      expect(files).toEqual({ made: 'x\n' })
    })

    test('X5 files with holes, of more bytes than a workspace holds, are refused before they are read', async () => {
      const before = process.memoryUsage().rss
      const script = 'for i in $(seq 100); do truncate -s 16M f$i; done'
      const { files, ended } = await play(await open(), script)
      expect([ended.ended, files]).toEqual(['exited', 'full'])
      expect(process.memoryUsage().rss - before).toBeLessThan(800 * mebibyte)
    })

    test('names that are no text refuse the whole', async () => {
      const { files } = await play(await open(), String.raw`echo x > good; echo x > $'bad\xff'`)
      expect(files).toBe('bad_path')
    })

    test('files and directories that may not be read are read all the same', async () => {
      const script = 'mkdir d; echo x > d/f; chmod 000 d/f d; echo y > g; chmod 000 g; chmod 000 .'
      const { files } = await play(await open(), script)
      expect(files).toEqual({ 'd/f': 'x\n', g: 'y\n' })
    })

    test('a tree deeper than a path may be long is refused, and does not stay', async () => {
      const sandboxes = await open()
      // Deeper than 4,096 bytes, and less deep than what the watch of the disk ends.
      const half = "p=$(printf 'dddddddddddddddddddd/%.0s' {1..110}); mkdir -p $p && cd $p"
      const script = `${half}; ${half}; echo x > f`
      expect((await play(sandboxes, script)).files).toBe('bad_path')
      expect((await play(sandboxes, 'ls')).stdout).toBe('')
    })

    test('X4 network none: no address, no name, loopback alone', async () => {
      const script = [
        '(echo > /dev/tcp/127.0.0.1/22) 2>/dev/null && echo reached loopback',
        '(echo > /dev/tcp/1.1.1.1/53) 2>/dev/null && echo reached an address',
        'getent hosts example.com && echo resolved',
        'cat /proc/net/dev | tail -n +3 | cut -d: -f1',
      ].join('\n')
      const { stdout } = await play(await open(), script)
      expect(stdout.split('\n').map((line) => line.trim())).toEqual(['lo', ''])
    })

    test('X4 no process of others, no descriptor, no privilege', async () => {
      const script = [
        'ls /proc | grep -c "^[0-9]"',
        'ls /proc/self/fd | tr "\\n" " "; echo',
        'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -s "\\t" " "',
        'id -u',
        'tr "\\0" "\\n" < /proc/1/environ | grep -v "^PATH=" | grep -c .',
      ].join('; ')
      const { stdout } = await play(await open(), script)
      const [count = '', fds, ...rest] = stdout.trim().split('\n')
      expect(Number(count)).toBeLessThan(8)
      expect(fds?.trim()).toBe('0 1 2 3')
      expect(rest).toEqual([
        'CapEff: 0000000000000000',
        'CapBnd: 0000000000000000',
        'NoNewPrivs: 1',
        'Seccomp: 2',
        '1000',
        '0',
      ])
    })

    test('X4 system calls that make namespaces, mounts and traces are refused', async () => {
      const script = [
        'unshare -U true',
        'unshare -r true',
        'unshare -m true',
        'mount -t tmpfs none /tmp',
        'nsenter -t 1 -m true',
      ].map((each) => `${each} 2>/dev/null && echo "done: ${each}"`)
      const { stdout } = await play(await open(), `${script.join('\n')}\nexit 0`)
      expect(stdout).toBe('')
    })

    test('X4 sockets are of the families that stay in here', async () => {
      // AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK; AF_PACKET, AF_ALG, AF_VSOCK: the machine around this one.
      const script = String.raw`
for family in 1 2 10 16 17 38 40; do
  perl -MSocket -e 'exit !socket(S, $ARGV[0], $ARGV[0] == 38 ? 5 : SOCK_DGRAM, 0)' $family && echo $family
  perl -MSocket -e 'exit !socket(S, $ARGV[0], SOCK_STREAM, 0)' $family && echo stream $family
done
exit 0`
      const { stdout } = await play(await open(), script)
      const made = new Set(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.replace('stream ', '')),
      )
      expect([...made].filter((family) => !['1', '2', '10', '16'].includes(family))).toEqual([])
      expect(made).toContain('1')
      expect(made).toContain('2')
    })

    test('X4 nobody reads the log of the kernel', async () => {
      const { stdout, ended } = await play(await open(), 'dmesg 2>/dev/null')
      expect([stdout, ended.exitCode]).toEqual(['', 1])
    })

    test('its own outputs can be opened again', async () => {
      const { stdout, stderr } = await play(
        await open(),
        'echo out > /dev/stdout; echo err > /dev/stderr; echo both | tee /dev/stderr',
      )
      expect([stdout, stderr]).toEqual(['out\nboth\n', 'err\nboth\n'])
    })
  })
}
