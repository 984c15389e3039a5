/** The skills of simulated agents: some have a few, load them in some of their turns or by words of their client, and are held to their tools or not. */
import { type JsonObject, loadSkillToolName, type PinnedSkill } from '@signalbox/core'
import { bundleOf, type SkillBundle, withLoadSkill } from '@signalbox/engine'
import { seeded } from './seeded.ts'

/** Has the agent of this seed skills? Drawn by itself, so that the other agents of a seed are what they were. */
const isSkilled = (seed: number): boolean => seeded(seed * 47 + 11)() < 0.12

const bundleOfOne = (name: string): SkillBundle =>
  bundleOf([
    {
      path: 'SKILL.md',
      bytes: Buffer.from(`---\nname: ${name}\ndescription: Does ${name}.\n---\nHow to ${name}.\n`),
      executable: false,
    },
  ])

/** By name, with the tools that each names. */
const named = { looking: ['look'], paying: ['pay', 'bash'], putting: ['look', 'put'], open: null }
const known = Object.entries(named).map(([name, tools]) => {
  const bundle = bundleOfOne(name)
  const pinned: PinnedSkill = { name, description: `Does ${name}.`, digest: bundle.digest, tools }
  return { bundle, pinned }
})

/** The bundles that every process has read. */
export const ownBundles = (digest: string): SkillBundle | null =>
  known.find(({ bundle }) => bundle.digest === digest)?.bundle ?? null

/** Of the definition of an agent. */
export function skillsOf(seed: number): JsonObject {
  if (!isSkilled(seed)) return {}
  const skills = known.map(({ pinned: { name, description, digest, tools } }) => ({
    name,
    description,
    digest,
    tools,
  }))
  return { skills, ...(seed % 3 === 0 ? {} : { skillTools: 'restrict' }) }
}

/** Names of tools that an agent with skills has besides. */
export const skillTools = (seed: number): readonly string[] =>
  isSkilled(seed) ? [loadSkillToolName] : []

const names = [...Object.keys(named), 'nothing'] as const

/** The skills that the model loads in a turn: mostly none, one that it has already, two at once, or one that there is not. */
export function loadingCalls(
  seed: number,
  turn: number,
): readonly { readonly name: string; readonly args: JsonObject }[] {
  if (!isSkilled(seed)) return []
  const unit = seeded(seed * 1_013 + turn * 11 + 5)
  const count = Math.floor(unit() * 2.4)
  return Array.from({ length: count }, () => ({
    name: loadSkillToolName,
    args: { name: names[Math.floor(unit() * names.length)] ?? 'nothing' },
  }))
}

/** The words of a client before its others, where it names a skill. */
export const saidBefore = (seed: number): string =>
  isSkilled(seed) && seed % 2 === 0 ? `/${names[seed % names.length] ?? 'nothing'} ` : ''

const lost = (): never => {
  throw new Error('not the tool of skills')
}

/** The tool that loads skills, as it is. */
export const skillLoader = withLoadSkill({
  specs: async () => [],
  knows: async () => true,
  call: lost,
  close: async () => {},
})
