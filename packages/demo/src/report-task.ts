/** The task of the demo: read three files of this repository, write a report about them. */

/** What the agent may use: one tool of a real MCP server, and the files of its thread. */
export const reportTools = ['workspace', 'mcp__fs__read_text_file']

/** What it is told to be. */
export const reportInstructions =
  'You write short reports about repositories. Read all files you need in one turn, in parallel, then write the ' +
  'report with write_file, then say in one sentence what you wrote.'

/** What it is asked for. */
export const reportInput =
  'Read README.md, LICENSE and package.json of this repository and write report.md: what it is, under which ' +
  'licence, and what it needs to run.'

/** What it has to read for that. */
export const reportFiles = ['README.md', 'LICENSE', 'package.json']
