/** Agents with skills, as a process would have read them from folders. */
import type { AgentDefinition, JsonObject, PinnedSkill } from '@signalbox/core'
import { bundleOf, type OwnBundles, type SkillBundle, withLoadSkill } from '@signalbox/engine'
import { dumping, roomy } from './compacting.ts'
import { agent } from './world.ts'

/** A bundle of texts by path. */
export const bundleOfTexts = (files: Readonly<Record<string, string>>): SkillBundle =>
  bundleOf(
    Object.entries(files).map(([path, text]) => ({
      path,
      bytes: Buffer.from(text),
      executable: path.endsWith('.sh'),
    })),
  )

/** A skill of one file with these instructions. */
const skillOf = (name: string, body: string) => {
  const head = `---\nname: ${name}\ndescription: Does ${name}.\n---\n`
  const bundle = bundleOfTexts({ 'SKILL.md': `${head}${body}\n` })
  const pinned: PinnedSkill = {
    name,
    description: `Does ${name}.`,
    digest: bundle.digest,
    tools: null,
  }
  return { pinned, bundle }
}

/** The tools of a reader that has skills. */
export const skilledTools = () => withLoadSkill(dumping())

/** A reader with skills of these instructions, and the bundles that its process has. */
export async function skilledReader(
  bodies: Readonly<Record<string, string>>,
  more: JsonObject = {},
): Promise<{ readonly definition: AgentDefinition; readonly own: OwnBundles }> {
  const skills = Object.entries(bodies).map(([name, body]) => skillOf(name, body))
  const bundles = new Map(skills.map(({ bundle }) => [bundle.digest, bundle]))
  const definition = agent(await skilledTools().specs(), {
    ...roomy,
    skills: skills.map(({ pinned: { name, description, digest, tools } }) => ({
      name,
      description,
      digest,
      tools: tools && [...tools],
    })),
    ...more,
  })
  return { definition, own: (digest) => bundles.get(digest) ?? null }
}
