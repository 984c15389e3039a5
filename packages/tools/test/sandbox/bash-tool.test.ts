/** The tool `bash` in a host: its spec, its results, its files, its cancel, on both adapters. */
import type { FileEvent } from '@signalbox/core'
import { describe, expect, it } from 'vitest'
import { callTool, hostFor, outputOf, temporaryDirectory, textOf } from '../hosting.ts'
import { snapshotStore } from '../snapshot-store.ts'
import { bwrapMissing, skipBwrap } from './bwrap-here.ts'
import { defineTool } from '../../src/index.ts'
import { z } from 'zod'

const adapters = [
  ['virtual', 'virtual', false],
  [`bubblewrap${bwrapMissing}`, 'bubblewrap', skipBwrap],
] as const

/** A call that writes this many files. */
const writing = (count: number) => ({
  args: { command: `for i in $(seq 1 ${count}); do echo $i > f$i; done` },
  files: snapshotStore().files([]),
})

describe.each(adapters)('bash over %s', (_name, use, skip) => {
  const host = () => hostFor({ snapshots: true, sandbox: { use, limits: { wallMs: 20_000 } } })

  it.skipIf(skip)('has a spec that says what it is', async () => {
    const spec = (await host().specs()).find(({ name }) => name === 'bash')
    expect(spec).toMatchObject({
      effect: 'idempotent',
      contained: true,
      queue: 'sandbox',
      timeoutMs: 80_000,
      inputSchema: { required: ['command'] },
    })
    for (const words of ['no network', 'no background processes', 'Calls of the same turn'])
      expect(spec?.description).toContain(words)
  })

  it.skipIf(skip)('answers output, errors and exit code, which is no error', async () => {
    const outcome = await callTool(host(), 'bash', {
      args: { command: 'echo out; echo err >&2; exit 3' },
    })
    expect(textOf(outputOf(outcome))).toBe('out\nstderr:\nerr\nexit code 3')
    expect(outputOf(outcome).isError).toBe(false)
    expect(outcome).toMatchObject({
      sandbox: {
        adapter: use,
        exitCode: 3,
        signal: null,
        ended: 'exited',
        outputBytes: 8,
        egress: [],
      },
    })
    expect(outcome).not.toHaveProperty('files')
    const silent = await callTool(host(), 'bash', { args: { command: 'true' } })
    expect(textOf(outputOf(silent))).toBe('(no output)')
  })

  it.skipIf(skip)(
    'keeps the files of a command that exited, whatever it answered, and finds them again',
    async () => {
      const store = snapshotStore()
      const events: FileEvent[] = []
      const call = async (command: string) => {
        const outcome = await callTool(host(), 'bash', {
          args: { command },
          files: store.files(events),
        })
        if (outcome.status === 'completed' && outcome.files)
          events.push(store.keep(`e${events.length}`, outcome.files))
        return textOf(outputOf(outcome))
      }
      await call('mkdir -p a; echo one > a/f; echo two > g; exit 9')
      expect(await call('cat a/f g; rm g')).toBe('one\ntwo')
      expect(await call('ls -R | tr "\\n" " "')).toContain('f')
      expect(await call('cat g')).toContain('exit code 1')
    },
  )

  it.skipIf(skip)('says what stopped it, as an error, and keeps no file', async () => {
    const outcome = await callTool(host(), 'bash', {
      args: { command: 'echo x > f; while :; do :; done', timeoutMs: 1000 },
      files: snapshotStore().files([]),
    })
    expect(outputOf(outcome).isError).toBe(true)
    expect(textOf(outputOf(outcome))).toContain('Stopped after 1 s. No file was changed.')
    expect(outcome).toMatchObject({ sandbox: { ended: 'timeout', exitCode: null } })
    expect(outcome).not.toHaveProperty('files')
  })

  it.skipIf(skip)('says why files cannot be kept', async () => {
    const outcome = await callTool(host(), 'bash', {
      args: { command: "echo x > good; echo x > $'a\\nb'" },
      files: snapshotStore().files([]),
    })
    expect(outputOf(outcome).isError).toBe(true)
    expect(textOf(outputOf(outcome))).toContain('No file was kept: "a\\nb": ')
    expect(outcome).not.toHaveProperty('files')
  })

  it.skipIf(skip)(
    'keeps up to 2,000 files of one call, and of more says that none was kept',
    async () => {
      const most = await callTool(host(), 'bash', writing(2000))
      expect(outputOf(most).isError).toBe(false)
      expect(most.status === 'completed' && most.files).toHaveLength(2000)
      const more = await callTool(host(), 'bash', writing(2001))
      expect(textOf(outputOf(more))).toContain(
        'No file was kept: One call changes at most 2000 files',
      )
      expect(more).not.toHaveProperty('files')
    },
  )

  it.skipIf(skip)(
    'answers output that is no text, or that does not end, as text that does',
    async () => {
      const bytes = await callTool(host(), 'bash', {
        args: { command: String.raw`printf 'a\377\376b\000c'` },
      })
      const said = textOf(outputOf(bytes))
      expect([said.isWellFormed(), said.startsWith('a'), said.endsWith('c')]).toEqual([
        true,
        true,
        true,
      ])
      const endless = await callTool(host(), 'bash', {
        args: {
          command: 'while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done',
          timeoutMs: 3000,
        },
      })
      // The interpreter in TypeScript tells what it wrote at its end, so there the clock is first.
      const stopped = use === 'bubblewrap' ? 'it wrote more than 1 MiB' : 'Stopped after 3 s'
      expect(textOf(outputOf(endless))).toContain(stopped)
      expect(outputOf(endless).isError).toBe(true)
    },
  )

  it.skipIf(skip)('§18.17 a cancelled call is aborted and settled: never unknown', async () => {
    for (const ms of [0, 5, 50, 300]) {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), ms)
      const outcome = await callTool(host(), 'bash', {
        args: { command: 'while :; do :; done' },
        signal: controller.signal,
        files: snapshotStore().files([]),
      })
      expect(outcome).toEqual({ status: 'aborted', settled: true })
    }
  })

  it.skipIf(skip)('refuses arguments that make no sense', async () => {
    for (const args of [
      {},
      { command: '' },
      { command: 'x'.repeat(10_001) },
      { command: 'a\u0000b' },
      { command: 'true', timeoutMs: 20_001 },
      { command: 'true', cwd: '/' },
    ])
      expect(await callTool(host(), 'bash', { args })).toMatchObject({
        status: 'failed',
        error: { code: 'invalid_arguments' },
      })
  })

  it.skipIf(skip)('§7.6 two calls of a turn work on copies, and both edits are kept', async () => {
    const store = snapshotStore()
    const tools = host()
    const call = (command: string) =>
      callTool(tools, 'bash', { args: { command }, files: store.files([]) })
    const [one, two] = await Promise.all([
      call('echo one > one; sleep 0.2; ls'),
      call('echo two > two; sleep 0.2; ls'),
    ])
    expect([textOf(outputOf(one)), textOf(outputOf(two))]).toEqual(['one', 'two'])
    const events = [one, two].map((outcome, n) =>
      store.keep(`e${n}`, outcome.status === 'completed' ? (outcome.files ?? []) : []),
    )
    const tree = await store.files(events).tree()
    expect([...tree.keys()].toSorted()).toEqual(['one', 'two'])
  })

  it.skipIf(skip)('shows the end of long output while it runs', async () => {
    const notes: string[] = []
    await callTool(host(), 'bash', {
      args: { command: 'for i in 1 2 3 4 5; do echo line $i; sleep 0.2; done' },
      progress: (note) => void notes.push(note),
    })
    // The interpreter in TypeScript tells its output at the end.
    expect(notes.join('')).toContain(use === 'bubblewrap' ? 'line 1' : '')
    for (const note of notes) expect(note.length).toBeLessThanOrEqual(500)
    expect(notes.length).toBeLessThan(8)
  })

  it.skipIf(skip)('over a directory it is once, and works there all the same', async () => {
    const workspaceRoot = await temporaryDirectory()
    const tools = hostFor({ workspaceRoot, sandbox: { use } })
    const spec = (await tools.specs()).find(({ name }) => name === 'bash')
    expect(spec?.effect).toBe('once')
    await callTool(tools, 'write_file', { args: { path: 'dir/f', content: 'from a tool\n' } })
    const outcome = await callTool(tools, 'bash', {
      args: { command: 'cat dir/f; echo more >> dir/f; echo new > g; chmod +x g' },
    })
    expect(textOf(outputOf(outcome))).toBe('from a tool')
    const read = await callTool(tools, 'read_file', { args: { path: 'dir/f' } })
    expect(textOf(outputOf(read))).toBe('from a tool\nmore\n')
    const again = await callTool(tools, 'bash', {
      args: { command: 'test -x g && rm dir/f && ls -R' },
    })
    expect(textOf(outputOf(again))).not.toContain('exit code')
    const gone = await callTool(tools, 'read_file', { args: { path: 'dir/f' } })
    expect(outputOf(gone).structured).toMatchObject({ code: 'not_found' })
  })
})

describe('bash in a host', () => {
  it('is there only where a sandbox is configured', async () => {
    const specs = await hostFor({ snapshots: true }).specs()
    expect(specs.map(({ name }) => name)).not.toContain('bash')
  })

  it('leaves its name to a tool of the user, but not beside a sandbox', async () => {
    const own = defineTool({
      name: 'bash',
      description: 'own',
      input: z.object({}),
      run: () => 'own',
    })
    const host = hostFor({ tools: [own] })
    expect(textOf(outputOf(await callTool(host, 'bash')))).toBe('own')
    expect(() => hostFor({ tools: [own], sandbox: {} })).toThrow('the tool of the sandbox')
  })

  it('is once with a network, which virtual does not have', async () => {
    const network = { allow: ['api.github.com:443'] }
    expect(() => hostFor({ sandbox: { network } })).toThrow('"virtual" has no network')
    const host = hostFor({ snapshots: true, sandbox: { use: 'bubblewrap', network } })
    const [spec] = (await host.specs()).filter(({ name }) => name === 'bash')
    expect(spec?.effect).toBe('once')
    expect(spec?.description).toContain('api.github.com:443')
  })
})
