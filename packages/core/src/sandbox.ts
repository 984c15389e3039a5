/** The outcome of a command in a sandbox, as the event of its call records it: numbers and words, nothing that the command wrote. */
import { z } from 'zod'
import { limits } from './limits.ts'

/**
 * Why a command ended. `exited`: by itself, with any exit code; only then files are kept. All others were stopped: by the
 * clock, by a cancel, for too much output, memory or processor time; `lost`: the sandbox itself failed.
 */
export const SandboxEnd = z.enum([
  'exited',
  'timeout',
  'cancelled',
  'output',
  'memory',
  'cpu',
  'lost',
])

/** A host that a command asked the egress proxy for. */
export const SandboxEgress = z.object({
  /** Its name, or its address. */
  host: z.string().max(limits.idCharsMax),
  /** How often. */
  requests: z.number().int().min(1),
  /** Through the proxy, both ways. */
  bytes: z.number().int().min(0),
  /** The verdict of the allow-list. */
  verdict: z.enum(['allowed', 'refused']),
})

/** How a command was executed. Times are milliseconds; null: this adapter cannot measure it. */
export const SandboxReport = z.object({
  /** Which sandbox: `virtual` or `bubblewrap`. */
  adapter: z.string().max(limits.idCharsMax),
  /** Null: it was stopped. */
  exitCode: z.number().int().nullable(),
  /** The signal that ended it; null: none did. */
  signal: z.string().max(32).nullable(),
  /** Why it ended. */
  ended: SandboxEnd,
  /** How long it took. */
  wallMs: z.number().int().min(0),
  /** Processor time of all its processes. */
  cpuMs: z.number().int().min(0).nullable(),
  /** The most memory that its processes held together. */
  maxRssBytes: z.number().int().min(0).nullable(),
  /** Bytes that the command wrote to both outputs, kept or not. */
  outputBytes: z.number().int().min(0),
  /** The hosts that it asked for. */
  egress: z.array(SandboxEgress).max(limits.egressHostsMax),
})

export type SandboxEnd = z.infer<typeof SandboxEnd>
export type SandboxEgress = z.infer<typeof SandboxEgress>
export type SandboxReport = z.infer<typeof SandboxReport>
