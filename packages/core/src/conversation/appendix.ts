/**
 * The facts of the log about a part of a conversation that a summary stands for: what failed, what was written, which runs were started, what people
 * decided. Folded from events, never generated, so that a model does not plan again, or repeat what failed. Bounded (C11).
 *
 * D1 Nothing is told of what a refusal took out of the conversation (C7), as `conversation.ts` forgets it.
 * D2 The appendix of a summary goes on from the one of the summary before it, so that it is the same whether a process has read the conversation
 *    from its beginning, or from that summary on. Each line is one line, so that the text can be read back.
 */
import { heardOf } from '../event/catalogue.ts'
import { type Fact, type FactPayload } from '../event/fact.ts'
import { type FoldableEvent, readFact } from '../event/upcast.ts'
import { partWords } from '../image/words.ts'
import type { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { textHead } from '../text/clip.ts'
import { escaped } from '../text/inert.ts'
import { callsOf } from '../verdict/authorization/judge.ts'
import type { Todo } from '../todo/spec.ts'

/** Lines by what they are about, oldest first. */
interface Lines {
  /** The items of the newest plan: it takes the place of the one before. */
  todos: readonly string[]
  readonly runs: string[]
  /** Each path once. */
  readonly files: Set<string>
  readonly failures: string[]
  readonly people: string[]
  /** So many lines of each, older than these, were left out of the appendix that this one goes on from. */
  leftOut: Counts
}

/** How many lines there are of each. */
type Counts = Readonly<Record<keyof typeof sections, number>>

const none: Counts = { todos: 0, runs: 0, files: 0, failures: 0, people: 0 }

/** The title of each section, and how many of its lines are shown. */
const sections = {
  todos: { title: 'The plan, as it was written last:', most: limits.todosMax },
  runs: { title: 'Runs that were started:', most: limits.appendixLinesMax },
  files: { title: 'Files that were changed:', most: limits.appendixLinesMax },
  failures: { title: 'Calls that failed:', most: limits.appendixFailuresMax },
  people: { title: 'What people decided about calls:', most: limits.appendixFailuresMax },
} as const

const countsOf = ({ todos, runs, files, failures, people }: Lines): Counts => ({
  todos: todos.length,
  runs: runs.length,
  files: files.size,
  failures: failures.length,
  people: people.length,
})

/** Forgets the lines behind so many. */
function backTo(lines: Lines, counts: Counts): void {
  lines.runs.length = Math.min(lines.runs.length, counts.runs)
  lines.failures.length = Math.min(lines.failures.length, counts.failures)
  lines.people.length = Math.min(lines.people.length, counts.people)
  for (const path of [...lines.files].slice(counts.files)) lines.files.delete(path)
}

function forgetAll(lines: Lines): void {
  backTo(lines, none)
  lines.todos = []
  lines.leftOut = none
}

interface Called {
  readonly name: string
  /** The first argument. */
  readonly about: string
  /** The task of a run that the call starts. */
  readonly prompt: string
}

/** The calls by their ids, and the tasks that runs of the run at hand were started for. */
interface Calls {
  readonly byId: Map<string, Called>
  readonly tasks: Set<string>
}

/** Grows event by event, each taken once. */
export interface Appendix {
  take(event: FoldableEvent): void
  /** The text about what was taken; empty where there is nothing to say. */
  text(): string
}

/**
 * Begins one that knows what an earlier one has told (D2); without it, nothing. Events are given to it in the order of the log: those behind the
 * place of the earlier one.
 */
export function createAppendix(earlier = ''): Appendix {
  const lines = linesOf(earlier)
  const calls: Calls = { byId: new Map(), tasks: new Set() }
  /** The lines there were before the run at hand, and its plan. */
  let before = countsOf(lines)
  let planned = lines.todos
  return {
    take(event) {
      if (event.type === 'run.created') {
        calls.tasks.clear()
        before = countsOf(lines)
        planned = lines.todos
      }
      const heard = heardOf(event)
      if (heard?.as === 'result' && heard.todos) lines.todos = heard.todos.map(todoLine)
      if (heard?.as === 'denial')
        lines.failures.push(failureOf(calls.byId, heard.callId, heard.code))
      if (heard?.as === 'refusal' && heard.context === 'drop-turn') {
        backTo(lines, before)
        lines.todos = planned
      }
      if (heard?.as === 'refusal' && heard.context === 'reset-context') forgetAll(lines)
      const fact = readFact(event)
      if (fact) take(lines, calls, fact)
    },
    text: () => textOf(lines),
  }
}

function textOf({ todos, runs, files, failures, people, leftOut }: Lines): string {
  const text = [
    section('todos', todos, leftOut),
    section('runs', runs, leftOut),
    section('files', [...files], leftOut),
    section('failures', failures, leftOut),
    section('people', people, leftOut),
  ]
    .filter((each) => each !== '')
    .join('\n')
  return textHead(text, limits.appendixCharsMax)
}

/** The newest lines, and how many are left out. */
function section(name: keyof Counts, lines: readonly string[], leftOut: Counts): string {
  if (lines.length === 0) return ''
  const { title, most } = sections[name]
  const left = leftOut[name] + Math.max(0, lines.length - most)
  const note = left > 0 ? [`- (${left} earlier ones are left out)`] : []
  return [title, ...note, ...lines.slice(-most).map((line) => `- ${line}`)].join('\n')
}

/** The lines of a text that `textOf` made. */
function linesOf(text: string): Lines {
  const found: Record<keyof Counts, string[]> = {
    todos: [],
    runs: [],
    files: [],
    failures: [],
    people: [],
  }
  const leftOut = { ...none }
  let name: keyof Counts | undefined
  for (const line of text === '' ? [] : text.split('\n')) {
    const titled = names.find((each) => sections[each].title === line)
    name = titled ?? name
    if (titled || name === undefined) continue
    const [, left] = /^- \((\d+) earlier ones are left out\)$/.exec(line) ?? []
    if (left === undefined) found[name].push(line.replace(/^- /, ''))
    else leftOut[name] = Number(left)
  }
  return { ...found, files: new Set(found.files), leftOut }
}

const names = ['todos', 'runs', 'files', 'failures', 'people'] as const

function take({ runs, files, failures, people }: Lines, { byId, tasks }: Calls, fact: Fact): void {
  switch (fact.type) {
    case 'model.completed':
      for (const { id, name, args } of callsOf(fact.payload.turn))
        byId.set(id, { name, about: firstOf(args), prompt: promptOf(args) })
      return
    case 'child.ended': {
      const { callId, outcome, output, agent } = fact.payload
      const [part] = output.content
      const words = part ? partWords(part) : ''
      const what =
        agent === undefined ? nameOf(byId, callId) : taskLine(byId.get(callId), { agent, tasks })
      runs.push(`${what}: ${outcome}: ${short(words)}`)
      for (const path of pathsOf(fact.payload)) files.add(path)
      return
    }
    case 'run.created':
    case 'tool.completed':
      for (const path of pathsOf(fact.payload)) files.add(path)
      return
    case 'tool.failed':
      failures.push(failureOf(byId, fact.payload.callId, fact.payload.error.code))
      return
    case 'tool.denied':
      failures.push(
        failureOf(byId, fact.payload.callId, fact.payload.answer.reasons[0]?.code ?? 'denied'),
      )
      return
    case 'approval.answered': {
      const { callId, tool, decision, scope, edited } = fact.payload
      const reach = scope === undefined || scope === 'once' ? '' : ` (${scope})`
      const to = edited ? ` to ${firstOf(edited.args)}` : ''
      people.push(`${short(tool)} ${byId.get(callId)?.about ?? ''}: ${decision}${to}${reach}`)
      return
    }
    default:
  }
}

const todoLine = ({ text, status }: Todo): string => `[${status}] ${short(text)}`

const pathsOf = ({ files = [] }: Pick<FactPayload<'run.created'>, 'files'>): readonly string[] =>
  'manifest' in files
    ? [`(${files.count} files at once)`]
    : files.map(({ path, key }) => `${short(path)}${key === null ? ' (deleted)' : ''}`)

/** The agent and the task of a run that was started, and whether it was started for the same before. */
function taskLine(
  called: Called | undefined,
  { agent, tasks }: { readonly agent: string; readonly tasks: Set<string> },
): string {
  const prompt = called?.prompt ?? ''
  const task = `${agent}\u0000${prompt}`
  const again = tasks.has(task) ? ' (the same task as before)' : ''
  tasks.add(task)
  return `${short(agent)} ${short(JSON.stringify(prompt))}${again}`
}

const promptOf = ({ prompt }: JsonObject): string => (typeof prompt === 'string' ? prompt : '')

const nameOf = (calls: ReadonlyMap<string, Called>, callId: string): string =>
  short(calls.get(callId)?.name ?? 'a call')

const failureOf = (calls: ReadonlyMap<string, Called>, callId: string, code: string): string =>
  `${nameOf(calls, callId)} ${calls.get(callId)?.about ?? ''}: ${short(code)}`

const firstOf = (args: object): string => {
  const [value] = Object.values(args)
  return value === undefined ? '' : short(JSON.stringify(value) ?? '')
}

const short = (words: string): string => {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  const most = limits.appendixWordsMax
  return escaped(line.length <= most ? line : `${textHead(line, most)}…`)
}
