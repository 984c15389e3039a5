/** Skills of a run for tests of tools: as an engine would hand them to a call. */
import type { PinnedSkill } from '@signalbox/core'
import { bundleOf, type CallSkills, type SkillBundle } from '@signalbox/engine'

export interface TestSkill {
  readonly files: Readonly<Record<string, string>>
  readonly secrets?: PinnedSkill['secrets']
}

/** A `SKILL.md` with these instructions. */
const skillText = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n${body}\n`

const bundleOfTexts = (files: TestSkill['files']): SkillBundle =>
  bundleOf(
    Object.entries(files).map(([path, text]) => ({
      path,
      bytes: Buffer.from(text),
      executable: path.endsWith('.sh'),
    })),
  )

/** Skills by name, some of them loaded. */
export function skillsOf(
  skills: Readonly<Record<string, TestSkill>>,
  loaded: readonly string[] = [],
): CallSkills {
  const bundles = new Map<string, SkillBundle>()
  const pinned = Object.entries(skills).map(([name, { files, secrets }]): PinnedSkill => {
    const bundle = bundleOfTexts({ 'SKILL.md': skillText(name, `How to ${name}.`), ...files })
    bundles.set(bundle.digest, bundle)
    const told = secrets ? { secrets } : {}
    return { name, description: `Does ${name}.`, digest: bundle.digest, tools: null, ...told }
  })
  return { pinned, loaded, bundle: async ({ digest }) => bundles.get(digest) ?? null }
}
