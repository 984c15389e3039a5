/**
 * Calls that wait for a human: each command a child process, against one real server. Would catch: an approver who does not
 * see what he approves, an answer that is lost or told wrongly, a follower that a restart makes blind.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import type { Approval } from '../src/client/documents.ts'
import { approvalRow, showApproval } from '../src/output/approval-lines.ts'
import { duration } from '@signalbox/core/text'
import { signalbox, start } from './support/command.ts'
import { createFolder } from './support/folder.ts'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
beforeAll(async () => {
  box = await startServer()
})
afterAll(() => box?.stop())

/** A run that waits for an approval. */
async function ask(): Promise<Approval> {
  const { code, stderr } = await box.run('run', 'Note milk.', '-a', 'asker', '--wait')
  const [, run = ''] = /The run (\S+) waits for a human/.exec(stderr) ?? []
  expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining(run) })
  return (await box.json('approvals', '--run', run))[0]
}

const lines = (text: string): string[] => text.trimEnd().split('\n')
const ndjson = (text: string): Approval[] =>
  text === '' ? [] : lines(text).map((line): Approval => JSON.parse(line))

describe('approvals', () => {
  it('are a table, of one run if asked, and one by one in full', async () => {
    const { approval_id, run_id } = await ask()
    const [table, none, one] = await Promise.all([
      box.run('approvals', '--run', run_id),
      box.run('approvals', '--run', 'no-such-run'),
      box.run('approvals', approval_id),
    ])
    const [titles, row, ...more] = lines(table.stdout)
    expect(titles).toMatch(/^approval +run +tool +arguments +policy +age +expires in$/)
    expect(row).toMatch(
      new RegExp(
        `^${approval_id} +${run_id} +note +\\{"text":"s3cret milk"\\} +lists +\\d+s +6d 23h$`,
      ),
    )
    expect(more).toEqual([])
    expect(none).toEqual({ code: 0, stdout: 'No call waits for an approval.\n', stderr: '' })
    expect(one.stdout).toContain('{"text":"s3cret milk"}')
    expect(one.stdout).toContain(`signalbox approve ${approval_id}`)
  })

  it('are approved by id, with a message and a scope, which the log tells', async () => {
    const { approval_id, run_id } = await ask()
    const answer = ['approve', approval_id, '--message', 'fine']
    expect(await box.run(...answer, '--scope', 'run')).toEqual({
      code: 0,
      stdout: 'The call is approved.\n',
      stderr: '',
    })
    const { stdout } = await box.run('events', run_id, '--follow', '--verbose')
    expect(stdout).toMatch(/approval\.requested +note asked .*a_\S+ by lists until 2/)
    expect(stdout).toMatch(/approval\.answered.*approve.*for this run.*fine/)
    expect(stdout).toContain('tool.completed')
    // The same again is fine; the opposite comes too late, whoever says it.
    const [again, late] = [await box.run(...answer), await box.run('reject', approval_id)]
    expect(again).toMatchObject({ code: 0, stdout: 'It was approved before.\n' })
    expect(late).toMatchObject({ code: 5, stdout: '' })
    const settled = await box.run('approvals', approval_id)
    expect(settled.stdout).toMatch(/approved \(run\): fine/)
  })

  it('are told of by a run that waits, and answered from elsewhere', async () => {
    const running = box.start('run', 'Note milk.', '-a', 'asker')
    const [, ...approve] = await running.prints(/signalbox (approve) (a_\S+) --url/)
    await box.run(...approve)
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/It is noted\.\ncompleted\n$/)
  })

  it('are approved and rejected by run and call, as ever', async () => {
    const [first, second] = [await ask(), await ask()]
    const approved = await box.run('approve', first.run_id, first.call_id, '--note', 'fine')
    expect(approved).toEqual({ code: 0, stdout: 'The call is approved.\n', stderr: '' })
    const { run_id, call_id } = second
    const rejected = await box.json('reject', run_id, call_id)
    expect(rejected).toEqual({ run_id, call_id, decision: 'reject', code: 'accepted' })
    const { stdout } = await box.run('events', run_id, '--follow')
    expect(stdout).not.toContain('tool.completed')
    expect((await box.run('approve', run_id, call_id)).code).toBe(5)
  })

  it('are edited, from the command line or a file; what the tool does not take is refused', async () => {
    const [first, second] = [await ask(), await ask()]
    const wrong = await box.run('approve', first.approval_id, '--edit', '{"text":7}')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(/\[invalid_arguments\]\n$/)
    const edit = await box.json('approve', first.approval_id, '--edit', '{"text":"oat milk"}')
    expect(edit).toMatchObject({ decision: 'edit', code: 'accepted' })
    await writeFile(join(box.dir, 'args.json'), '{"text":"rice milk"}')
    const file = await box.run('approve', second.approval_id, '--edit-file', 'args.json')
    expect(file).toMatchObject({ code: 0, stdout: 'The call is approved as edited.\n' })
    const logs = await Promise.all(
      [first, second].map(({ run_id }) => box.run('events', run_id, '--follow', '-v')),
    )
    expect(logs[0]?.stdout).toMatch(/tool\.completed.*noted oat milk/)
    expect(logs[1]?.stdout).toMatch(/tool\.completed.*noted rice milk/)
  })

  it('expire, and then an answer is too late', async () => {
    const { stdout } = await box.run('run', 'Note milk.', '-a', 'hasty')
    expect(stdout).toMatch(/approval\.expired.*nobody answered in time/)
    const [, id = ''] = /signalbox approve (a_\S+)/.exec(stdout) ?? []
    const late = await box.run('approve', id)
    expect(late).toMatchObject({ code: 5, stdout: '' })
    expect(late.stderr).toMatch(/\[approval_expired\]\n$/)
  })
})

describe('following approvals', () => {
  it('shows each as it comes and what becomes of it, over a restart of the server', async () => {
    const { dir, remove } = await createFolder()
    onTestFinished(remove)
    await writeFile(join(dir, 'signalbox.config.ts'), patient)
    const where = { cwd: dir, env: { PORT: String(await freePort()) } }
    const serve = async () => {
      const server = start(['serve'], where)
      await server.prints(/"msg":"serving"/)
      return server
    }
    const first = await serve()
    const following = start(['approvals', '--follow', '--json'], where)
    const humans = start(['approvals', '--follow'], where)
    await signalbox(['run', 'Wait.', '--detach'], where)
    const [, id = ''] = await following.prints(/"approval_id":"(a_[^"]+)"/)
    await humans.prints(new RegExp(`signalbox approve ${id}`))
    first.child.kill('SIGTERM')
    await first.ended

    const second = await serve()
    await signalbox(['reject', id, '--message', 'not today'], where)
    await following.prints(/"status":"rejected"/)
    const [line] = await humans.prints(/^a_.*$/m)
    for (const { child } of [following, humans]) child.kill('SIGINT')
    const [{ code, stdout }] = await Promise.all([following.ended, humans.ended])
    second.child.kill('SIGTERM')
    await second.ended
    expect(code).toBe(0)
    expect(ndjson(stdout)).toMatchObject([
      { approval_id: id, tool: 'greet' },
      { approval_id: id, status: 'rejected', answer: { message: 'not today' } },
    ])
    expect(line).toMatch(new RegExp(`^${id} +\\S+ +greet +rejected: not today$`))
  })
})

const patient = `import { defineConfig, defineTool, z } from 'signalbox'
const greet = defineTool({ name: 'greet', description: 'Greets.', input: z.object({}), run: () => 'hello' })
export default defineConfig({
  agents: {
    patient: {
      model: { provider: 'scripted', model: 'patient' },
      tools: ['greet'],
      guardrails: { approvalTools: ['greet'] },
    },
  },
  tools: [greet],
  scripts: { patient: (_, turn) => (turn === 0 ? { calls: [{ name: 'greet', args: {} }] } : { text: 'Done.' }) },
})
`

const approval = (args: Approval['args']): Approval => ({
  approval_id: 'a_1',
  run_id: 'r',
  call_id: 'c_1',
  tool: 'bash',
  args,
  requested_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
  status: 'waiting',
})

describe('arguments', () => {
  /** A right-to-left override, a zero-width space, an escape sequence, a line separator. */
  const tricky = 'ls \u202E\u200B\u001b[2J\u2028\u009b'

  it('hide nothing from whoever approves them', () => {
    const said: string[] = []
    const terminal = {
      json: false,
      line: (text: string) => void said.push(text),
      text: () => {},
      document: () => {},
      note: () => {},
      paint: (_: string, text: string) => text,
    }
    showApproval(terminal, approval({ command: tricky }), 0)
    expect(said[1]).toBe('  {"command":"ls \\u{202e}\\u{200b}\\u001b[2J\\u{2028}\\u{9b}"}')
  })

  it('are cut where many stand below each other, and say so', () => {
    const row = approvalRow(approval({ command: 'x'.repeat(500) }), 0)
    expect(row['arguments']).toMatch(/^\{"command":"x{47}…$/)
    expect(row['expires in']).toBe('never')
    expect(approvalRow(approval(null), 0)['arguments']).toBe('(erased)')
  })
})

it.each([
  [-5, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_600_000, '1h'],
  [7_830_000, '2h 10m'],
  [86_400_000, '1d'],
  [604_799_000, '6d 23h'],
])('%i ms are said as %s', (ms, said) => {
  expect(duration(ms)).toBe(said)
})
