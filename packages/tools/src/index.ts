export { createToolHost, type ToolHostOptions } from './host.ts'
export { defineTool, type DefinedTool, type ToolDefinition } from './define-tool.ts'
export type { ToolContext } from './runnable.ts'
export { selectTools, type Selection } from './select-tools.ts'
export { expandConfig, McpServerConfig } from './mcp/config.ts'
export { idempotencyMetaKey } from './mcp/server.ts'
export { workspaceToolNames } from './workspace/tools.ts'
export type {
  Workspace,
  WorkspaceEntry,
  WorkspaceListing,
  WorkspaceRefusal,
  WorkspaceResult,
} from './workspace/workspace.ts'
export type { DirectoryFile, DirectoryFiles } from './workspace/directory-files.ts'
export { DirectoryWorkspaces } from './workspace/directory-workspaces.ts'
export { fileContent } from './workspace/file-content.ts'
export { fileName, filePath, freeName } from './workspace/file-name.ts'
