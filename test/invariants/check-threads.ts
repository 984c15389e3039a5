/** What must hold between the runs of one thread. */
import { isEnd, type RunRecord } from './run-record.ts'

/** Runs of one thread never overlap: the next is admitted after the end of the one before. */
export function threadViolations(runs: readonly RunRecord[]): readonly string[] {
  const spans = runs.map(({ head: { runId, threadId }, log }) => {
    const admitted = log.find((event) => event.type === 'run.admitted')?.position
    return { runId, threadId, admitted, ended: log.find(isEnd)?.position ?? '~' }
  })
  return spans.flatMap((a) =>
    spans
      .filter((b) => b.threadId === a.threadId && b.runId !== a.runId)
      .filter((b) => a.admitted && b.admitted && a.admitted < b.admitted && b.admitted < a.ended)
      .map((b) => `slot ${b.runId} was admitted before ${a.runId} ended`),
  )
}
