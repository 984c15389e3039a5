/** Questions that wait for a person, as rows of a table and in full. */
import { duration, oneLine, printable } from '@signalbox/core/text'
import type { AskedInput } from '../client/documents.ts'
import type { Terminal } from './terminal.ts'

const questionCharsMax = 60

/** A row of the table. `now` is milliseconds since the epoch. */
export function inputRow(question: AskedInput, now: number): Readonly<Record<string, string>> {
  const { run_id, call_id, kind, requested_at, expires_at } = question
  return {
    run: oneLine(run_id, 80),
    call: oneLine(call_id, 80),
    question: oneLine(question.question, questionCharsMax),
    answer: kind,
    age: duration(now - Date.parse(requested_at)),
    'expires in': duration(Date.parse(expires_at) - now),
  }
}

/** One question in full, with what to type. */
export function showInput(terminal: Terminal, question: AskedInput): void {
  const { run_id, call_id, why, options, form } = question
  terminal.line(`${printable(run_id)}  ${printable(call_id)}`)
  terminal.line(`  ${terminal.paint('bold', printable(question.question))}`)
  if (why) terminal.line(terminal.paint('dim', `  ${printable(why)}`))
  for (const option of options ?? []) terminal.line(`  - ${printable(option)}`)
  for (const field of form ?? []) terminal.line(`  ${fieldLine(field)}`)
  terminal.line(terminal.paint('dim', `  ${answerTo(question)}`))
}

function fieldLine({ name, label, type, options, required }: Field): string {
  const values = options ? ` (${options.map((each) => printable(each)).join(', ')})` : ''
  const title = label === name ? '' : `, ${printable(label)}`
  return `${printable(name)}: ${type}${values}${required ? '' : ', may be left out'}${title}`
}

type Field = NonNullable<AskedInput['form']>[number]

/** What to type to answer a question. */
export function answerTo({ run_id, call_id, kind }: AnswerableQuestion): string {
  const how = { text: '"…"', choice: '"one of the options"', form: `'{"field": "value"}'` }[kind]
  return `signalbox answer ${printable(run_id)} ${how} --call ${printable(call_id)}   (or --decline)`
}

type AnswerableQuestion = Pick<AskedInput, 'run_id' | 'call_id' | 'kind'>
