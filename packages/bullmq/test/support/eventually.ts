import type { Dispatcher } from '@signalbox/engine'

/** Waits for a condition; what never comes true runs into the test's time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Dispatches under rising numbers, as the reconciler does, until it has arrived. */
export async function dispatchUntil(
  dispatcher: Dispatcher,
  effectId: string,
  arrived: () => boolean,
): Promise<void> {
  for (let dispatch = 1; !arrived(); dispatch += 1) {
    await dispatcher.dispatch([{ effectId, queue: 'a', dispatch }])
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
