/**
 * Questions of models from a terminal: each command a child process, against one real server. Would catch: a question that nobody can
 * answer without reading the API, an answer that is lost, told wrongly, or given to another question.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AskedInput } from '../src/client/documents.ts'
import { answerTo, showInput } from '../src/output/input-lines.ts'
import { startServer, type TestServer } from './support/server.ts'

const questions = {
  words: [{ question: 'Which account?', why: 'There are two.' }],
  choice: [{ question: 'Which account?', options: ['Savings', 'Checking'] }],
  form: [{ question: 'How much?', form: [{ name: 'amount', type: 'number', label: 'Amount' }] }],
  two: [{ question: 'Which account?' }, { question: 'And when?' }],
}

let box: TestServer
beforeAll(async () => {
  const agents = Object.fromEntries(
    Object.keys(questions).map((name) => [
      name,
      { model: { provider: 'scripted' as const, model: name }, clarification: true as const },
    ]),
  )
  const scripts = Object.fromEntries(
    Object.entries(questions).map(([name, those]) => [
      name,
      (prompt: readonly unknown[], turn: number) =>
        turn === 0
          ? { calls: those.map((args) => ({ name: 'ask_clarification', args })) }
          : { text: `Read: ${JSON.stringify(prompt.at(-1))}` },
    ]),
  )
  box = await startServer({}, { agents, scripts })
})
afterAll(() => box?.stop())

/** A run that waits for answers. */
async function asking(agent: keyof typeof questions): Promise<readonly AskedInput[]> {
  const { code, stderr } = await box.run('run', 'Charge it.', '-a', agent, '--wait')
  const [, run = ''] = /The run (\S+) waits for a human: .*signalbox inputs/.exec(stderr) ?? []
  expect({ code, run }).toMatchObject({ code: 6, run: expect.stringMatching(/./) })
  return box.json('inputs', '--run', run)
}

async function asked(agent: keyof typeof questions): Promise<AskedInput> {
  const [question] = await asking(agent)
  if (!question) throw new Error('nothing waits')
  return question
}

const ended = async (run: string): Promise<string> =>
  (await box.run('events', run, '--follow', '--verbose')).stdout

describe('questions', () => {
  it('are a table, and of one run in full, with what to type', async () => {
    const { run_id, call_id } = await asked('words')
    const [table, one, none] = await Promise.all([
      box.run('inputs'),
      box.run('inputs', '--run', run_id),
      box.run('inputs', '--run', 'no-such-run'),
    ])
    expect(table.stdout).toMatch(/^run +call +question +answer +age +expires in\n/)
    expect(table.stdout).toMatch(new RegExp(`${run_id} +${call_id} +Which account\\? +text`))
    expect(one.stdout).toContain('There are two.')
    expect(one.stdout).toContain(`signalbox answer ${run_id} "…" --call ${call_id}`)
    expect(none).toEqual({ code: 0, stdout: 'No question waits for an answer.\n', stderr: '' })
    expect((await box.run('show', run_id)).stdout).toContain(`signalbox answer ${run_id}`)
  })

  it.each([
    ['words', 'The savings account.', 'The user answered: The savings account.'],
    ['choice', 'Savings', 'The user chose: Savings'],
    ['form', '{"amount":20}', 'The user filled in the form'],
  ] as const)('in %s are answered, and the run goes on', async (agent, said, read) => {
    const { run_id, call_id } = await asked(agent)
    const answer = await box.run('answer', run_id, said)
    expect(answer).toEqual({ code: 0, stdout: 'It is answered.\n', stderr: '' })
    const log = await ended(run_id)
    expect(log).toContain('input.answered')
    expect(log).toContain(read)
    const way = { words: '--text', choice: '--option', form: '--values' }[agent]
    const again = await box.run('answer', run_id, '--call', call_id, way, said)
    expect(again).toMatchObject({ code: 0, stdout: 'It was answered so before.\n' })
    const other = await box.run('answer', run_id, '--call', call_id, '--decline')
    expect(other).toMatchObject({ code: 5, stdout: '' })
    expect(other.stderr).toMatch(/\[input_conflict\]\n$/)
  })

  it('may be declined', async () => {
    const { run_id } = await asked('words')
    expect(await box.run('answer', run_id, '--decline')).toMatchObject({ code: 0 })
    expect(await ended(run_id)).toContain('did not want to answer')
  })

  it('are told apart by their calls', async () => {
    const [one, two] = await asking('two')
    const run = one?.run_id ?? ''
    const unclear = await box.run('answer', run, 'Savings')
    expect(unclear).toMatchObject({ code: 2, stdout: '' })
    expect(unclear.stderr).toContain(two?.call_id)
    for (const question of [two, one])
      expect(
        await box.run('answer', run, 'Tomorrow', '--call', question?.call_id ?? ''),
      ).toMatchObject({ code: 0 })
    expect(await ended(run)).toContain('completed')
  })

  it('refuse what is no answer to them, and say why', async () => {
    const { run_id } = await asked('choice')
    const wrong = await box.run('answer', run_id, 'Neither')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(/option: takes one of "Savings", "Checking".*\[invalid_answer\]/)
    const { run_id: form } = await asked('form')
    const text = await box.run('answer', form, 'twenty')
    expect(text.stderr).toMatch(/The answer takes an object of JSON/)
    for (const run of [run_id, form]) await box.run('cancel', run)
  })

  it.each([
    ['nothing said', ['answer', 'r_1']],
    ['said twice', ['answer', 'r_1', 'Savings', '--decline']],
    ['two ways', ['answer', 'r_1', '--text', 'a', '--option', 'b']],
  ])('are not answered by a command line with %s', async (_, args) => {
    expect(await box.run(...args)).toMatchObject({ code: 2, stdout: '' })
  })

  it('of no run, or of one that asks nothing', async () => {
    expect(await box.run('answer', 'no-such-run', 'Savings')).toMatchObject({ code: 4 })
    const { run } = await box.json('run', 'Note milk.', '-a', 'clerk', '--wait')
    const nothing = await box.run('answer', run.run_id, 'Savings')
    expect(nothing).toMatchObject({ code: 4, stdout: '' })
    expect(nothing.stderr).toMatch(/asks nothing now.*\[unknown_input\]/)
  })

  it('are told of by a run that waits, and answered from elsewhere', async () => {
    const running = box.start('run', 'Charge it.', '-a', 'words')
    const [, run = '', call = ''] = await running.prints(/signalbox answer (\S+) "…" --call (\S+)/)
    await box.run('answer', run, 'Savings', '--call', call)
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/completed\n$/)
  })
})

describe('a question in a terminal', () => {
  const question: AskedInput = {
    run_id: 'r',
    call_id: 'c_1',
    question: 'Which?\u001b[2J',
    kind: 'form',
    form: [
      { name: 'a', label: 'a', type: 'number', required: true },
      { name: 'b', label: 'Speed', type: 'choice', options: ['fast', 'slow'], required: false },
    ],
    requested_at: '2026-11-20T12:00:00.000Z',
    expires_at: '2026-11-27T12:00:00.000Z',
  }

  it('shows each field, and nothing that moves the cursor', () => {
    const said: string[] = []
    const terminal = {
      json: false,
      line: (text: string) => void said.push(text),
      text: () => {},
      document: () => {},
      note: () => {},
      paint: (_: string, text: string) => text,
    }
    showInput(terminal, question)
    expect(said.join('\n')).not.toContain('\u001b')
    expect(said).toContain('  a: number')
    expect(said).toContain('  b: choice (fast, slow), may be left out, Speed')
    expect(said.at(-1)).toBe(`  ${answerTo(question)}`)
  })
})
