export { createToolHost, type ToolHostOptions } from './host.ts'
export { defineTool, type DefinedTool, type ToolDefinition } from './define-tool.ts'
export { bashTimeoutMs, bashToolName, sandboxQueue } from './sandbox/bash-tool.ts'
export { SandboxConfig } from './sandbox/config.ts'
export { openSandboxes } from './sandbox/open-sandboxes.ts'
export type {
  EndedCommand,
  Network,
  OnOutput,
  Probe,
  ProbeFinding,
  ReadOnlyMount,
  Sandbox,
  SandboxAdapter,
  SandboxCommand,
  Sandboxes,
  SandboxLimits,
  SandboxRequest,
  SandboxUsage,
} from './sandbox/sandbox.ts'
export { readBundle } from './skills/read-bundle.ts'
export { readSkill, type SkillFault } from './skills/read-skill.ts'
export type { SkillHead } from './skills/front-matter.ts'
export { shortestSecret } from './sandbox/mask.ts'
export type { FileOfSet, FileSet } from './workspace/file-set.ts'
export type { ToolContext } from './runnable.ts'
export { selectTools, type Selection } from './select-tools.ts'
export { expandConfig, McpServerConfig } from './mcp/config.ts'
export { idempotencyMetaKey } from './mcp/server.ts'
export { workspaceToolNames } from './workspace/tools.ts'
export { viewImageTool } from './workspace/view-image.ts'
export type { Workspace, WorkspaceEntry, WorkspaceListing } from './workspace/workspace.ts'
export type { WorkspaceRefusal, WorkspaceResult } from './workspace/refusal.ts'
export type { DirectoryFile, DirectoryFiles } from './workspace/directory-files.ts'
export { DirectoryWorkspaces } from './workspace/directory-workspaces.ts'
export { fileName, filePath, freeName, nameKey } from './workspace/file-name.ts'
