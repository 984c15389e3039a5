import { type Config, sandboxOf } from '@signalbox/server'
import { openSandboxes, SandboxConfig } from '@signalbox/tools'
import { type DoctorFinding, errorLine, failed } from './finding.ts'

/** Can commands be executed here as the configuration asks for? Nothing if it asks for none. */
export async function checkSandbox(config: Config): Promise<readonly DoctorFinding[]> {
  try {
    const wanted = sandboxOf(config)
    if (!wanted) return []
    const sandboxes = openSandboxes(SandboxConfig.parse(wanted))
    try {
      const { findings } = await sandboxes.probe()
      return findings.map((finding) => ({ check: 'sandbox', ...finding }))
    } finally {
      await sandboxes.close()
    }
  } catch (error) {
    return [failed('sandbox', errorLine(error), 'Correct sandbox in the configuration.')]
  }
}
