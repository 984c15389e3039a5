/** The pages whose blocks are run, and what each needs before its first block. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from './blocks.ts'
import { readBlocks } from './blocks.ts'
import type { PageSetup } from './sandbox.ts'
import { root } from './sandbox.ts'

const setups: Readonly<Record<string, PageSetup>> = {
  'docs/getting-started.md': { named: false, manifest: false },
  'docs/tools.md': { named: false },
  'README.md': { named: false },
  'docs/api.md': { database: 'shared' },
  'docs/dev.md': { database: 'shared' },
  'docs/ai-sdk.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/assistants.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/scheduling.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/audit.md': { server: 'assistant.config.ts', database: true },
  'docs/a2a.md': { database: 'shared' },
  'docs/ag-ui.md': { database: 'shared' },
  'docs/approvals.md': { database: 'shared' },
  'docs/architecture.md': { database: 'shared' },
  'docs/auth.md': { database: 'shared' },
  'docs/budgets.md': { database: 'shared' },
  'docs/caching.md': { database: 'shared' },
  'docs/context.md': { database: 'shared' },
  'docs/client.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/child-runs.md': { database: 'shared' },
  'docs/errors.md': { database: 'shared' },
  'docs/files.md': { database: 'shared' },
  'docs/guardrails.md': { database: 'shared' },
  'docs/langgraph.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/loop-detection.md': { database: 'shared' },
  'docs/safety.md': { database: 'shared' },
  'docs/time-travel.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/titles.md': { database: 'shared' },
  'docs/questions.md': { database: 'shared' },
  'docs/todos.md': { database: 'shared' },
  'docs/skills.md': { database: 'shared' },
  'docs/multitask.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/webhooks.md': { database: 'shared' },
  'docs/pauses.md': { server: 'assistant.config.ts', database: 'shared' },
  'docs/operations.md': { server: 'assistant.config.ts', database: true },
}

export interface Page {
  readonly path: string
  readonly setup: PageSetup
  readonly blocks: readonly Block[]
}

/** Every page of the documentation, decisions included. @throws UnknownBlock */
export function readPages(): readonly Page[] {
  const paths = ['README.md', ...globSync('docs/**/*.md', { cwd: root }).toSorted()]
  return paths.map((path) => ({
    path,
    setup: setups[path] ?? {},
    blocks: readBlocks(path, readFileSync(join(root, path), 'utf8')),
  }))
}
