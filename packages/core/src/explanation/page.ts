/**
 * The explanation as a page to read and to print: Markdown that also reads as plain text. Each sentence ends with the number
 * of the event that proves it. Names that come from a model or a provider are one line, without control characters.
 */
import type { Check } from './check.ts'
import type { ExplainedAnswer, ExplainedCall, RunExplanation } from './document.ts'

/** The page, with a line break at its end. */
export function explanationPage(explained: RunExplanation): string {
  const { answers, calls, erased, unreadable } = explained
  const blocks = [
    headOf(explained),
    tallyOf(explained),
    ['## Answers of the model', ...(answers.length === 0 ? ['', 'The model gave none.'] : [])],
    ...answers.map(answerBlock),
    ['## Calls', ...(calls.length === 0 ? ['', 'No call went on to the checks.'] : [])],
    ...calls.map(callBlock),
    ...(erased.length === 0 ? [] : [erasedBlock(explained)]),
    ...(unreadable.length === 0
      ? []
      : [
          [
            '## Not readable',
            '',
            ...unreadable.map(
              ({ seq, type }) => `- #${seq} ${plain(type)}: this build cannot read it.`,
            ),
          ],
        ]),
    ['---', '', ending],
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const ending =
  'Made from the events of the run alone. A number such as #12 names an event: `signalbox events --run <run>` shows it, ' +
  '`signalbox audit verify --run <run>` proves that it is what was written.'

function headOf({ run }: RunExplanation): readonly string[] {
  const asker = run.user
    ? `${run.user.id}${run.user.role === null ? '' : ` (${run.user.role})`}`
    : null
  const lines: readonly (readonly [string, string | null])[] = [
    ['Thread', run.thread_id],
    ['Agent', run.agent],
    ['Definition', run.definition_hash],
    ['Machine', run.machine === null ? null : `${run.machine} ${run.machine_version}`],
    ['Created', run.created === null ? null : `${run.created.at} (#${run.created.seq})`],
    ['Asked for by', run.actor],
    ['On behalf of', asker ?? run.end_user],
    [
      'Started by',
      run.parent === null ? null : `the call ${run.parent.call_id} of the run ${run.parent.run_id}`,
    ],
    ['Rerun of', run.rerun_of],
    ['Retry of', run.retry_of],
    ['Outcome', run.outcome ?? 'none yet'],
  ]
  return [
    `# Why the calls of the run ${run.run_id} ran, or did not`,
    '',
    ...lines.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${plain(value)}`])),
    '',
    plain(run.why),
  ]
}

function tallyOf({ calls, answers }: RunExplanation): readonly string[] {
  const of = (ran: ExplainedCall['ran']) => calls.filter((call) => call.ran === ran).length
  const taken = answers
    .flatMap(({ suppressed }) => suppressed)
    .reduce((sum, { count }) => sum + count, 0)
  return [
    `Calls: ${calls.length}. Ran: ${of('ran')}. Did not run: ${of('did_not_run')}. Not known: ${of('unknown')}. ` +
      `Taken out with an answer that did not close positively: ${taken}.`,
  ]
}

function answerBlock(answer: ExplainedAnswer): readonly string[] {
  const { turn, proof, provider, model, evidence, cut, suppressed, guardrails, says, decided } =
    answer
  const from = provider === null ? '' : ` from ${plain(provider)} ${plain(model ?? '')}`
  return [
    `### ${turn === null ? 'An answer' : `Turn ${turn}`}${from} (#${proof.seq})`,
    '',
    plain(says),
    ...evidence.map(
      ({ detector, field, value }) =>
        `- Seen by ${plain(detector)}: ${plain(field)}=${plain(value)}`,
    ),
    ...(cut === null
      ? []
      : [`- The close was not believed (${plain(cut.code)}): ${plain(cut.detail)}`]),
    ...suppressed.map(({ tool, count }) => `- Taken out, not executed: ${plain(tool)}, ${count} ×`),
    ...guardrails.map(
      ({ verdict, guardrail, kind, place, count, proof: { seq } }) =>
        `- The guardrail ${plain(guardrail)} ${verdict}${kind === null ? '' : ` ${count} × ${plain(kind)}`} in the ${place} (#${seq})`,
    ),
    ...(decided.length === 0
      ? []
      : [`- Decided by ${decided.map(({ seq, type }) => `#${seq} ${type}`).join(', ')}`]),
  ]
}

const verdicts = { ran: 'RAN', did_not_run: 'DID NOT RUN', unknown: 'NOT KNOWN' } as const

function callBlock(call: ExplainedCall): readonly string[] {
  const { tool, call_id, args_hash, asked, ran, end, why, checks } = call
  return [
    `### ${plain(tool) || 'a tool without a name'}: ${verdicts[ran]} (${end})`,
    '',
    plain(why),
    '',
    `- Call: ${plain(call_id)}`,
    ...(args_hash === null ? [] : [`- Arguments: ${plain(args_hash)} (their hash)`]),
    ...(asked === null ? [] : [`- Asked for: ${asked.at} (#${asked.seq})`]),
    '',
    ...checks.map(
      (check, n) =>
        `${n + 1}. ${names[check.check]}: ${plain(check.says)} (#${check.proof.seq}, ${check.proof.at})`,
    ),
  ]
}

const names: Readonly<Record<Check['check'], string>> = {
  close: 'Close of the answer',
  guardrails: 'Guardrails',
  loop: 'Loop',
  budget: 'Budget',
  policy: 'Policy',
  denial: 'Denial',
  approval: 'Approval',
  dispatch: 'Dispatch',
  attempt: 'Attempt',
  recheck: 'Recheck',
  outcome: 'Outcome',
  erased: 'Erased',
}

function erasedBlock({ erased }: RunExplanation): readonly string[] {
  return [
    '## Erased',
    '',
    'The content of these events is gone. What their columns say is still on the chain.',
    '',
    ...erased.map(({ event, tool, verdict, actor, erased_by, reason }) => {
      const columns = [tool, verdict].filter((word) => word !== null).join(', ')
      const by =
        erased_by === null
          ? 'no record in this log names it'
          : `erased by #${erased_by.seq}: ${reason ?? ''}`
      return `- #${event.seq} ${plain(event.type)}${columns === '' ? '' : ` (${plain(columns)})`} by ${plain(actor)}, ${event.at}; ${plain(by)}`
    }),
  ]
}

/** One line, nothing that a terminal would obey, and no mark-up: what a name brings along is shown as it is. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\\`<[\]*~]/g, '\\$&')
    .trim()
