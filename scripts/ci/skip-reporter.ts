import type { Reporter, TestModule } from 'vitest/node'

/**
 * Says why a test did not run, and fails the run where nothing may be skipped.
 *
 * A skip is either `context.skip('why')` or a title that ends in `(skipped: why)`; one without a reason fails on every machine.
 * With `SIGNALBOX_REQUIRE_ALL=1` each of them fails: there every server and browser is installed.
 */
export class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const requireAll = process.env['SIGNALBOX_REQUIRE_ALL'] === '1'
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result()
        const why =
          (result.state === 'skipped' ? result.note : undefined) ?? titleReason(test.fullName)
        if (test.options.mode === 'run' && why === undefined && !module.ok()) continue
        console.log(`skipped: ${test.fullName} — ${why ?? 'no reason given'}`)
        if (requireAll || why === undefined) process.exitCode = 1
      }
    }
  }
}

function titleReason(title: string): string | undefined {
  return /\(skipped: (.+)\)/.exec(title)?.[1]
}
