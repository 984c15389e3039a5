/**
 * Assertions about a run. Each throws an `AssertionError` of `node:assert`, which every test runner shows, with the timeline of the run; and
 * each answers the expectation, so that they can be chained.
 *
 * A1 A name that the agent does not know is a mistake of the test, and fails whatever is asserted: `notCalled('chrage_card')` would always
 *    hold.
 */
import { AssertionError } from 'node:assert'
import { Outcome } from '@signalbox/core'
import { suggestion } from '@signalbox/server'
import { TestBoxError } from './box-error.ts'
import { type ArgsMatcher, difference, shown } from './match-args.ts'
import type { TestCall, TestRedaction } from './run-story.ts'
import type { TestRun } from './test-run.ts'

/** A selection of calls. */
export interface CallMatch {
  /** Only those with these arguments. */
  readonly args?: ArgsMatcher
  /** Exactly so many. */
  readonly times?: number
}

/** A selection of denials. */
export interface DenialMatch {
  readonly tool?: string
  /** One of the reasons, such as `oap.limit_exceeded`. */
  readonly code?: string
}

/** Begins assertions about a run. */
export const expectRun = (run: TestRun): RunExpectation => new RunExpectation(run)

/** Assertions about one run. */
export class RunExpectation {
  readonly #run: TestRun

  /** Made by `expectRun`. */
  constructor(run: TestRun) {
    this.#run = run
  }

  /** A call of the tool was executed: at least one, or as many as `times` says. */
  called(tool: string, match: CallMatch = {}): this {
    this.#checkTool(tool)
    const executed = this.#executed(tool)
    const found = executed.filter(({ args }) => fits(match, args))
    const isMet = match.times === undefined ? found.length > 0 : found.length === match.times
    if (isMet) return this
    const times = match.times === undefined ? '' : `, ${timesOf(match.times)}`
    const wanted = `${tool}${withArgs(match)} to be executed${times}`
    return this.#fail({
      message: `Expected ${wanted}. ${this.#whatBecame(tool, executed, match)}`,
      actual: executed.map(({ args }) => args),
      expected: match.args ?? `${match.times ?? 1} × ${tool}`,
    })
  }

  /** Exactly one call of the tool was executed. */
  calledOnce(tool: string, match: Omit<CallMatch, 'times'> = {}): this {
    return this.called(tool, { ...match, times: 1 })
  }

  /** No call of the tool was executed; without a tool: no call at all. */
  notCalled(tool?: string, match: Omit<CallMatch, 'times'> = {}): this {
    if (tool !== undefined) this.#checkTool(tool)
    const executed = this.#executed(tool).filter(({ args }) => fits(match, args))
    if (executed.length === 0) return this
    return this.#fail({
      message: `Expected no call of ${tool ?? 'any tool'}${withArgs(match)} to be executed, but ${executed.map(callText).join(', ')} was.`,
      actual: executed.map(callText),
      expected: [],
    })
  }

  /** Calls of these tools were executed in this order, whatever was executed between them. */
  inOrder(tools: readonly string[]): this {
    for (const tool of tools) this.#checkTool(tool)
    const began = this.#executed()
      .toSorted((a, b) => a.beganAt - b.beganAt)
      .map(({ tool }) => tool)
    let at = 0
    for (const tool of began) if (tool === tools[at]) at += 1
    if (at === tools.length) return this
    const missing = tools[at] ?? ''
    const behind = at === 0 ? '' : ` behind ${tools[at - 1]}`
    return this.#fail({
      message: `Expected the order ${tools.join(', ')}. There is no ${missing}${behind}: executed were ${listed(began)}.`,
      actual: began,
      expected: tools,
    })
  }

  /** The policy denied a call: at the decision, or right before the execution. */
  deniedBy(policy: string, match: DenialMatch = {}): this {
    this.#checkName(policy, this.#run.policies, 'policy')
    return this.#denied(match, policy)
  }

  /** A call was denied, by whichever policy, or because it could not be executed at all. */
  denied(tool: string, match: Omit<DenialMatch, 'tool'> = {}): this {
    return this.#denied({ ...match, tool })
  }

  /** A person was asked to approve a call. */
  askedApproval(tool?: string): this {
    if (tool !== undefined) this.#checkTool(tool)
    const asked = this.#run.approvals.filter((each) => tool === undefined || each.tool === tool)
    if (asked.length > 0) return this
    const others = this.#run.approvals.map((each) => each.tool)
    return this.#fail({
      message: `Expected a person to be asked about ${tool ?? 'a call'}. Asked was about ${listed(others)}.`,
      actual: others,
      expected: [tool ?? 'a call'],
    })
  }

  /** A person rejected a call of the tool, or the request expired. */
  rejected(tool: string): this {
    this.#checkTool(tool)
    const about = this.#run.approvals.filter((each) => each.tool === tool)
    if (about.some(({ answer }) => answer === 'reject' || answer === 'expired')) return this
    const answers = about.map(({ answer }) => answer)
    return this.#fail({
      message: `Expected ${tool} to be rejected. The answers were ${listed(answers)}.`,
      actual: answers,
      expected: ['reject'],
    })
  }

  /** The run ended like this. */
  ended(outcome: Outcome): this {
    if (!Outcome.safeParse(outcome).success)
      throw new TestBoxError(
        'wrong_option',
        `There is no outcome "${outcome}".${suggestion(outcome, Outcome.options)}`,
      )
    const actual = this.#run.outcome
    if (actual === outcome) return this
    const how = actual === null ? 'has not ended' : `ended: ${actual}`
    return this.#fail({
      message: `Expected the run to end: ${outcome}. It ${how}.`,
      actual,
      expected: outcome,
    })
  }

  /** The last words of the model are these, or hold a match of the expression. */
  answered(text: string | RegExp): this {
    const { answer } = this.#run
    const isMet =
      typeof text === 'string' ? answer === text : new RegExp(text.source, text.flags).test(answer)
    if (isMet) return this
    return this.#fail({
      message: `Expected the answer ${shown(text)}. It is ${shown(answer)}.`,
      actual: answer,
      expected: text,
    })
  }

  /** A guardrail took something of this kind out, such as `email`: in an answer, in arguments or in a result. */
  redacted(
    kind: string,
    match: Partial<Pick<TestRedaction, 'guardrail' | 'place' | 'tool'>> = {},
  ): this {
    const { redactions } = this.#run
    const found = redactions.some(
      (each) =>
        each.kind === kind &&
        (match.guardrail === undefined || each.guardrail === match.guardrail) &&
        (match.place === undefined || each.place === match.place) &&
        (match.tool === undefined || each.tool === match.tool),
    )
    if (found) return this
    const where = Object.entries(match).map(([key, value]) => `, ${key} ${value}`)
    const others = redactions.map((each) => `${each.kind} in the ${each.place} (${each.guardrail})`)
    return this.#fail({
      message: `Expected ${kind} to be taken out${where.join('')}. Taken out was ${listed(others)}.`,
      actual: redactions,
      expected: { kind, ...match },
    })
  }

  /** The log alone gives the same decisions again: nothing decided by what is not recorded. */
  replays(): this {
    const { replayProblem } = this.#run
    if (replayProblem === null) return this
    return this.#fail({
      message: `Expected the log to give the same decisions again: ${replayProblem}.`,
      actual: replayProblem,
      expected: null,
    })
  }

  #executed(tool?: string): readonly TestCall[] {
    return this.#run.calls.filter(
      (each) => each.executed && (tool === undefined || each.tool === tool),
    )
  }

  #denied({ tool, code }: DenialMatch, policy?: string): this {
    const { denials, calls } = this.#run
    // A tool that the agent does not have may well be what was denied.
    if (tool !== undefined && !calls.some((each) => each.tool === tool)) this.#checkTool(tool)
    const found = denials.some(
      (each) =>
        (policy === undefined || each.policy === policy) &&
        (tool === undefined || each.tool === tool) &&
        (code === undefined || each.codes.includes(code)),
    )
    if (found) return this
    const others = denials.map(
      (each) => `${each.tool} by ${each.policy ?? 'Signalbox'} (${each.codes.join(', ')})`,
    )
    const wanted = `${tool ?? 'a call'} to be denied${policy === undefined ? '' : ` by ${policy}`}${code === undefined ? '' : ` (${code})`}`
    return this.#fail({
      message: `Expected ${wanted}. Denied was ${listed(others)}.`,
      actual: denials,
      expected: { ...(policy === undefined ? {} : { policy }), tool, code },
    })
  }

  #whatBecame(tool: string, executed: readonly TestCall[], { args }: CallMatch): string {
    const calls = this.#run.calls.filter((each) => each.tool === tool)
    if (calls.length === 0) return 'The model did not ask for it.'
    if (executed.length === 0)
      return `The model asked for it, but it was not executed: ${calls.map(({ why }) => why).join(' ')}`
    const lines = executed.map((each) => {
      const why = args === undefined ? null : difference(args, each.args)
      return `\n  ${callText(each)}${why === null ? '' : `  ← ${why}`}`
    })
    return `It was executed ${timesOf(executed.length)}:${lines.join('')}`
  }

  #checkTool(tool: string): void {
    this.#checkName(tool, this.#run.tools, 'tool')
  }

  #checkName(name: string, known: readonly string[], what: string): void {
    if (known.includes(name)) return
    throw new TestBoxError(
      what === 'tool' ? 'unknown_tool' : 'wrong_option',
      `The agent "${this.#run.agent}" has no ${what} "${name}".${suggestion(name, known)}`,
    )
  }

  #fail(failure: Pick<AssertionError, 'message' | 'actual' | 'expected'>): never {
    throw new AssertionError({
      ...failure,
      message: `${failure.message}\n\n${this.#run.timeline()}`,
      operator: 'expectRun',
    })
  }
}

const fits = ({ args }: CallMatch, actual: TestCall['args']): boolean =>
  args === undefined || difference(args, actual) === null

const withArgs = ({ args }: CallMatch): string => (args === undefined ? '' : ` with ${shown(args)}`)

const callText = ({ tool, args }: TestCall): string => `${tool} ${JSON.stringify(args)}`

const timesOf = (times: number): string => (times === 1 ? 'once' : `${times} times`)

const listed = (words: readonly string[]): string =>
  words.length === 0 ? 'nothing' : words.join(', ')
