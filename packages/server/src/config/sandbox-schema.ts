/** The sandbox of the tool `bash`, as users write it: as far as the audit of its scripts asks for it. */
import { BashAuditSpec } from '@signalbox/core'
import { z } from 'zod'

export const SandboxSection = z.strictObject({
  /** `virtual`: bash in TypeScript, which sees neither a host nor a network. `bubblewrap`: real programs, on Linux. */
  use: z.enum(['virtual', 'bubblewrap']).default('virtual'),
  /**
   * What becomes of scripts that the audit objects to. `enforce`: the dangerous ones are refused, the odd ones flagged. `flag`: all of them
   * run, and are flagged. `off`: nobody looks.
   */
  audit: z.enum([...BashAuditSpec.shape.mode.options, 'off']).default('enforce'),
})
