/**
 * One execution of a tool, bounded in time, from whatever the tool does to a `ToolOutcome`.
 *
 * X1 Answers exactly once, never throws, never leaves an unhandled rejection, however late the tool settles.
 * X2 After its timeout or a cancel the tool gets a grace; nothing waits for it longer than that.
 * X3 A tool that settles with a result during the grace of a cancel has done its work: the result stands.
 */
import { limits } from '@signalbox/core'
import type { Clock, ToolOutcome } from '@signalbox/engine'
import { pause } from './clock.ts'
import type { OwnTime } from './own-time.ts'
import type { Execution } from './runnable.ts'
import { boundedMessage } from './text.ts'

/** An execution and its bounds. Times are milliseconds. */
export interface Performance {
  readonly tool: string
  readonly timeoutMs: number
  readonly graceMs: number
  readonly clock: Clock
  /** The time that counts for the timeout. */
  readonly time: OwnTime
  readonly signal: AbortSignal
  /** See `Runnable.settlesOnAbort`. */
  readonly settlesOnAbort: () => boolean
  readonly run: (signal: AbortSignal) => Promise<Execution>
}

type Settled =
  | { readonly how: 'returned'; readonly execution: Execution }
  | { readonly how: 'threw'; readonly error: unknown }

/** Runs the tool and answers what came of it. */
export async function perform(performance: Performance): Promise<ToolOutcome> {
  const { signal, clock, time, timeoutMs, graceMs } = performance
  if (signal.aborted) return { status: 'aborted', settled: true }

  const controller = new AbortController()
  const over = new AbortController()
  const settled = settle(performance.run, controller.signal)
  const timeout = time.passes(timeoutMs, over.signal).then(() => 'timeout' as const)
  const cancelled = aborted(signal, over.signal).then(() => 'cancel' as const)
  const first = await Promise.race([settled, timeout, cancelled])
  over.abort()
  if (typeof first === 'object') return outcomeOf(first)

  const reason = first === 'timeout' ? new DOMException('Timed out', 'TimeoutError') : signal.reason
  controller.abort(reason)
  const graceOver = new AbortController()
  const grace = pause(clock, graceMs, graceOver.signal).then(() => null)
  const late = await Promise.race([settled, grace])
  graceOver.abort()
  if (first === 'timeout') return timedOut(performance, late !== null)
  if (late?.how === 'returned' && late.execution.ok) return outcomeOf(late)
  return { status: 'aborted', settled: late !== null && performance.settlesOnAbort() }
}

/** Never rejects. Starts the tool within a promise, so that a synchronous throw is one of its outcomes. */
async function settle(run: Performance['run'], signal: AbortSignal): Promise<Settled> {
  try {
    return { how: 'returned', execution: await run(signal) }
  } catch (error) {
    return { how: 'threw', error }
  }
}

function outcomeOf(settled: Settled): ToolOutcome {
  if (settled.how === 'threw') return failed('tool_error', describeError(settled.error))
  const { execution } = settled
  if (execution.ok) {
    const { output, images = [], sandbox } = execution
    const shown = images.length > 0 ? { images } : {}
    return { status: 'completed', output, ...shown, ...(sandbox ? { sandbox } : {}) }
  }
  const outcome = failed(execution.code, execution.message)
  return execution.unknown ? { ...outcome, unknown: true } : outcome
}

function timedOut(performance: Performance, stopped: boolean): ToolOutcome {
  const isOver = stopped && performance.settlesOnAbort()
  const end = isOver ? 'It was stopped.' : 'It may still be running; its effect is unknown.'
  const message = `${performance.tool} did not finish within ${performance.timeoutMs} ms. ${end}`
  const outcome = failed('tool_timeout', message)
  return isOver ? outcome : { ...outcome, unknown: true }
}

/** A failed outcome with a bounded message. */
export function failed(
  code: string,
  message: string,
): Extract<ToolOutcome, { readonly status: 'failed' }> {
  const bounded = boundedMessage(message, limits.errorBytesMax)
  return { status: 'failed', error: { code, message: bounded } }
}

/** Resolves when `signal` aborts; forgets its listener when `over` does. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over })
  })
}

/** Class and message of whatever was thrown. The class alone if the message is empty. */
export function describeError(error: unknown): string {
  try {
    if (error instanceof Error) {
      return error.message === '' ? error.name : `${error.name}: ${error.message}`
    }
    return typeof error === 'string' ? error : `Threw ${String(error)}`
  } catch {
    return 'Threw something unreadable'
  }
}
