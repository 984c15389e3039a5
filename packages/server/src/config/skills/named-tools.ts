/** The tools that a skill names, as the agent has them. Skills are written for other clients as well, whose tools have other names. */
import { bashToolName } from '@signalbox/tools'
import { loadSkillToolName, todoToolName } from '@signalbox/core'

/** Names of Claude's clients, in lower case, by which most skills name tools. */
const otherNames: Readonly<Record<string, string>> = {
  bash: bashToolName,
  shell: bashToolName,
  read: 'read_file',
  write: 'write_file',
  edit: 'str_replace',
  multiedit: 'str_replace',
  ls: 'ls',
  skill: loadSkillToolName,
  todowrite: todoToolName,
  askuserquestion: 'ask_clarification',
}

/**
 * Those of the tools that are named, each once, sorted. `Bash(git:*)` means the tool `bash`: what stands in brackets narrows nothing here, for a
 * skill has no say about arguments.
 */
export function toolsNamed(names: readonly string[], tools: readonly string[]): string[] {
  const found = names.flatMap((name) => {
    const bare = name.replace(/\(.*$/s, '')
    const own = tools.includes(bare) ? bare : otherNames[bare.toLowerCase()]
    return own !== undefined && tools.includes(own) ? [own] : []
  })
  return [...new Set(found)].toSorted()
}
