/** Attempts of a script against its sandbox: each ends in words for the model, and the files of the thread are as they were. */
import type { FileEvent } from '@signalbox/core'
import { marked, processesWith } from '@signalbox/testing/contract'
import { describe, expect, it } from 'vitest'
import { callTool, hostFor, outputOf, textOf } from '../hosting.ts'
import { snapshotStore } from '../snapshot-store.ts'
import { bwrapMissing, skipBwrap } from './bwrap-here.ts'

const mebibyte = 1024 * 1024
const limits = { wallMs: 60_000, tmpBytes: 64 * mebibyte, processes: 64 }

/** A script and what the model reads. `%`: a sleep that is found again. */
interface Trial {
  readonly name: string
  readonly script: string
  readonly said: RegExp
  readonly timeoutMs?: number
}

const stopped = /Stopped after 2 s\. No file was changed/
const bomb = ':(){ :|:& };:; sleep 30'

const everywhere: readonly Trial[] = [
  {
    name: '10,000 files',
    script: 'for i in $(seq 1 10000); do echo $i > f$i; done',
    said: /2000/,
  },
  {
    name: 'links to /etc',
    script: 'ln -s /etc/passwd p; ln -s /etc d; cat p d/shadow 2>/dev/null; ls -A d/shadow',
    said: /exit code [12]/,
  },
  {
    name: 'devices',
    script: 'cat /dev/sda /dev/mem /dev/kmsg',
    said: /No such file[^]*exit code 1/,
  },
  {
    name: 'names with newlines',
    script: String.raw`echo x > $'one\ntwo'`,
    said: /No file was kept: "one\\ntwo"/,
  },
]

/** Bytes are letters of Latin-1 there, and calls of functions are counted. */
const inVirtual: readonly Trial[] = [
  { name: 'a fork bomb', script: bomb, said: /recursion depth/ },
  { name: 'output that is no UTF-8', script: String.raw`printf 'a\377\376b'`, said: /^aÿþb$/ },
]

const ofPrograms: readonly Trial[] = [
  { name: 'a fork bomb', script: bomb, said: stopped, timeoutMs: 2000 },
  {
    name: 'output that is no UTF-8',
    script: String.raw`printf 'a\377\376b'`,
    said: /^a\uFFFD+b$/,
  },
  { name: 'yes', script: 'yes', said: /Stopped: it wrote more than 1 MiB\. No file was changed/ },
  {
    name: '2 GB in /tmp',
    script:
      'for i in $(seq 1 40); do head -c 53687091 /dev/zero > /tmp/$i || break; done; echo at $i',
    said: /at 2[^]*No space left/,
  },
  {
    name: 'setsid nohup',
    script: 'setsid nohup sleep % >/dev/null 2>&1 & echo begun',
    said: /^begun$/,
  },
  {
    name: 'traps for all signals',
    script: "trap '' $(seq 1 64) 2>/dev/null; trap '' HUP INT QUIT TERM; while :; do sleep %; done",
    said: stopped,
    timeoutMs: 2000,
  },
  {
    name: 'a stopped process',
    script: 'sleep % & kill -STOP $!; kill -STOP $$',
    said: stopped,
    timeoutMs: 2000,
  },
]

const adapters = [
  ['virtual', 'virtual', [...everywhere, ...inVirtual], false],
  [`bubblewrap${bwrapMissing}`, 'bubblewrap', [...everywhere, ...ofPrograms], skipBwrap],
] as const

describe.each(adapters)('bad input for bash over %s', (_name, use, trials, skip) => {
  it.skipIf(skip).each(trials)('$name', async ({ script, said, timeoutMs = 60_000 }) => {
    const host = hostFor({ snapshots: true, sandbox: { use, limits } })
    const store = snapshotStore()
    const draft = { path: 'kept', bytes: Buffer.from('as it was'), executable: false }
    const events: FileEvent[] = [store.keep('e0', [draft])]
    const mark = marked()
    const call = async (command: string, ms: number) => {
      const args = { command, timeoutMs: ms }
      return callTool(host, 'bash', { args, files: store.files(events) })
    }
    const outcome = await call(`rm kept; ${script.replaceAll('%', mark)}`, timeoutMs)
    expect(textOf(outputOf(outcome))).toMatch(said)
    expect(processesWith(mark)).toEqual([])
    // Only a command that exited, and whose files can be kept, has removed the file.
    const files = outcome.status === 'completed' ? outcome.files : undefined
    expect([undefined, [{ path: 'kept', bytes: null, executable: false }]]).toContainEqual(files)
    expect(textOf(outputOf(await call('ls -A; cat kept', 20_000)))).toBe('kept\nas it was')
  })
})
