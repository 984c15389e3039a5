/** The words of a skill that is loaded, as a model reads them. They are instructions, and stand as they were written. */
import { limits } from '../limits.ts'
import { textHead } from '../text/clip.ts'
import { bytesAsUtf8 } from '../text/utf8.ts'
import { bytesPerToken, tokensOf } from '../token-size.ts'
import { directoryOfSkill, loadSkillToolName, skillFile } from './pinned.ts'

/** A file of a skill, as it is listed. */
export interface ListedFile {
  /** Relative to the directory of the skill. */
  readonly path: string
  readonly bytes: number
}

/** A skill, as it is loaded. */
export interface LoadedSkill {
  readonly name: string
  /** `SKILL.md` without its head. */
  readonly body: string
  readonly files: readonly ListedFile[]
}

/** The instructions, and the list of the files. */
export const loadedText = (skill: LoadedSkill): string =>
  [opening(skill), skill.body, '</skill>', ...filesOf(skill)].join('\n')

/** The same behind a summary, of instructions that are not longer than a summary takes. */
export function keptText(skill: LoadedSkill, tokensMax: number): string {
  const { name, body } = skill
  const most = Math.min(tokensMax, limits.keptSkillTokensMax)
  if (tokensOf(bytesAsUtf8(body), bytesPerToken.unknown) <= most) return loadedText(skill)
  const note = `[… The rest was left out to save room. It stands in ${placeOf(name)}]`
  const head = headOf(body, Math.floor((most * bytesPerToken.unknown) / 100))
  return loadedText({ ...skill, body: `${head}\n${note}` })
}

/** At most so many bytes from the beginning. */
function headOf(text: string, bytes: number): string {
  let head = textHead(text, bytes)
  while (bytesAsUtf8(head) > bytes) head = textHead(head, Math.floor(head.length * 0.9))
  return head
}

const placeOf = (name: string): string => `${directoryOfSkill(name)}/${skillFile}`

const opening = ({ name }: LoadedSkill): string => `<skill name="${name}">`

function filesOf({ name, files }: LoadedSkill): readonly string[] {
  const others = files.filter(({ path }) => path !== skillFile)
  if (others.length === 0) return []
  const directory = directoryOfSkill(name)
  return [
    `Files of this skill. They can be read, not written, below \`${directory}/\`; paths in its instructions begin there.`,
    ...others.map(({ path, bytes }) => `- ${directory}/${path} (${bytes} bytes)`),
  ]
}

/** The words behind a second call for a skill of the same run. */
export const alreadyLoaded = (name: string): string =>
  `The skill "${name}" is already loaded. Its instructions stand above; they can be read again in ${placeOf(name)}.`

/** The words behind a call for a skill that there is not. */
export function unknownSkill(name: string, skills: readonly { readonly name: string }[]): string {
  const known = skills.map((skill) => skill.name).join(', ')
  return `There is no skill "${textHead(name, limits.skillNameCharsMax)}". ${loadSkillToolName} takes one of: ${known}`
}
