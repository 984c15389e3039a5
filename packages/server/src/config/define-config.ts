import type { ConfigInput } from './schema.ts'

/** Types a configuration while it is written. It is checked when it is loaded. */
export const defineConfig = (config: ConfigInput): ConfigInput => config
