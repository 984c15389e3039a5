/** `policy test`: every row of a table against the policies of a configuration, and a line about each. */
import type { PolicyAnswer } from '@signalbox/core'
import type { PolicyTestOptions } from '../../commands/policy.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { usageFailure } from '../../failure.ts'
import { oneLine } from '@signalbox/core/text'
import type { Terminal } from '../../output/terminal.ts'
import type { Shell } from '../../shell.ts'
import { type Expectation, readExpectations, wrongRow } from './expectation.ts'
import { type Judged, judgeCall } from './judge-row.ts'

export interface PolicyTest {
  readonly terminal: Terminal
  readonly file: string
  readonly options: PolicyTestOptions
  /** Ends the test; the rest of the rows is not asked. */
  readonly signal: AbortSignal
}

/** Tests, tells, and answers whether every row was met. @throws Failure, ConfigError */
export async function testPolicies(shell: Shell, test: PolicyTest): Promise<ExitCode> {
  const { terminal, file, options, signal } = test
  const all = await readExpectations(shell.cwd, file)
  const { agent, config } = options
  const rows = all.filter((row) => agent === undefined || row.agent === agent)
  if (rows.length === 0) throw usageFailure(`${file} has no row of an agent "${agent ?? ''}".`)
  // Only a table that can be read is worth what this loads and starts.
  const { openPolicies } = await import('./open-policies.ts')
  const opened = await openPolicies(shell, config)
  try {
    const now = Date.now()
    for (const row of rows)
      if (!opened.agents.has(row.agent)) throw unknownAgent(file, row, [...opened.agents.keys()])
    let failed = 0
    const results = []
    for (const row of rows) {
      const agentOf = opened.agents.get(row.agent)
      if (signal.aborted) return exitCodes.interrupted
      if (agentOf === undefined) continue
      const call = { ...row, agent: agentOf, user: row.user ?? null, at: timeOf(row, now) }
      const judged = await judgeCall(opened.policies, call, signal)
      const ok = isMet(row, judged.answer)
      if (!ok) failed += 1
      show(terminal, row, { ...judged, ok })
      results.push(resultOf(row, { ...judged, ok }))
    }
    terminal.document({ ok: failed === 0, rows: results })
    terminal.line(`${rows.length} ${rows.length === 1 ? 'row' : 'rows'}, ${failed} failed`)
    return failed === 0 ? exitCodes.ok : exitCodes.failed
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted
    throw error
  } finally {
    await opened.close()
  }
}

const unknownAgent = (file: string, row: Expectation, known: readonly string[]) =>
  wrongRow(file, row, `agent: there is no agent "${row.agent}"; there are ${known.join(', ')}`)

const timeOf = ({ at }: Expectation, now: number): number =>
  typeof at === 'string' ? Date.parse(at) : (at ?? now)

function isMet({ expect, code }: Expectation, { effect, reasons }: PolicyAnswer): boolean {
  if (effect !== expect) return false
  return code === undefined || reasons.some((reason) => reason.code === code)
}

type Result = Judged & { readonly ok: boolean }

function resultOf(row: Expectation, { answer, faults, ok }: Result) {
  const { name = null, agent, tool, expect, code = null } = row
  const { effect, reasons, policyId } = answer
  const got = { effect, reasons, policy_id: policyId === '' ? null : policyId }
  const unheard = faults.map(({ policyId: policy_id, message }) => ({ policy_id, message }))
  return {
    row: row.row,
    name,
    agent,
    tool,
    ok,
    expected: { effect: expect, code },
    got,
    faults: unheard,
  }
}

const charsMax = { about: 120, said: 400 }

/** One line: the row, and where it was not met what was decided, by whom and why. */
function show(terminal: Terminal, row: Expectation, { answer, faults, ok }: Result): void {
  const { name = row.tool, agent, tool, expect, code } = row
  const label = ok ? terminal.paint('green', 'ok  ') : terminal.paint('red', 'FAIL')
  const [reason] = answer.reasons
  const by = answer.policyId === '' ? '' : ` by ${answer.policyId}`
  const got = `${answer.effect}${reason ? ` ${reason.code}` : ''}${by}`
  const why = reason?.message ? `: ${reason.message}` : ''
  const wanted = code === undefined ? expect : `${expect} ${code}`
  const unheard = faults.map((fault) => `; ${fault.policyId} could not answer: ${fault.message}`)
  const cells = [
    String(row.row).padStart(3),
    oneLine(name, charsMax.about),
    oneLine(`${agent} ${tool}`, charsMax.about),
    oneLine(
      `${ok ? got : `expected ${wanted}, got ${got}${why}`}${unheard.join('')}`,
      charsMax.said,
    ),
  ]
  terminal.line(`${label}  ${cells.join('  ')}`)
}
