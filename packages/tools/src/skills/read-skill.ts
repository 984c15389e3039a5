/** A skill of a folder's files: pure, so that whatever is wrong with it is found without starting anything. */
import { limits, partsOfSkill, skillFile } from '@signalbox/core'
import type { BundleFile } from '@signalbox/engine'
import { readHead, type SkillHead } from './front-matter.ts'

/** A mistake, and the file that it is in. */
export interface SkillFault {
  readonly ok: false
  /** Relative to the folder of the skill; empty for the folder itself. */
  readonly file: string
  /** Of the head of `SKILL.md`. Null: of none. */
  readonly field: string | null
  readonly message: string
}

export const skillFault = (
  file: string,
  message: string,
  field: string | null = null,
): SkillFault => ({ ok: false, file, field, message })

/** Reads the skill of a folder with this name. */
export function readSkill(
  folder: string,
  files: readonly BundleFile[],
): { readonly ok: true; readonly value: SkillHead } | SkillFault {
  const file = files.find(({ path }) => path === skillFile)
  if (!file) return skillFault('', `there is no ${skillFile} in it`)
  const text = textOf(file.bytes)
  if (text === null) return skillFault(skillFile, 'is no text in UTF-8')
  const parts = partsOfSkill(text)
  if (!parts)
    return skillFault(skillFile, 'does not begin with a head: a line "---", fields, a line "---"')
  if (Buffer.byteLength(parts.body) > limits.skillBodyBytesMax)
    return skillFault(skillFile, `has more than ${limits.skillBodyBytesMax} bytes behind its head`)
  const head = readHead(parts.head)
  if (!head.ok)
    return skillFault(
      skillFile,
      head.field === null ? `its head ${head.message}` : head.message,
      head.field,
    )
  const { name } = head.value
  if (name === folder) return head
  const message = `is "${name}", and the folder is "${folder}": a skill has the name of its folder`
  return skillFault(skillFile, message, 'name')
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
